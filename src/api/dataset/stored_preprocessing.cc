// SPDX-License-Identifier: Apache-2.0
// Runs the Map operations that a model file holds.
#include <algorithm>
#include <span>

#include "api/boundary.h"
#include "api/dataset/stored_transforms.h"
#include "api/preprocessing.h"
#include "data/transform/composite.h"

namespace mindspore {
namespace dataset {

namespace {

using mycel::api::require;
using mycel::platform::Json;
using mycel::tensor::Tensor;
using Names = std::vector<std::string>;

Names names_in(const std::string& text) {
  const Json list = mycel::platform::parse_json(text, "columns of the preprocessing");
  Names names;
  for (const Json& name : list.array()) names.push_back(name.string());
  return names;
}

struct Map {
  Names taken, given;
  mycel::data::ListedTransforms transforms;

  explicit Map(const mycel::api::StoredMap& stored)
      : taken(names_in(stored.input_columns)), given(names_in(stored.output_columns)) {
    const Json list =
        mycel::platform::parse_json(stored.operations, "operations of the preprocessing");
    std::vector<mycel::data::TransformPtr> all;
    for (const Json& described : list.array()) {
      const auto operation = stored_operation(described);
      require(operation->transform() != nullptr, kMEFailed,
              "the preprocessing that the model holds cannot be run: ",
              operation->failure().ToString());
      all.push_back(operation->transform());
    }
    transforms = mycel::data::join_neighbours(mycel::data::listed(all));
  }

  void run(mycel::data::Items& items) const {
    mycel::data::RowRandom random(0, 0);
    const mycel::data::RowStreams streams(0, 0);
    mycel::data::TransformContext context{random};
    mycel::data::run_list(transforms, streams, items, context);
  }
};

class StoredPreprocessing final : public mycel::api::Preprocessing {
 public:
  explicit StoredPreprocessing(std::span<const mycel::api::StoredMap> stored) {
    for (const mycel::api::StoredMap& each : stored) maps_.emplace_back(each);
    Names known;  // columns after the operations so far
    for (const Map& map : maps_) {
      for (const std::string& name : map.taken) {
        if (std::ranges::find(known, name) != known.end()) continue;
        known.push_back(name);
        columns_.push_back(name);
      }
      known.insert(known.end(), map.given.begin(), map.given.end());
    }
  }

  const Names& columns() const override { return columns_; }

  std::vector<Tensor> run(std::span<const Tensor> sample) const override {
    std::vector<std::pair<std::string, mycel::data::Item>> row;
    for (std::size_t i = 0; i < sample.size(); ++i) row.emplace_back(columns_[i], sample[i]);
    for (const Map& map : maps_) {
      // What the operation gives stands where the first column that it takes stood.
      mycel::data::Items items;
      std::size_t place = row.size();
      for (const std::string& name : map.taken) {
        const auto found = std::ranges::find(row, name, [](auto& column) { return column.first; });
        require(found != row.end(), kMEFailed, "there is no column '", name,
                "' for the preprocessing that the model holds");
        place = std::min(place, static_cast<std::size_t>(found - row.begin()));
        items.push_back(std::move(found->second));
        row.erase(found);
      }
      map.run(items);
      require(items.size() == map.given.size(), kMEFailed,
              "an operation of the preprocessing gives ", items.size(), " columns instead of ",
              map.given.size());
      for (std::size_t i = 0; i < items.size(); ++i)
        row.insert(row.begin() + static_cast<std::ptrdiff_t>(place + i),
                   {map.given[i], std::move(items[i])});
    }
    std::vector<Tensor> results;
    for (const auto& [name, item] : row) {
      require(item.is_array(), kMEFailed, "the column '", name, "' is no array but ",
              item.type_name());
      results.push_back(item.array());
    }
    return results;
  }

 private:
  std::vector<Map> maps_;
  Names columns_;
};

std::unique_ptr<const mycel::api::Preprocessing> make(std::span<const mycel::api::StoredMap> maps) {
  return std::make_unique<StoredPreprocessing>(maps);
}

const bool kIsOffered = (mycel::api::offer_preprocessing(make), true);

}  // namespace
}  // namespace dataset
}  // namespace mindspore
