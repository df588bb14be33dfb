// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: the readers of model files and weights, one chosen by the first byte of the input,
// or by the environment variable READER (0 to 5). Not part of the library; README.md says how to
// build and run it.
#include <cstdlib>
#include <string>
#include <unordered_set>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/checkpoint/checkpoint_file.h"
#include "formats/mindir/model.h"
#include "formats/onnx/model.h"
#include "formats/pickle/pickle_decoder.h"
#include "formats/safetensors/safetensors_file.h"
#include "formats/torch/torch_file.h"
#include "platform/error/error.h"
#include "platform/protobuf/changed_message.h"

namespace {

using namespace mycel::formats;  // NOLINT: this file is about nothing else

// A file in memory, written anew for every input.
class InputFile {
 public:
  InputFile() : number_(memfd_create("input", 0)) {
    if (number_ < 0) std::abort();
  }
  std::string write(const std::string& content) const {
    if (ftruncate(number_, 0) != 0 ||
        pwrite(number_, content.data(), content.size(), 0) != static_cast<ssize_t>(content.size()))
      std::abort();
    return "/proc/self/fd/" + std::to_string(number_);
  }

 private:
  int number_;
};

using Seen = std::unordered_set<const PickleValue*>;

void make_tensors(const TorchFile& file, const PickleValue& value, Seen& seen, int depth = 0) {
  if (depth > 50 || !seen.insert(&value).second) return;
  if (value.kind == PickleValue::Kind::Call) {
    const TorchCall call = torch_call(value);
    if (call.kind == TorchCall::Kind::Tensor) {
      file.tensor_of(call);
      return;
    }
  }
  for (const PickleValue* item : value.items) make_tensors(file, *item, seen, depth + 1);
}

void read_torch(const std::string& path) {
  const TorchFile file(path);
  Seen seen;
  make_tensors(file, file.root(), seen);
}

void read_safetensors(const std::string& path) {
  const SafetensorsFile file(path);
  for (const SafetensorsEntry& entry : file.entries()) file.tensor_of(entry);
}

void read_checkpoint(const std::string& path) {
  const CheckpointFile file(path);
  for (const CheckpointEntry& entry : file.entries()) {
    if (!entry.is_map) file.tensor_of(entry);
  }
}

// For networks that are read and not run.
class NoEmitter final : public mycel::op::Emitter {
 public:
  mycel::op::ValueList emit(const mycel::op::OpDef& definition,
                            std::span<const mycel::op::Value> inputs,
                            mycel::op::AttributeList attributes) override {
    std::abort();
  }
  mycel::op::TensorSpec spec_of(const mycel::op::Value& value) const override {
    return {value.tensor().dtype(), value.tensor().shape(), false};
  }
  mycel::op::Value number(double value) override { std::abort(); }
  mycel::op::Value integer(std::int64_t value) override { std::abort(); }
};

void read_pickle(const std::string& content) {
  PickleDecoder decoder([](std::string_view) { return true; });
  std::string_view rest = content;
  decoder.decode(rest);
}

enum Reader { kTorch, kSafetensors, kCheckpoint, kMindir, kOnnx, kPickle, kCount };

Reader reader_of(unsigned char first) {
  static const char* const chosen = std::getenv("READER");
  return static_cast<Reader>((chosen == nullptr ? first : std::atoi(chosen)) % kCount);
}

bool reads_messages(Reader reader) {
  return reader == kCheckpoint || reader == kMindir || reader == kOnnx;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const InputFile input;
  static NoEmitter emitter;
  if (size == 0) return 0;
  const std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (reader_of(data[0])) {
      case kTorch: read_torch(input.write(content)); break;
      case kSafetensors: read_safetensors(input.write(content)); break;
      case kCheckpoint: read_checkpoint(input.write(content)); break;
      case kMindir: mindir::Model::read(content, std::nullopt, emitter); break;
      case kOnnx: onnx::Model::read(content, std::nullopt, emitter); break;
      default: read_pickle(content); break;
    }
  } catch (const mycel::platform::Error&) {
    // What a bad file should give.
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(unsigned char* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (size < 2 || !reads_messages(reader_of(data[0]))) return LLVMFuzzerMutate(data, size, most);
  return 1 + mycel::platform::change_message(data + 1, size - 1, most - 1, seed);
}
// NOLINTEND(readability-identifier-naming)
