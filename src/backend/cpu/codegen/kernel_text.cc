// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/codegen/kernel_text.h"

#include <map>
#include <vector>

#include "backend/cpu/codegen/step_text.h"
#include "platform/error/error.h"

namespace mycel::cpu::codegen {
namespace {

using op::ScalarOp;
using op::ScalarStep;
using platform::join;

constexpr int kTogether = 4;   // vectors
constexpr int kLongChain = 3;  // of functions
constexpr std::size_t kMostStepsTogether = 128;
constexpr std::string_view kPlaceholder = "kernel_of_this_text";

// Whether operand i of the operation is read as a truth value.
bool takes_mask(ScalarOp o, int i) {
  if (o == ScalarOp::Select) return i == 0;
  return o == ScalarOp::And || o == ScalarOp::Or || o == ScalarOp::Xor || o == ScalarOp::Not ||
         o == ScalarOp::FromMask;
}

class Writer {
 public:
  Writer(const op::ScalarProgram& program, VectorShape shape, std::uint32_t singles)
      : program_(program),
        shape_(shape),
        singles_(singles),
        entry_(shape, "u"),
        values_(program.steps.size()) {}

  std::string run() {
    if (!write_uniform()) return {};
    if (values_.back().uniform && !values_.back().text.empty()) return {};
    const int together = vectors_together();
    StepText group(shape_, "g"), whole(shape_, "w"), rest(shape_, "r");
    if (together > 1 && !write_varying(group, places_from("%g", together, group))) return {};
    if (!write_varying(whole, {{"%w"}}) || !write_varying(rest, {{"%last", true}})) return {};
    if (streams() && result_is_mask_) return {};
    const std::string groups =
        together > 1 ? loop("g", "entry", "%begin", "%grouped", together, group.lines) : "";
    const std::string wholes = together > 1
                                   ? loop("w", "g.end", "%grouped", "%last", 1, whole.lines)
                                   : loop("w", "entry", "%begin", "%last", 1, whole.lines);
    return join(functions(whole, rest), head(), entry_.lines, bounds(together), groups, wholes,
                tail(rest.lines), streams() ? "!0 = !{i32 1}\n" : "");
  }

 private:
  // Where a vector is read and written.
  struct Place {
    std::string index;
    bool partial = false;  // under the mask of the lanes that are there
  };

  // A function that waits for the one before it leaves the processor idle unless it has another
  // vector to work on; a few are far apart enough for it to find by itself.
  int vectors_together() const {
    int functions = 0;
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const ScalarOp op = program_.steps[i].op;
      if (values_[i].text.empty() && op::arity_of(op) > 0 &&
          !vector_function(op, shape_).name.empty())
        ++functions;
    }
    return functions >= kLongChain && program_.steps.size() <= kMostStepsTogether ? kTogether : 1;
  }

  std::vector<Place> places_from(const std::string& first, int count, StepText& out) const {
    std::vector<Place> places = {{first}};
    for (int n = 1; n < count; ++n) {
      places.push_back({out.name()});
      out.line(join(places.back().index, " = add i64 ", first, ", ", n * shape_.lanes()));
    }
    return places;
  }

  bool streams() const { return (singles_ & kStreams) != 0; }
  bool is_single(const ScalarStep& step) const { return (singles_ >> step.index & 1U) != 0; }

  // Addresses of all inputs, and what does not change from vector to vector.
  bool write_uniform() {
    int attributes = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const ScalarStep& step = program_.steps[i];
      switch (step.op) {
        case ScalarOp::Constant: values_[i] = entry_.constant(step.number); break;
        case ScalarOp::Attribute:
          values_[i] = entry_.loaded(attribute_address(attributes++));
          break;
        case ScalarOp::Input:
          if (step.index >= 16) return false;
          addresses_[i] = input_address(step);
          if (is_single(step)) values_[i] = single(step, addresses_[i]);
          break;
        default: {
          bool uniform = true;
          for (int a = 0; a < op::arity_of(step.op); ++a)
            uniform = uniform && !values_[step.args[a]].text.empty();
          if (uniform && !write_step(entry_, i, values_)) return false;
        }
      }
    }
    return true;
  }

  std::string typed(const std::string& address, const std::string& type) {
    std::string name = entry_.name();
    entry_.line(join(name, " = bitcast i8* ", address, " to ", type, "*"));
    return name;
  }

  std::string attribute_address(int place) {
    const std::string address = entry_.name();
    entry_.line(join(address, " = getelementptr i8, i8* %attributes, i64 ", 16 * place));
    return typed(address, entry_.element());
  }

  std::string memory_type(const ScalarStep& step) const {
    return step.is_mask ? "i8" : entry_.element();
  }

  std::string input_address(const ScalarStep& step) {
    const std::string place = entry_.name();
    entry_.line(join(place, " = getelementptr i8*, i8** %inputs, i64 ", step.index));
    const std::string address = entry_.name();
    entry_.line(join(address, " = load i8*, i8** ", place));
    return typed(address, memory_type(step));
  }

  VectorValue single(const ScalarStep& step, const std::string& address) {
    if (!step.is_mask) return entry_.loaded(address);
    const std::string names[4] = {entry_.name(), entry_.name(), entry_.name(), entry_.name()};
    entry_.line(join(names[0], " = load i8, i8* ", address));
    entry_.line(join(names[1], " = icmp ne i8 ", names[0], ", 0"));
    entry_.line(
        join(names[2], " = insertelement ", entry_.masks(), " undef, i1 ", names[1], ", i32 0"));
    entry_.line(join(names[3], " = shufflevector ", entry_.masks(), " ", names[2], ", ",
                     entry_.masks(), " undef, <", shape_.lanes(), " x i32> zeroinitializer"));
    return {names[3], true, true, std::nullopt};
  }

  bool write_step(StepText& out, std::size_t i, std::vector<VectorValue>& values) {
    const ScalarStep& step = program_.steps[i];
    if (step.op == ScalarOp::Conj || step.op == ScalarOp::Real) {
      values[i] = values[step.args[0]];
      return true;
    }
    std::vector<VectorValue> args;
    for (int a = 0; a < op::arity_of(step.op); ++a) {
      VectorValue arg = values[step.args[a]];
      const bool wanted = takes_mask(step.op, a);
      if (arg.is_mask != wanted)
        arg = *out.add(wanted ? ScalarOp::ToMask : ScalarOp::FromMask, {arg});
      args.push_back(std::move(arg));
    }
    std::optional<VectorValue> value = out.add(step.op, args);
    if (!value) return false;
    values[i] = std::move(*value);
    return true;
  }

  // Vectors of the result, step by step. The last, partial one is read and written under a mask;
  // its idle lanes hold a value of the others, which no function can trip over.
  bool write_varying(StepText& out, const std::vector<Place>& places) {
    std::vector<std::vector<VectorValue>> values(places.size(), values_);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (program_.steps[i].op != ScalarOp::Input || !values_[i].text.empty()) continue;
      for (std::size_t n = 0; n < places.size(); ++n) values[n][i] = load(out, i, places[n]);
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      for (std::size_t n = 0; n < places.size(); ++n) {
        if (values[n][i].text.empty() && !write_step(out, i, values[n])) return false;
      }
    }
    for (std::size_t n = 0; n < places.size(); ++n) store(out, values[n].back(), places[n]);
    return true;
  }

  std::string vector_address(StepText& out, const std::string& base, const std::string& type,
                             const Place& place) const {
    const std::string element = out.name();
    std::string address = out.name();
    out.line(
        join(element, " = getelementptr ", type, ", ", type, "* ", base, ", i64 ", place.index));
    out.line(join(address, " = bitcast ", type, "* ", element, " to <", shape_.lanes(), " x ", type,
                  ">*"));
    return address;
  }

  std::string suffix(bool bytes) const {
    const std::string one = bytes ? join("v", shape_.lanes(), "i8") : entry_.suffix();
    return join(one, ".p0", one);
  }

  int alignment(bool bytes) const { return bytes ? 1 : shape_.doubles ? 8 : 4; }

  VectorValue load(StepText& out, std::size_t i, const Place& place) {
    const ScalarStep& step = program_.steps[i];
    const std::string type = memory_type(step);
    const std::string vector = join("<", shape_.lanes(), " x ", type, ">");
    const bool partial = place.partial;
    const std::string address = vector_address(out, addresses_[i], type, place);
    const std::string idle = partial ? idle_lanes(out, type, addresses_[i]) : std::string();
    const std::string value = out.name();
    const int align = alignment(step.is_mask);
    if (partial) {
      const std::string function = join("@llvm.masked.load.", suffix(step.is_mask));
      out.declare(
          join(vector, " ", function, "(", vector, "*, i32, ", out.masks(), ", ", vector, ")"));
      out.line(join(value, " = call ", vector, " ", function, "(", vector, "* ", address, ", i32 ",
                    align, ", ", out.masks(), " %lanes, ", vector, " ", idle, ")"));
    } else {
      out.line(join(value, " = load ", vector, ", ", vector, "* ", address, ", align ", align));
    }
    if (!step.is_mask) return {value, false, false, std::nullopt};
    const std::string mask = out.name();
    out.line(join(mask, " = icmp ne ", vector, " ", value, ", zeroinitializer"));
    return {mask, true, false, std::nullopt};
  }

  std::string idle_lanes(StepText& out, const std::string& type, const std::string& base) const {
    const std::string vector = join("<", shape_.lanes(), " x ", type, ">");
    const std::string names[4] = {out.name(), out.name(), out.name(), out.name()};
    out.line(join(names[0], " = getelementptr ", type, ", ", type, "* ", base, ", i64 %last"));
    out.line(join(names[1], " = load ", type, ", ", type, "* ", names[0]));
    out.line(
        join(names[2], " = insertelement ", vector, " undef, ", type, " ", names[1], ", i32 0"));
    out.line(join(names[3], " = shufflevector ", vector, " ", names[2], ", ", vector, " undef, <",
                  shape_.lanes(), " x i32> zeroinitializer"));
    return names[3];
  }

  void store(StepText& out, const VectorValue& value, const Place& place) {
    const bool partial = place.partial;
    const std::string type = value.is_mask ? "i8" : out.element();
    const std::string vector = join("<", shape_.lanes(), " x ", type, ">");
    result_is_mask_ = value.is_mask;
    std::string written = value.text;
    if (value.is_mask) {
      written = out.name();
      out.line(join(written, " = zext ", out.masks(), " ", value.text, " to ", vector));
    }
    const std::string base = out.name();
    out.line(join(base, " = bitcast i8* %output to ", type, "*"));
    const std::string address = vector_address(out, base, type, place);
    const int align = alignment(value.is_mask);
    if (!partial && streams()) {
      const int bytes = shape_.wide ? 64 : 32;
      out.line(join("store ", vector, " ", written, ", ", vector, "* ", address, ", align ", bytes,
                    ", !nontemporal !0"));
      return;
    }
    if (!partial) {
      out.line(
          join("store ", vector, " ", written, ", ", vector, "* ", address, ", align ", align));
      return;
    }
    const std::string function = join("@llvm.masked.store.", suffix(value.is_mask));
    out.declare(join("void ", function, "(", vector, ", ", vector, "*, i32, ", out.masks(), ")"));
    out.line(join("call void ", function, "(", vector, " ", written, ", ", vector, "* ", address,
                  ", i32 ", align, ", ", out.masks(), " %lanes)"));
  }

  std::string functions(const StepText& whole, const StepText& rest) const {
    std::map<std::string, bool> all = entry_.declarations;
    all.insert(whole.declarations.begin(), whole.declarations.end());
    all.insert(rest.declarations.begin(), rest.declarations.end());
    std::string text = streams() ? "declare void @llvm.x86.sse.sfence()\n" : "";
    bool powers = false;
    for (const auto& [function, known] : all) {
      if (function.find(kPowerFunction) == std::string::npos) {
        const bool intrinsic = function.find("@llvm.") != std::string::npos;
        text += "declare " + function + (intrinsic ? "\n" : " nounwind readnone\n");
      } else {
        powers = true;
      }
    }
    if (!powers) return text;
    const std::string pow = vector_function(ScalarOp::Pow, shape_).name;
    const std::string v = entry_.vector();
    const std::string declaration = join(v, " @", pow, "(", v, ", ", v, ")");
    if (!all.contains(declaration)) text += "declare " + declaration + " nounwind readnone\n";
    return text + power_function(shape_);
  }

  static std::string head() {
    return join("define void @", kPlaceholder,
                "(i8** %inputs, i8* %attributes, i8* %output, i64 %begin, i64 %end) nounwind "
                "\"prefer-vector-width\"=\"512\" {\nentry:\n");
  }

  // Where groups of vectors and whole vectors end.
  std::string bounds(int together) const {
    return join("  %count = sub i64 %end, %begin\n  %whole = and i64 %count, ", -shape_.lanes(),
                "\n  %last = add i64 %begin, %whole\n  %groups = and i64 %count, ",
                -shape_.lanes() * together, "\n  %grouped = add i64 %begin, %groups\n");
  }

  // A loop from one place to another; `before` is the block that comes to it.
  std::string loop(const std::string& name, const std::string& before, const std::string& from,
                   const std::string& to, int vectors, const std::string& body) const {
    const std::string begin = name + ".begin", next = "%" + name + ".next", end = name + ".end";
    return join("  %", name, ".any = icmp slt i64 ", from, ", ", to, "\n  br i1 %", name,
                ".any, label %", begin, ", label %", end, "\n", begin, ":\n  %", name,
                " = phi i64 [ ", from, ", %", before, " ], [ ", next, ", %", begin, " ]\n", body,
                "  ", next, " = add i64 %", name, ", ", vectors * shape_.lanes(), "\n  %", name,
                ".more = icmp slt i64 ", next, ", ", to, "\n  br i1 %", name, ".more, label %",
                begin, ", label %", end, "\n", end, ":\n");
  }

  std::string tail(const std::string& body) const {
    const std::string lanes = join("<", shape_.lanes(), " x i32>");
    std::string numbers = "<i32 0";
    for (int i = 1; i < shape_.lanes(); ++i) numbers += join(", i32 ", i);
    return join(
        "  %left = sub i64 %end, %last\n  %some = icmp sgt i64 %left, 0\n"
        "  br i1 %some, label %tail, label %done\ntail:\n"
        "  %left32 = trunc i64 %left to i32\n  %left1 = insertelement ",
        lanes, " undef, i32 %left32, i32 0\n  %lefts = shufflevector ", lanes, " %left1, ", lanes,
        " undef, ", lanes, " zeroinitializer\n  %lanes = icmp ult ", lanes, " ", numbers,
        ">, %lefts\n", body, "  br label %done\ndone:\n",
        // Other threads see what was written past the caches.
        streams() ? "  call void @llvm.x86.sse.sfence()\n" : "", "  ret void\n}\n");
  }

  const op::ScalarProgram& program_;
  VectorShape shape_;
  std::uint32_t singles_;
  StepText entry_;
  bool result_is_mask_ = false;
  std::vector<VectorValue> values_;  // empty text: changes from vector to vector
  std::map<std::size_t, std::string> addresses_;
};

}  // namespace

std::uint64_t content_hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

KernelText kernel_text(const op::ScalarProgram& program, VectorShape shape, std::uint32_t singles) {
  KernelText result;
  if (program.steps.empty()) return result;
  result.text = Writer(program, shape, singles).run();
  if (result.text.empty()) return result;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::uint64_t hash = content_hash(result.text);
  result.symbol = "mycel_";
  for (int i = 0; i < 16; ++i, hash >>= 4U) result.symbol.push_back(kDigits[hash & 15U]);
  result.text.replace(result.text.find(kPlaceholder), kPlaceholder.size(), result.symbol);
  return result;
}

}  // namespace mycel::cpu::codegen
