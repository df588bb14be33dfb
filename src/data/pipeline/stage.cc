// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/stage.h"

#include <algorithm>
#include <utility>

namespace mycel::data {

Stage::Stage(std::vector<StagePtr> children) : children_(std::move(children)) {
  for (const StagePtr& child : children_) {
    calls_users_in_order_ = calls_users_in_order_ || child->calls_users_in_order_;
    is_endless_ = is_endless_ || child->is_endless_;
  }
}

void Stage::prepare(Engine& engine) {
  engine_ = &engine;
  for (const StagePtr& child : children_) child->prepare(engine);
}

void Stage::close() {
  for (const StagePtr& child : children_) child->close();
}

void Stage::begin() {
  advance_pass();
  for (const StagePtr& child : children_) child->begin();
}

void Stage::number_pass(std::uint64_t number) {
  next_pass_ = number;
  for (const StagePtr& child : children_) child->number_pass(number);
}

bool Stage::next_of_child(Row& row, std::exception_ptr& failure) {
  try {
    return child().next(row);
  } catch (const Stopped&) {
    throw;
  } catch (const Interruption&) {
    throw;
  } catch (...) {
    failure = std::current_exception();
    return false;
  }
}

std::int64_t Stage::skip(std::int64_t rows) {
  Row row;
  std::int64_t done = 0;
  while (done < rows && next(row)) ++done;
  return done;
}

void Stage::end_epoch() {
  for (const StagePtr& child : children_) child->end_epoch();
}

void Stage::note_cut() {
  is_cut_ = true;
  for (const StagePtr& child : children_) child->note_cut();
}

void Stage::list_sources(std::vector<std::shared_ptr<const IndexedSource>>& sources) const {
  for (const StagePtr& child : children_) child->list_sources(sources);
}

void Stage::charge(Row& row) const {
  note_bytes(row, 0);
  row.charge = Charge(engine_->budget, row.bytes);
}

ActivityPtr Stage::activity(std::string name) {
  auto made = std::make_shared<Activity>();
  made->name = std::move(name);
  engine_->activities.push_back(made);
  return made;
}

std::size_t column_index(const Columns& columns, const std::string& name,
                         const std::function<std::string(const std::string&)>& complaint) {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) throw platform::Error(ErrorKind::Runtime, complaint(name));
  return static_cast<std::size_t>(found - columns.begin());
}

}  // namespace mycel::data
