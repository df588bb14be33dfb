// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/failure_text.h"

namespace mycel::data {
namespace {

std::string block(const std::string& title, const std::string& text) {
  const std::string line(66, '-');
  return "\n" + line + "\n- " + title + ": \n" + line + "\n" + text + "\n";
}

const char* const kPipelineTitle = "Dataset Pipeline Error Message";

}  // namespace

std::string user_failure_text(const std::string& traceback) {
  return "Exception thrown from user defined Python function in dataset. \n" +
         block("Python Call Stack", traceback) +
         block(kPipelineTitle,
               "[ERROR] Execute user Python code failed, check 'Python Call Stack' above.");
}

std::string pipeline_failure_text(const std::string& message) {
  return "Exception thrown from dataset pipeline. Refer to 'Dataset Pipeline Error Message'. \n" +
         block(kPipelineTitle, "[ERROR] " + message);
}

}  // namespace mycel::data
