// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: the readers of untrusted files, one chosen by the first byte of the input, or by
// the environment variable READER (0 to 6). Not part of the library; README.md says how to build
// and run it.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "data/source/csv.h"
#include "data/source/registry.h"
#include "data/source/tf_example.h"
#include "data/source/wave.h"
#include "platform/json/json.h"

namespace {

using mycel::data::Parameters;
using mycel::data::Strings;

// One file per process, written anew for every input.
class InputFile {
 public:
  InputFile() {
    char name[] = "/tmp/readers_fuzz_XXXXXX";
    const int file = mkstemp(name);
    if (file < 0) std::abort();
    close(file);
    folder_ = std::string(name) + ".d";
    std::remove(name);
    if (std::system(("mkdir -p " + folder_).c_str()) != 0) std::abort();
  }
  ~InputFile() { (void)!std::system(("rm -rf " + folder_).c_str()); }
  std::string write(const char* name, const std::string& content) const {
    const std::string path = folder_ + "/" + name;
    FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) std::abort();
    std::fwrite(content.data(), 1, content.size(), file);
    std::fclose(file);
    return path;
  }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

void read_all(const mycel::data::FileSource& source) {
  source.count_rows(0);
  const auto cursor = source.open(0);
  mycel::data::LoadedRow row;
  while (cursor->next(row)) continue;
}

void read_tfrecord(const InputFile& input, const std::string& content, bool packed) {
  Parameters parameters(
      {{"files", Strings{input.write("a.data", content)}}, {"check_data", false}});
  if (packed) parameters.set("compression_type", std::string("GZIP"));
  read_all(*mycel::data::open_file_source("TfRecord", parameters));
}

void read_csv(const InputFile& input, const std::string& content) {
  const Parameters parameters({{"files", Strings{input.write("a.csv", content)}},
                               {"field_delim", std::string(",")},
                               {"types", Strings{"int32", "float32"}},
                               {"dataset", std::string("CSVDataset")}});
  read_all(*mycel::data::open_file_source("Csv", parameters));
}

void read_idx(const InputFile& input, const std::string& content) {
  input.write("train-images-idx3-ubyte", content);
  input.write("train-labels-idx1-ubyte", content);
  const Parameters parameters(
      {{"dataset_dir", input.folder()}, {"dataset", std::string("MnistDataset")}});
  const auto source = mycel::data::open_indexed_source("Mnist", parameters);
  mycel::data::LoadedRow row;
  for (std::int64_t i = 0; i < source->rows(); ++i) source->load(i, row);
}

void read_example(const std::string& content) {
  const mycel::data::TfExample example(content);
  for (const auto& [name, feature] : example.features()) {
    mycel::data::bytes_values(feature);
    mycel::data::float_values(feature);
    mycel::data::int64_values(feature);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const InputFile input;
  static const char* const chosen = std::getenv("READER");
  if (size == 0) return 0;
  const std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch ((chosen == nullptr ? data[0] : std::atoi(chosen)) % 7) {
      case 0: read_tfrecord(input, content, false); break;
      case 1: read_tfrecord(input, content, true); break;
      case 2: read_csv(input, content); break;
      case 3: read_idx(input, content); break;
      case 4: mycel::data::read_wave(input.write("a.wav", content)); break;
      case 5: read_example(content); break;
      default: mycel::platform::parse_json(content, "input"); break;
    }
  } catch (const mycel::platform::Error&) {
    // What a bad file should give.
  }
  return 0;
}
