// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/trace.h"
#include "eager/interceptor.h"
#include "ir/graph.h"

namespace mycel::capture {

using platform::Ref;
using tensor::Storage;

// Compiles a finished graph; the pipeline of passes is chosen outside.
using Compiler = std::function<std::shared_ptr<runtime::Executable>(std::unique_ptr<ir::Graph>)>;

// Extends a trace by one run of the user's function. While it is installed, operators whose inputs
// are arguments, parameters or computed from them become nodes instead of being executed, and
// Python goes on with promises: tensors of known shape whose content does not exist yet. When
// Python looks into one, what was recorded so far is compiled and run; the look becomes a fork of
// the trace. So nothing that Python can do is beyond a capture, and the run that captures is also
// the run that computes.
class Recorder final : public eager::Interceptor, public tensor::StorageWatcher {
 public:
  // `run` is what a replay of the trace has computed before it met something new; those steps are
  // not run again.
  Recorder(Trace& trace, Trace::Run run, std::size_t argument_count, Compiler compile,
           std::function<ir::Position()> position, std::string name);
  virtual ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  Tensor argument(std::size_t i) const { return stand_ins_[i]; }
  // Looks into this tensor are forks, even if no operator reads it.
  void watch(const Tensor& parameter, std::string name = "");
  // Python that has to run in its place among the operators: printing.
  void host_call(std::string name, ir::HostFunction function, std::span<const Tensor> inputs);

  // The function has returned these tensors (those the capture knows; see `knows`).
  void finish(std::span<const Tensor> results, std::shared_ptr<void> epilogue);
  // Computes what is pending; from here on this run is ordinary eager execution.
  void abandon(std::string reason);
  // The function raised: effects that were recorded before it happen all the same.
  void fail();
  // Forgets what this run has recorded; nothing of it happens.
  void discard();

  // The graph that is being recorded, as far as it has come.
  std::string text() const;

  // This run adds no way to the trace: where it sees something new, it becomes ordinary eager
  // execution, and what is known stays.
  void follow_only() { may_grow_ = false; }
  // The same where a value has been seen in many forms; otherwise that ends the capture for good.
  void keep_when_crowded() { keeps_when_crowded_ = true; }
  bool has_left() const { return has_left_; }
  bool has_seen_new() const { return parent_ != nullptr || has_left_; }
  const ir::Position& first_new() const { return first_new_; }  // where that was

  bool is_active() const { return active_; }
  const std::string& refusal() const { return refusal_; }
  const Trace::Run& run() const { return run_; }
  Step& last_step() const { return *step_; }
  const std::vector<Tensor>& constants() const { return constants_; }
  const std::vector<Tensor>& parameters() const { return parameters_; }
  // -1: not a value of this run, or not in the form it was computed in.
  int place_of(const Tensor& tensor) const;
  bool knows(const Tensor& tensor) const;

  // Called before Python looks at a value of this run; may throw.
  std::function<void()> on_look;

  // For gradients that are recorded in one capture and walked in another (recorder_gradient.cc).
  // `stand_in` is read as `value`, a value of this run; false: that is none.
  bool adopt(const Tensor& stand_in, const Tensor& value);
  // What is read where it is (a Parameter) and has this storage; undefined: no such thing.
  Tensor reference(const Storage& storage) const;
  // All values of this run, arguments too, that somebody still refers to.
  std::vector<Tensor> live() const;

  // ---- for runs that are written down and made again for other sizes (script.h) ----

  struct Identity {
    std::size_t order = 0;  // no other storage of this run has the same
    Tensor reference;       // what is read where it is: this tensor
    std::string name;       // likewise
  };
  std::optional<Identity> identify(const Tensor& tensor) const;  // nothing: not of this run
  // From here on whatever would have to compute something is an error, until `finish`.
  void forbid_runs() { may_run_ = false; }
  // What is read where it is, with its names, in the order in which it was met.
  std::vector<std::pair<Tensor, std::string>> references() const;
  // What is known already, as a value that every run computes anew; its memory is its own.
  Tensor computed(const Tensor& constant);
  // The graph as `finish` would compile it; nothing is computed.
  const ir::Graph& draft();

  bool take(const op::OpDef& definition, std::span<Tensor> inputs,
            std::span<op::AttributeValue> attributes, std::span<const op::TensorSpec> specs,
            std::vector<Tensor>& outputs) override;
  void before_read(Storage& storage) override;

 private:
  enum class Kind { Promise, Value, Parameter, Stale };
  struct Entry {
    Ref<Storage> storage;  // empty for parameters: their owners must stay countable
    Tensor tensor;         // of parameters
    std::string name;      // likewise
    Kind kind = Kind::Promise;
    ir::Output output;                // in the current graph; empty until it is used there
    int place = -1;                   // of values: in the table
    const Storage* viewed = nullptr;  // of promises: what is read where it is and seen through it
    bool own_memory = false;          // stale ones: a tensor that was made while capturing
    std::size_t order = 0;
  };

  void begin_graph();
  Entry* find(const Storage& storage);
  const Entry* find(const Storage& storage) const;
  Entry& enter(Entry entry);
  bool is_dense_whole(const Tensor& tensor) const;
  bool is_ours(const Tensor& tensor) const;
  ir::Output operand(const Tensor& tensor);
  ir::Output constant(const Tensor& tensor);
  Tensor promise(const op::TensorSpec& spec, ir::Output output);
  void make_outputs(ir::Node& node, std::span<Tensor> inputs, std::vector<Tensor>& outputs);
  void run_dynamic(ir::Node& node, std::vector<Tensor>& outputs);
  std::string unfit(const op::OpDef& definition, std::span<const Tensor> inputs,
                    std::size_t outputs) const;
  bool concerns(const op::OpDef& definition, std::span<const Tensor> inputs,
                std::size_t outputs) const;
  void prepare_write(const Tensor& target);
  ir::Output copied(const ir::Output& output);
  void part_views(const Storage& storage);

  // Computes the current graph and makes values of what is still referred to.
  void close(std::span<const ir::Output> further = {});
  std::vector<Entry*> live_entries();
  void keep(Entry& entry, int place);
  void run_step(std::vector<ir::Output> results);
  void look(const Reading& reading);
  bool leaves_for(const Reading& reading);
  void note_refusal(std::string reason);
  void require_may_run(std::string_view why) const;
  void release();

  Trace& trace_;
  Trace::Run run_;
  Step* step_;
  Step* parent_ = nullptr;  // of a step that this run has added
  Compiler compile_;
  std::function<ir::Position()> position_;
  std::string name_;
  std::unique_ptr<ir::Graph> graph_;
  std::vector<int> graph_arguments_;
  std::unordered_map<const Storage*, Entry> entries_;
  std::unordered_map<const void*, ir::Output> constant_nodes_;
  std::vector<Tensor>
      copied_;  // tensors whose addresses are keys there, though the graph has copies
  std::vector<Tensor> stand_ins_, constants_, parameters_;
  std::size_t next_order_ = 0;
  std::size_t reached_ = 0;  // how far this run has come in the table
  std::uint32_t mark_before_ = 0;
  eager::Interceptor* interceptor_before_ = nullptr;
  bool active_ = true;
  bool busy_ = false;
  bool may_run_ = true;
  bool may_grow_ = true;
  bool keeps_when_crowded_ = false;
  bool has_left_ = false;
  ir::Position first_new_;
  std::string refusal_;
};

Recorder* current_recorder();  // of this thread; null: nothing is being captured

}  // namespace mycel::capture
