// SPDX-License-Identifier: Apache-2.0
// Messages of the two gRPC services, and the values in them.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <ms_service.pb.h>
#include <open_inference.pb.h>

#include "serving/gateway/named_values.h"
#include "serving/gateway/open_inference.h"

namespace mycel::serving {

namespace ms = ::mindspore::serving::proto;

// Values refer to the message, which they keep.
std::variant<std::vector<NamedValues>, Failure> read_instances(
    const std::shared_ptr<const ms::PredictRequest>& request);
void write_outcomes(const Method& method, const std::vector<Outcome>& outcomes,
                    ms::PredictReply& reply);
void write_failure(const Failure& failure, ms::PredictReply& reply);

std::variant<NamedTensors, Failure> read_tensors(
    const std::shared_ptr<const inference::ModelInferRequest>& request);
// Of the outputs those at the places that are wanted.
void write_tensors(const Method& method, const Instance& tensors,
                   const std::vector<std::size_t>& wanted, inference::ModelInferResponse& reply);

}  // namespace mycel::serving
