// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_STATUS_H_
#define MINDSPORE_INCLUDE_API_STATUS_H_

#include <climits>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "include/api/dual_abi_helper.h"
#include "include/api/visible.h"

namespace mindspore {

// Who reports. It stands in the upper four bits of a StatusCode.
enum CompCode : uint32_t {
  kCore = 0x00000000u,
  kMD = 0x10000000u,    // data
  kME = 0x20000000u,    // loading
  kMC = 0x30000000u,    // building and running models
  kLite = 0xF0000000u,  // names of programs for small devices
};

// What has happened. The codes of kLite are negative numbers in two's complement.
enum StatusCode : uint32_t {
  kSuccess = 0,
  kCoreFailed = kCore | 1u,

  kMDOutOfMemory = kMD | 1u,
  kMDShapeMisMatch = kMD | 2u,
  kMDInterrupted = kMD | 3u,
  kMDNoSpace = kMD | 4u,
  kMDPyFuncException = kMD | 5u,
  kMDDuplicateKey = kMD | 6u,
  kMDPythonInterpreterFailure = kMD | 7u,
  kMDTDTPushFailure = kMD | 8u,
  kMDFileNotExist = kMD | 9u,
  kMDProfilingError = kMD | 10u,
  kMDBoundingBoxOutOfBounds = kMD | 11u,
  kMDBoundingBoxInvalidShape = kMD | 12u,
  kMDSyntaxError = kMD | 13u,
  kMDTimeOut = kMD | 14u,
  kMDBuddySpaceFull = kMD | 15u,
  kMDNetWorkError = kMD | 16u,
  kMDNotImplementedYet = kMD | 17u,
  kMDUnexpectedError = kMD | 127u,

  kMEFailed = kME | 1u,
  kMEInvalidInput = kME | 2u,

  kMCFailed = kMC | 1u,
  kMCDeviceError = kMC | 2u,
  kMCInvalidInput = kMC | 3u,
  kMCInvalidArgs = kMC | 4u,

  kLiteError = 0xFFFFFFFFu,                        // -1
  kLiteNullptr = 0xFFFFFFFEu,                      // -2
  kLiteParamInvalid = 0xFFFFFFFDu,                 // -3
  kLiteNoChange = 0xFFFFFFFCu,                     // -4
  kLiteSuccessExit = 0xFFFFFFFBu,                  // -5
  kLiteMemoryFailed = 0xFFFFFFFAu,                 // -6
  kLiteNotSupport = 0xFFFFFFF9u,                   // -7
  kLiteThreadPoolError = 0xFFFFFFF8u,              // -8
  kLiteUninitializedObj = 0xFFFFFFF7u,             // -9
  kLiteFileError = 0xFFFFFFF6u,                    // -10
  kLiteServiceDeny = 0xFFFFFFF5u,                  // -11
  kLiteModelRebuild = 0xFFFFFFF4u,                 // -12
  kLiteOutOfTensorRange = 0xFFFFFF9Cu,             // -100
  kLiteInputTensorError = 0xFFFFFF9Bu,             // -101
  kLiteReentrantError = 0xFFFFFF9Au,               // -102
  kLiteLLMWaitProcessTimeOut = 0xFFFFFF99u,        // -103
  kLiteLLMKVCacheNotExist = 0xFFFFFF98u,           // -104
  kLiteLLMRepeatRequest = 0xFFFFFF97u,             // -105
  kLiteLLMRequestAlreadyCompleted = 0xFFFFFF96u,   // -106
  kLiteLLMEngineFinalized = 0xFFFFFF95u,           // -107
  kLiteLLMNotYetLink = 0xFFFFFF94u,                // -108
  kLiteLLMAlreadyLink = 0xFFFFFF93u,               // -109
  kLiteLLMLinkFailed = 0xFFFFFF92u,                // -110
  kLiteLLMUnlinkFailed = 0xFFFFFF91u,              // -111
  kLiteLLMNofiryPromptUnlinkFailed = 0xFFFFFF90u,  // -112, spelt so for ever
  kLiteLLMClusterNumExceedLimit = 0xFFFFFF8Fu,     // -113
  kLiteLLMProcessingLink = 0xFFFFFF8Eu,            // -114
  kLiteLLMOutOfMemory = 0xFFFFFF8Du,               // -115
  kLiteLLMPrefixAlreadyExist = 0xFFFFFF8Cu,        // -116
  kLiteLLMPrefixNotExist = 0xFFFFFF8Bu,            // -117
  kLiteLLMSeqLenOverLimit = 0xFFFFFF8Au,           // -118
  kLiteLLMNoFreeBlock = 0xFFFFFF89u,               // -119
  kLiteLLMBlockOutOfMemory = 0xFFFFFF88u,          // -120
  kLiteGraphFileError = 0xFFFFFF38u,               // -200
  kLiteNotFindOp = 0xFFFFFED4u,                    // -300
  kLiteInvalidOpName = 0xFFFFFED3u,                // -301
  kLiteInvalidOpAttr = 0xFFFFFED2u,                // -302
  kLiteOpExecuteFailure = 0xFFFFFED1u,             // -303
  kLiteFormatError = 0xFFFFFE70u,                  // -400
  kLiteInferError = 0xFFFFFE0Cu,                   // -500
  kLiteInferInvalid = 0xFFFFFE0Bu,                 // -501
  kLiteInputParamInvalid = 0xFFFFFDA8u,            // -600
};

// How a call went: a code, and a message when it failed. Statuses are equal when their codes are.
class MS_API Status {
 public:
  Status();
  inline Status(enum StatusCode status_code,
                const std::string& status_msg = "");  // NOLINT: `return kSuccess;`
  // The message becomes "<text of the code>. <extra>" with the line and, unless it is null, the
  // file.
  inline Status(enum StatusCode code, int line_of_code, const char* file_name,
                const std::string& extra = "");
  ~Status() = default;

  enum StatusCode StatusCode() const;
  inline std::string ToString() const;  // the message, else the text of the code
  int GetLineOfCode() const;            // -1: none
  inline std::string GetFileName() const;
  inline std::string GetErrDescription() const;  // the description, else as ToString
  // Sets the description; gives the message that was made anew from it.
  inline std::string SetErrDescription(const std::string& err_description);
  inline void SetStatusMsg(const std::string& status_msg);

  friend std::ostream& operator<<(std::ostream& os, const Status& s) { return os << s.ToString(); }

  bool operator==(const Status& other) const;
  bool operator==(enum StatusCode other_code) const;
  bool operator!=(const Status& other) const;
  bool operator!=(enum StatusCode other_code) const;

  explicit operator bool() const;  // true: success
  explicit operator int() const;
  static Status OK();
  bool IsOk() const;
  bool IsError() const;
  static inline std::string CodeAsString(enum StatusCode c);

 private:
  Status(enum StatusCode status_code, const std::vector<char>& status_msg);
  Status(enum StatusCode code, int line_of_code, const char* file_name,
         const std::vector<char>& extra);
  std::vector<char> ToCString() const;
  std::vector<char> GetFileNameChar() const;
  std::vector<char> GetErrDescriptionChar() const;
  std::vector<char> SetErrDescription(const std::vector<char>& err_description);
  void SetStatusMsgChar(const std::vector<char>& status_msg);
  static std::vector<char> CodeAsCString(enum StatusCode c);

  struct Data;
  std::shared_ptr<Data> data_;  // never changed once others share it; null: success
};

inline bool operator==(enum StatusCode code, const Status& status) { return status == code; }
inline bool operator!=(enum StatusCode code, const Status& status) { return status != code; }

Status::Status(enum StatusCode status_code, const std::string& status_msg)
    : Status(status_code, StringToChar(status_msg)) {}
Status::Status(enum StatusCode code, int line_of_code, const char* file_name,
               const std::string& extra)
    : Status(code, line_of_code, file_name, StringToChar(extra)) {}
std::string Status::ToString() const { return CharToString(ToCString()); }
std::string Status::GetFileName() const { return CharToString(GetFileNameChar()); }
std::string Status::GetErrDescription() const { return CharToString(GetErrDescriptionChar()); }
std::string Status::SetErrDescription(const std::string& err_description) {
  return CharToString(SetErrDescription(StringToChar(err_description)));
}
void Status::SetStatusMsg(const std::string& status_msg) {
  SetStatusMsgChar(StringToChar(status_msg));
}
std::string Status::CodeAsString(enum StatusCode c) { return CharToString(CodeAsCString(c)); }

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_STATUS_H_
