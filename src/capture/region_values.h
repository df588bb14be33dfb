// SPDX-License-Identifier: Apache-2.0
// What gradients of loops and of branches share: calls, and values of another run of a region that
// its tape is shown.
#pragma once

#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "operator/value.h"
#include "tensor/tensor.h"

namespace mycel::capture {

class Recorder;
using tensor::Tensor;

op::Value value_of(const Tensor& tensor);
Tensor called(std::string_view name, std::initializer_list<op::Value> inputs,
              std::initializer_list<op::NamedAttribute> attributes = {});
// `scalar` everywhere in a tensor of this type.
Tensor stretched(const Tensor& scalar, const op::TensorSpec& spec);
// What a row of a log has; in the row before the first it is `initial`, if that is there.
Tensor kept_value(const Tensor& log, const Tensor& row, int column, const op::TensorSpec& spec,
                  const Tensor& initial = {});

// A row of `rows`; before the first it is `initial`, if that is there.
Tensor row_at(const Tensor& rows, const Tensor& place, const Tensor& initial = {});
// `rows` with another row at this place: a copy, or itself.
Tensor with_row(const Tensor& rows, const Tensor& row, const Tensor& place, bool copies);

// Whoever reads `stand_in`, which a tape has saved of a region, reads `content`: in what is
// recorded from here on, or without `recorder` at once.
void lend(Recorder* recorder, const Tensor& stand_in, const Tensor& content);
// What was lent at once is let go.
void take_back(const Tensor& stand_in);

// Backward through a region of the kind `what`: recorded, where a function is being recorded and
// that can be, else at once.
std::vector<Tensor> walk_region(std::string_view what,
                                const std::function<std::vector<Tensor>(Recorder&)>& recorded,
                                const std::function<std::vector<Tensor>()>& at_once);

}  // namespace mycel::capture
