// SPDX-License-Identifier: Apache-2.0
#include "include/api/status.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace mindspore {

struct Status::Data {
  enum StatusCode code = kSuccess;
  std::string message;
  std::string description;
  int line = -1;
  std::string file;
};

namespace {

struct CodeText {
  enum StatusCode code;
  std::string_view text;
};

constexpr CodeText kTexts[] = {
    {kSuccess, "No error occurs."},
    {kCoreFailed, "Common error code."},
    {kMDOutOfMemory, "Out of memory"},
    {kMDShapeMisMatch, "Shape is incorrect"},
    {kMDInterrupted, "Interrupted system call"},
    {kMDNoSpace, "No space left on device"},
    {kMDPyFuncException, "Exception thrown from PyFunc"},
    {kMDDuplicateKey, "Duplicate key"},
    {kMDPythonInterpreterFailure, "Unexpected error"},
    {kMDTDTPushFailure, "Unexpected error"},
    {kMDFileNotExist, "Unexpected error"},
    {kMDProfilingError, "Error encountered while profiling"},
    {kMDBoundingBoxOutOfBounds, "Unexpected error"},
    {kMDBoundingBoxInvalidShape, "Unexpected error"},
    {kMDSyntaxError, "Syntax error"},
    {kMDTimeOut, "Unexpected error"},
    {kMDBuddySpaceFull, "BuddySpace full"},
    {kMDNetWorkError, "Network error"},
    {kMDNotImplementedYet, "Unexpected error"},
    {kMDUnexpectedError, "Unexpected error"},
    {kMEFailed, "Common error code."},
    {kMEInvalidInput, "Invalid input."},
    {kMCFailed, "Common error code."},
    {kMCDeviceError, "Device error."},
    {kMCInvalidInput, "Invalid input."},
    {kMCInvalidArgs, "Invalid arguments."},
    {kLiteError, "Common error code."},
    {kLiteNullptr, "NULL pointer returned."},
    {kLiteParamInvalid, "Invalid parameter."},
    {kLiteNoChange, "No change."},
    {kLiteSuccessExit, "No error but exit."},
    {kLiteMemoryFailed, "Fail to create memory."},
    {kLiteNotSupport, "Fail to support."},
    {kLiteThreadPoolError, "Thread pool error."},
    {kLiteOutOfTensorRange, "Failed to check range."},
    {kLiteInputTensorError, "Failed to check input tensor."},
    {kLiteReentrantError, "Exist executor running."},
    {kLiteGraphFileError, "Failed to verify graph file."},
    {kLiteNotFindOp, "Failed to find operator."},
    {kLiteInvalidOpName, "Invalid operator name."},
    {kLiteInvalidOpAttr, "Invalid operator attr."},
    {kLiteOpExecuteFailure, "Failed to execution operator."},
    {kLiteFormatError, "Failed to checking tensor format."},
    {kLiteInferError, "Failed to infer shape."},
    {kLiteInferInvalid, "Invalid infer shape before runtime."},
    {kLiteInputParamInvalid, "Invalid input param by user."},
};

std::string_view text_of(enum StatusCode code) {
  const auto* const found = std::find_if(std::begin(kTexts), std::end(kTexts),
                                         [&](const CodeText& row) { return row.code == code; });
  return found == std::end(kTexts) ? "Unknown error" : found->text;
}

}  // namespace

Status::Status() = default;

Status::Status(enum StatusCode status_code, const std::vector<char>& status_msg) {
  if (status_code == kSuccess && status_msg.empty()) return;
  data_ = std::make_shared<Data>();
  data_->code = status_code;
  data_->message = CharToString(status_msg);
}

Status::Status(enum StatusCode code, int line_of_code, const char* file_name,
               const std::vector<char>& extra)
    : data_(std::make_shared<Data>()) {
  data_->code = code;
  data_->line = line_of_code;
  if (file_name != nullptr) data_->file = file_name;
  SetErrDescription(extra);
}

enum StatusCode Status::StatusCode() const { return data_ ? data_->code : kSuccess; }
int Status::GetLineOfCode() const { return data_ ? data_->line : -1; }

std::vector<char> Status::ToCString() const {
  if (data_ && !data_->message.empty()) return StringToChar(data_->message);
  return CodeAsCString(StatusCode());
}

std::vector<char> Status::GetFileNameChar() const {
  return data_ ? StringToChar(data_->file) : std::vector<char>();
}

std::vector<char> Status::GetErrDescriptionChar() const {
  return data_ && !data_->description.empty() ? StringToChar(data_->description) : ToCString();
}

std::vector<char> Status::SetErrDescription(const std::vector<char>& err_description) {
  auto changed = data_ ? std::make_shared<Data>(*data_) : std::make_shared<Data>();
  changed->description = CharToString(err_description);
  std::string text(text_of(changed->code));
  if (!changed->description.empty()) text += ". " + changed->description;
  if (changed->line != -1) text += "\nLine of code : " + std::to_string(changed->line);
  if (!changed->file.empty()) text += "\nFile         : " + changed->file;
  changed->message = std::move(text);
  data_ = std::move(changed);
  return StringToChar(data_->message);
}

void Status::SetStatusMsgChar(const std::vector<char>& status_msg) {
  auto changed = data_ ? std::make_shared<Data>(*data_) : std::make_shared<Data>();
  changed->message = CharToString(status_msg);
  data_ = std::move(changed);
}

bool Status::operator==(const Status& other) const { return StatusCode() == other.StatusCode(); }
bool Status::operator==(enum StatusCode other_code) const { return StatusCode() == other_code; }
bool Status::operator!=(const Status& other) const { return StatusCode() != other.StatusCode(); }
bool Status::operator!=(enum StatusCode other_code) const { return StatusCode() != other_code; }
Status::operator bool() const { return IsOk(); }
Status::operator int() const { return static_cast<int>(StatusCode()); }
Status Status::OK() { return {}; }
bool Status::IsOk() const { return StatusCode() == kSuccess; }
bool Status::IsError() const { return !IsOk(); }

std::vector<char> Status::CodeAsCString(enum StatusCode c) {
  const std::string_view text = text_of(c);
  return {text.begin(), text.end()};
}

}  // namespace mindspore
