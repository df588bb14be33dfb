// SPDX-License-Identifier: Apache-2.0
#include "data/source/source_columns.h"

#include "platform/error/error.h"

namespace mycel::data {

void SourceColumns::require_count(std::size_t given) const {
  platform::require(
      given == names.size(), ErrorKind::Runtime,
      "Invalid Python function, the 'source' of 'GeneratorDataset' should return same number of "
      "NumPy arrays as specified in column_names, the size of column_names is:",
      names.size(), " and number of returned NumPy array is:", given);
}

void SourceColumns::require_type(std::size_t column, const Item& item) const {
  if (column >= types.size() || types[column].empty()) return;
  const std::string given = item.type_name();
  platform::require(given == types[column], ErrorKind::Runtime,
                    "Invalid Python function, type of returned data in 'GeneratorDataset' should "
                    "be same with specified column_types, but the type of returned data: ",
                    given, ", specified column type: ", types[column]);
}

void SourceColumns::require(const Items& row) const {
  require_count(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) require_type(i, row[i]);
}

void refuse_value(std::optional<std::size_t> place) {
  const std::string which =
      place ? std::to_string(*place + 1) + "th item of the input" : "the input";
  platform::fail(ErrorKind::Runtime,
                 "Failed to create tensor from numpy array, data type is unknown. Data type of ",
                 which,
                 " or its converted Numpy array is expected to be int or float or str, but got "
                 "object.");
}

}  // namespace mycel::data
