// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/model.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <filesystem>

#include "formats/mindir/builder.h"
#include "formats/mindir/messages.h"
#include "formats/program/interpreter.h"
#include "formats/program/own_results.h"
#include "formats/program/written_loops.h"
#include "platform/error/error.h"

namespace mycel::formats::mindir {

namespace {

namespace fs = std::filesystem;
using platform::ErrorKind;

constexpr std::int64_t kNewestForm = 3;
constexpr std::string_view kGraphSuffix = "_graph.mindir", kDataSuffix = "_variables";
constexpr std::int64_t kAnyShape = -2;

MessageTree decoded(const MessageSpec& spec, const PlainFile& file, const std::string& path) {
  const std::string mistake = platform::join("Load MindIR failed. The file '", path,
                                             "' is not a MindIR file or is damaged");
  return decode_message(spec, file.bytes(), {ErrorKind::Runtime, mistake});
}

void check_head(const MessageView& model) {
  for (const std::string_view field : {"producer_name", "model_version"})
    if (model.text(field).empty())
      refuse("The file does not tell its '", field, "'; it is no MindIR file, or damaged.");
  const std::int64_t form = model.integer("mind_ir_version");
  if (form < 0 || form > kNewestForm)
    refuse("The file has the form ", form, " of MindIR, but only forms up to ", kNewestForm,
           " are known.");
  constexpr bool kLittle = std::endian::native == std::endian::little;
  if ((model.integer("little_endian", kLittle) != 0) != kLittle)
    refuse("The file has another byte order than this machine.");
  if (!model.has("graph")) refuse("The file has no graph.");
}

MessageTree model_of(const PlainFile& file, const std::string& path) {
  MessageTree tree = decoded(mindir_model(), file, path);
  check_head(tree);
  return tree;
}

// The same of decrypted content: a wrong key goes unnoticed once in 256 times where there is no
// tag.
MessageTree decrypted_model_of(const PlainFile& file, const std::string& path) {
  try {
    return model_of(file, path);
  } catch (const platform::Error&) {
    refuse_decryption();
  }
}

// Parameters of the older split form, which stand in files of their own.
class SplitParameters {
 public:
  SplitParameters(const std::string& path, const platform::CipherKey& key,
                  const TensorFilter& filter) {
    const fs::path folder =
        path.substr(0, path.size() - kGraphSuffix.size()) + std::string(kDataSuffix);
    std::error_code problem;
    if (!fs::is_directory(folder, problem)) return;
    const fs::path inside = fs::canonical(folder, problem);
    std::vector<fs::path> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, problem))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    for (const fs::path& name : names) {
      const fs::path file = fs::weakly_canonical(folder / name, problem);
      if (!fs::is_regular_file(file, problem)) continue;
      if (file.parent_path() != inside)
        refuse("The file '", name.string(), "' of '", folder.string(),
               "' is a link to another folder.");
      add(file.string(), key, filter);
    }
  }
  std::span<const StoredParameters> all() const { return parameters_; }

 private:
  void add(const std::string& path, const platform::CipherKey& key, const TensorFilter& filter) {
    const PlainFile& file = files_.emplace_back(path, key);
    const MessageTree& tree = trees_.emplace_back(decoded(mindir_graph(), file, path));
    TensorReader& reader =
        readers_.emplace_back(file, fs::path(path).parent_path().string(), key, filter);
    parameters_.push_back({tree, &reader});
  }

  std::deque<PlainFile> files_;
  std::deque<MessageTree> trees_;
  std::deque<TensorReader> readers_;
  std::vector<StoredParameters> parameters_;
};

std::shared_ptr<const Model> built(const PlainFile& file, const MessageTree& tree,
                                   std::optional<std::string> folder, const std::string& path,
                                   const platform::CipherKey& key, op::Emitter& emitter,
                                   const TensorFilter& filter) {
  TensorReader tensors(file, std::move(folder), key, filter);
  const ValueReader values(tensors, emitter);
  const MessageView model(tree);
  const MessageView graph = model.message("graph");
  const StoredParameters own{graph, &tensors};
  if (!path.ends_with(kGraphSuffix) || graph.has("parameter") || graph.has("map_parameter"))
    return build(model, std::span(&own, 1), values);
  const SplitParameters split(path, key, filter);
  return build(model, split.all(), values);
}

}  // namespace

std::shared_ptr<const Model> Model::load(const std::string& path, const platform::CipherKey& key,
                                         op::Emitter& emitter, const TensorFilter& filter) {
  const PlainFile file(path, key);
  const MessageTree tree =
      file.is_decrypted() ? decrypted_model_of(file, path) : model_of(file, path);
  const std::string folder = fs::path(path).parent_path().string();
  return built(file, tree, folder.empty() ? "." : folder, path, key, emitter, filter);
}

std::shared_ptr<const Model> Model::read(std::string content, std::optional<std::string> folder,
                                         op::Emitter& emitter, const TensorFilter& filter) {
  const PlainFile file(std::move(content));
  if (platform::starts_with_piece(file.bytes().substr(0, 4))) refuse_decryption();
  return built(file, model_of(file, "in memory"), std::move(folder), "", {}, emitter, filter);
}

std::vector<std::string> Model::graph_names() const {
  std::vector<std::string> names;
  for (const auto& graph : graphs_) names.push_back(graph->name);
  return names;
}

// ---- inputs -------------------------------------------------------------------------------------

namespace {

std::string listed(std::span<const std::int64_t> lengths) {
  std::string text = "(";
  for (std::size_t i = 0; i < lengths.size(); ++i)
    text += platform::join(i == 0 ? "" : ", ", lengths[i]);
  return text + (lengths.size() == 1 ? ",)" : ")");
}

bool is_number_of(std::string_view kind, const Datum& value) {
  if (kind == "Bool") return value.is_bool();
  return kind == "Int" ? value.is_int() || value.is_bool() : value.is_number();
}

}  // namespace

void Input::check(const Datum& value, bool any_shape) const {
  const auto require_kind = [&](bool is_right, std::string_view expected) {
    platform::require(is_right, ErrorKind::Type, "For 'GraphCell', the input '", name,
                      "' should be ", expected, ", but got ", value.type_name(), ".");
  };
  if (kind == "Tuple" || kind == "List") require_kind(value.is_sequence(), "a tuple");
  if (kind == "Int" || kind == "Float" || kind == "Bool")
    require_kind(value.is_tensor() || is_number_of(kind, value),
                 platform::join("a number (", kind, ")"));
  if (kind != "Tensor") return;
  require_kind(value.is_tensor(), "a Tensor");
  const op::TensorSpec given = value.tensor().spec();
  platform::require(!dtype || given.dtype == *dtype, ErrorKind::Type,
                    "For 'GraphCell', the input '", name, "' should have the type ",
                    dtype.value_or(given.dtype), " it was exported with, but got ", given.dtype,
                    ".");
  if (any_shape || !dims || std::ranges::find(*dims, kAnyShape) != dims->end()) return;
  const bool fits = std::ranges::equal(
      *dims, given.shape,
      [](std::int64_t expected, std::int64_t got) { return expected < 0 || expected == got; });
  platform::require(fits, ErrorKind::Value, "For 'GraphCell', the input '", name,
                    "' should have the shape ", listed(*dims),
                    " it was exported with (-1: any length), but got ", listed(given.shape), ".");
}

Datum Model::run(std::span<const Datum> arguments, std::span<const op::Value> parameters,
                 Host& host) const {
  if (arguments.size() != inputs_.size()) {
    std::string names;
    for (const Input& input : inputs_) names += (names.empty() ? "" : ", ") + input.name;
    platform::fail(ErrorKind::Runtime,
                   "For 'GraphCell', the input number of parameters is not Compatible: the network "
                   "takes ",
                   inputs_.size(), " inputs (", names, "), but got ", arguments.size(), ".");
  }
  std::vector<Datum> given;
  auto next = arguments.begin();
  auto expected = inputs_.begin();
  for (const bool is_value : is_value_) {
    if (is_value) (expected++)->check(*next, !host.keeps_shapes());
    given.push_back(is_value ? *next++ : monad());
  }
  Interpreter interpreter(host, parameters);
  LoopMaker* const maker = host.loop_maker();
  if (maker == nullptr)
    return without_parameters(interpreter.run(*graphs_.front(), given, nullptr), parameters);
  WrittenLoops loops(interpreter, *maker);
  return without_parameters(interpreter.run(*graphs_.front(), given, &loops), parameters);
}

}  // namespace mycel::formats::mindir
