// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/trace.h"
#include "eager/gradient_call.h"
#include "eager/interceptor.h"
#include "ir/graph.h"

namespace mycel::capture {

using platform::Ref;
using tensor::Storage;

// Compiles a finished graph; the pipeline of passes is chosen outside.
using Compiler = std::function<std::shared_ptr<runtime::Executable>(std::unique_ptr<ir::Graph>)>;

// Extends the ways through the user's function by one run. While it is installed, operators whose
// inputs are arguments, tensors from outside or computed from them become nodes instead of being
// executed, and Python goes on with promises: tensors of known shape whose content does not exist
// yet. When Python looks into one, what was recorded so far is compiled and run; the look becomes a
// fork of the ways. So nothing that Python can do is beyond a capture, and the run that captures is
// also the run that computes.
//
// Tensors share memory as they do in eager execution: a view of a promise lies on the promise's
// storage. What a storage holds is one value of the graph, its views are derived from that, and a
// write through any of them gives the storage a new value (recorder_memory.cc). Arguments and
// tensors from outside are written where they are.
class Recorder final : public eager::Interceptor, public tensor::StorageWatcher {
 public:
  // `run` is what a replay has computed before it met something new; those steps are not run again.
  // Without ways it begins new ones. `arguments` are what the function was called with.
  Recorder(Run run, std::span<const Tensor> arguments, Compiler compile,
           std::function<ir::Position()> position, std::string name);
  virtual ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  Tensor argument(std::size_t i) const { return stand_ins_[i]; }
  // A tensor from outside: read and written where it is, and looks into it are forks, even if no
  // operator reads it.
  void watch(const Tensor& reference, std::string name = "");
  // Python that has to run in its place among the operators: printing.
  void host_call(std::string name, ir::HostFunction function, std::span<const Tensor> inputs);

  // ---- branches and loops as such (recorder_regions.cc) ----
  // What is computed until the next of these calls belongs to a part of the innermost one. Tensors
  // that were given out for a part, or computed in it, mean nothing after it. Any of them, and any
  // operator meanwhile, may throw Declined: then somebody has to drop the region.

  // A loop over these values; gives what stands for them in its condition.
  std::vector<Tensor> begin_loop(std::span<const Tensor> initial);
  // After the condition; gives what stands for them in a turn.
  std::vector<Tensor> begin_turn(const Tensor& condition);
  // After the turn, with the values for the next one; gives those after the last.
  std::vector<Tensor> end_loop(std::span<const Tensor> next);
  // A loop over the rows of tensors, all of which have so many: gives what stands for the values in
  // a turn, and a row of each. `made`: like what a turn makes.
  std::vector<Tensor> begin_scan(std::int64_t count, std::span<const Tensor> initial,
                                 std::span<const Tensor> rows, std::span<const Tensor> made);
  // After the turn; gives the values after the last one, and for each that turns make all its rows.
  std::vector<Tensor> end_scan(std::span<const Tensor> next, std::span<const Tensor> made);
  void begin_branch(const Tensor& condition);
  void begin_other_branch(std::span<const Tensor> results);  // of the branch so far
  std::vector<Tensor> end_branch(std::span<const Tensor> results);
  std::size_t region_depth() const { return regions_.size(); }
  // Tensors that a loop was given or has left: where it made no turn, or handed one on as two, they
  // would be the same memory. A later write into one, in the part of a region that is open now, is
  // Declined; where none is open, an error after which the run can start over without such loops.
  void note_shared(std::span<const Tensor> tensors);
  // In a region: whoever reads the memory of `stand_in`, a value of another region, reads `value`.
  void stand_for(const Tensor& stand_in, const Tensor& value);
  // Forgets the regions beyond this many, with all that was computed in them.
  void drop_regions(std::size_t depth);

  // The function has returned these tensors, of which it made or changed all (see `is_result`).
  // `since`: the publication of what a way that this run has added relies on.
  void finish(std::span<const Tensor> results, std::shared_ptr<const Epilogue> epilogue,
              std::uint64_t since = 0);
  // Computes what is pending; from here on this run is ordinary eager execution.
  void abandon(std::string reason);
  // The function raised: effects that were recorded before it happen all the same.
  void fail();
  // Forgets what this run has recorded; nothing of it happens.
  void discard();

  // The graph that is being recorded, as far as it has come.
  std::string text() const;

  // This run adds no way: where it sees something new, it becomes ordinary eager execution, and
  // what is known stays.
  void follow_only() { may_grow_ = false; }
  // The same where a value has been seen in many forms; otherwise that ends the capture for good.
  void keep_when_crowded() { keeps_when_crowded_ = true; }
  bool has_left() const { return has_left_; }
  bool has_seen_new() const { return fork_ != nullptr || has_left_; }
  const ir::Position& first_new() const { return first_new_; }  // where that was

  bool is_active() const { return active_; }
  // Something that was recorded could not be computed, later than eager execution would have said
  // so, and nothing has happened that must not happen twice.
  bool can_start_over() const { return failure_ != nullptr && !run_.has_effects; }
  const std::string& refusal() const { return refusal_; }
  const Run& run() const { return run_; }
  const Step& last_step() const { return *step_; }
  const std::vector<int>& graph_arguments() const { return graph_arguments_; }  // in the table
  const WrittenMemory& memory() const { return memory_; }
  const std::vector<Tensor>& parameters() const { return parameters_; }
  bool has_written_arguments() const { return !memory_.written_arguments.empty(); }
  // A value of this run, or a view of a tensor from outside; what existed before is neither.
  bool is_result(const Tensor& tensor) const;
  // A value of this run.
  bool knows(const Tensor& tensor) const;
  // Nobody had it before this run.
  bool is_made_here(const Tensor& tensor) const;
  // Makes a value of a tensor that was made while capturing, so that it can be a result. False: it
  // was there before.
  bool take_over(const Tensor& tensor);

  // Called before Python looks at a value of this run; may throw.
  std::function<void()> on_look;
  // Called when a look has made the ways longer.
  std::function<void()> on_growth;

  // For gradients that are recorded in one capture and walked in another (recorder_gradient.cc).
  // `stand_in` is read as `value`, a value of this run; false: that is none.
  bool adopt(const Tensor& stand_in, const Tensor& value);
  // What is read where it is and has this storage; undefined: no such thing.
  Tensor reference(const Storage& storage) const;
  // All that a storage of this run holds.
  Tensor whole(const Tensor& tensor) const;
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
  // `finish` compiles and computes nothing: what it gives out has no content.
  void compute_nothing() { computes_ = false; }
  // What is read where it is, with its names, in the order in which it was met.
  std::vector<std::pair<Tensor, std::string>> references() const;
  // The graph as `finish` would compile it; nothing is computed.
  ir::Graph& draft();
  // The same for somebody who keeps it; nothing but `discard` comes after it.
  std::unique_ptr<ir::Graph> take_draft();

  bool take(const op::OpDef& definition, std::span<Tensor> inputs,
            std::span<op::AttributeValue> attributes, std::span<const op::TensorSpec> specs,
            std::vector<Tensor>& outputs) override;
  Ref<Storage> content_now(Storage& storage) override;
  void before_read(Storage& storage, const tensor::TensorBody* window) override;
  Tensor readable(const Tensor& tensor) override;
  const op::Origin& last_origin() const override { return last_origin_; }

 private:
  // Gone: of a part of a region that has ended.
  enum class Kind { Promise, Value, Argument, Reference, Stale, Gone };
  struct WindowHash {
    std::size_t operator()(const Window& window) const;
  };
  // What is known about the content of one storage.
  struct Entry {
    Ref<Storage> storage;  // empty for references
    Tensor tensor;         // of references
    std::string name;      // likewise
    Kind kind = Kind::Promise;
    op::TensorSpec spec;      // of the content as one dense tensor
    std::int64_t first = 0;   // element of the storage with which that begins
    ir::Output output;        // in the current graph; empty until it is used there
    ir::Output memory;        // of memory: where it enters the graph, whatever is written later
    int place = -1;           // of values and arguments: in the table
    bool own_memory = false;  // stale ones: a tensor that was made while capturing
    std::size_t order = 0;
    std::size_t writes = 0;
    bool is_seen = false;  // values: what Python has seen is part of the way
    // Parts that were read or written, as they were after so many writes.
    std::unordered_map<Window, std::pair<ir::Output, std::size_t>, WindowHash> parts;

    // Its memory is there before the graph runs, and is written in place.
    bool is_memory() const { return kind == Kind::Argument || kind == Kind::Reference; }
  };

  void begin_graph();
  Entry* find(const Storage& storage);
  const Entry* find(const Storage& storage) const;
  Entry& enter(Entry entry);
  Entry entry_for_reference(const Tensor& reference, std::string name) const;
  ir::Output constant(const Tensor& tensor);
  op::Origin origin_here() const;  // of what is recorded now
  ir::Node& add(const op::OpDef& definition, std::vector<ir::Output> operands,
                op::AttributeList attributes, std::vector<op::TensorSpec> types);
  ir::Output copied(const ir::Output& output);
  Tensor promise(const op::TensorSpec& spec, ir::Output output);
  void run_dynamic(ir::Node& node, std::vector<Tensor>& outputs);
  std::string unfit(const op::OpDef& definition, std::span<const Tensor> inputs) const;
  bool concerns(const op::OpDef& definition, std::span<const Tensor> inputs,
                std::size_t outputs) const;
  bool is_of_this_run(const Storage& storage) const;

  // ---- memory (recorder_memory.cc) ----
  // The part of an entry's content that a tensor shows; nothing: all of it.
  static std::optional<Window> part_of(const Entry& entry, const Tensor& tensor);
  ir::Output operand(const Tensor& tensor);
  ir::Output content(Entry& entry);
  ir::Output part(Entry& entry, const Window& window);
  bool take_view(const op::OpDef& definition, const Tensor& input,
                 std::span<op::AttributeValue> attributes, std::span<const op::TensorSpec> specs,
                 std::vector<Tensor>& outputs);
  void prepare_write(const Tensor& target);
  ir::Output writable(const Tensor& target);
  void written(const Tensor& target, ir::Output value);
  // Why a write to this memory cannot be recorded; empty: it can.
  std::string conflict(const Tensor& memory, const Entry* entry) const;
  void note_written(const Entry& entry);

  // ---- regions (recorder_regions.cc) ----
  // How often what gradients go to was written into memory from outside, by storage.
  using WritesBefore = std::unordered_map<const Storage*, std::uint32_t>;
  struct BranchTape;
  // A loop that a gradient may go through: its values before it and in a turn, and the tape of
  // that.
  struct TurnTape {
    std::vector<Tensor> initial, given;
    WritesBefore writes;
    std::unique_ptr<eager::GradientCall> call;
    std::vector<std::size_t> watched;  // loop values that it watches
    // Rows of tensors that gradients go to: it watches these after the loop values.
    struct Scanned {
      Tensor rows, row;
    };
    std::vector<Scanned> scanned;
    struct Made {
      std::size_t value = 0;  // the loop value that it becomes a row of
      Tensor row;
    };
    std::vector<Made> made;
  };
  using SharedMemory = std::unordered_map<const Storage*, Ref<Storage>>;  // see note_shared
  struct OpenRegion {
    ir::Node* owner = nullptr;
    std::size_t part = 0;
    std::size_t first_order = 0;  // entries from here on are its own
    std::uint32_t mark_before = 0;
    std::uint32_t mark = 0;              // of what is made in it
    std::vector<Tensor> state;           // of a loop over rows, in a turn
    std::unique_ptr<TurnTape> tape;      // of a loop
    std::shared_ptr<BranchTape> branch;  // of a decision
    SharedMemory shared = {};
    ir::Region& region() const { return owner->region(part); }
  };
  ir::Region& region() const;         // where nodes are added
  ir::Node* outermost_owner() const;  // parameters and constants stand before it
  void decline_in_region(std::string_view why) const;
  static void require_not_gone(const Entry& entry);
  void require_writable_here(const Entry& entry) const;
  void require_made_in_turn(const Storage& storage) const;
  void require_not_shared(const Storage& storage);
  void require_can_open() const;
  OpenRegion& innermost(ir::NodeKind kind, std::size_t part);
  std::vector<ir::Output> region_operands(std::span<const Tensor> tensors);
  std::vector<Tensor> stand_ins(ir::Region& region, std::span<const op::TensorSpec> types);
  void open(ir::Node& owner);
  void leave_part();
  std::vector<Tensor> close_region();

  // ---- loops over rows (recorder_scans.cc) ----
  Tensor blank(const op::TensorSpec& spec);

  // ---- gradients of loops (recorder_loops.cc) ----
  struct TurnGradient;
  void begin_tape(std::span<const Tensor> given);
  // Settles what the innermost loop has to keep for its gradient, and adds that to the results of a
  // turn; null: no gradient goes through it.
  std::shared_ptr<TurnGradient> settle_tape(std::span<const Tensor> next,
                                            std::vector<ir::Output>& results);
  bool settle_slots(TurnGradient& turn, std::span<const Tensor> next);
  static void settle_scan(TurnGradient& turn, const std::vector<bool>& live,
                          const std::vector<std::vector<bool>>& sources);
  struct KeptValue;
  class Recipe;
  void collect_kept(TurnGradient& turn, std::vector<ir::Output>& results);
  static void settle_given(std::vector<KeptValue>& values, KeptValue& value,
                           const ir::Output& next);
  static void attach(TurnGradient& turn, std::vector<Tensor>& results);
  void begin_mark();

  // ---- gradients of decisions (recorder_branches.cc) ----
  void begin_branch_tape(const Tensor& condition);
  void settle_side(std::span<const Tensor> results, std::vector<ir::Output>& outputs);
  void drop_empty_log(ir::Node& owner);
  static void attach(BranchTape& tape, std::vector<Tensor>& results);

  // ---- gradients of either (recorder_gradient.cc) ----
  static bool has_gradient(tensor::DType dtype);
  static eager::Edge edge_of(const Tensor& tensor);
  // Declined where a region cannot keep values for a gradient.
  void require_can_keep() const;
  // A write that changes where gradients of memory go would do so for one side or turn alone.
  WritesBefore recorded_writes() const;
  void require_no_recorded_writes(const WritesBefore& before) const;
  struct SavedValue {
    Tensor tensor;
    ir::Output output;
  };
  // Values of the innermost region that a tape of it has saved, each once.
  std::vector<SavedValue> saved_here(const eager::GradientCall& call,
                                     std::span<const Tensor> results);
  struct WantedGradient {
    std::size_t watched = 0;
    op::TensorSpec spec;
  };
  // Whatever may stand in the way of the gradient of the innermost region is found now, while it
  // can still be left.
  void try_walk(eager::GradientCall& call, std::span<const Tensor> results,
                std::span<const WantedGradient> wanted);

  // Computes the current graph and makes values of what is still referred to.
  void close(std::span<const ir::Output> further = {});
  std::vector<Entry*> live_entries();
  void keep(Entry& entry, int place);
  void run_step(std::vector<ir::Output> results);
  void follow_step(std::span<const Entry* const> live, std::size_t results);
  void require_as_before(bool is_so) const;
  Place place_of(const Tensor& tensor) const;
  // Python may have written into memory that it was given: NumPy arrays share it. What was recorded
  // is then computed for the content there was, and this run goes on without being recorded.
  bool settle_lent();
  void lend(Tensor shown, Tensor copied_from);
  bool is_lent(const Storage& storage) const;
  bool is_own_step() const { return begins_ways_ || fork_ != nullptr; }
  void look(const Reading& reading);
  void grow(Reading reading);
  bool leaves_for(const Reading& reading);
  void note_refusal(std::string reason);
  void require_may_run(std::string_view why) const;
  void require_sound() const;
  void release();

  Run run_;
  WrittenMemory memory_;  // of this run
  Step* step_;
  Step* fork_ = nullptr;          // where this run has left the known ways
  std::string fork_seen_;         // for having seen this
  std::unique_ptr<Step> branch_;  // its steps since, which nobody else knows yet
  bool begins_ways_;
  Compiler compile_;
  std::function<ir::Position()> position_;
  std::string name_;
  op::Origin last_origin_;  // of the last call that was taken
  bool is_taking_ = false;  // one of it
  std::unique_ptr<ir::Graph> graph_;
  std::size_t fingerprint_ = 0;  // of the graph
  std::vector<int> graph_arguments_;
  std::vector<OpenRegion> regions_;
  SharedMemory shared_;  // outside of all of these
  std::unordered_map<const Storage*, Entry> entries_;
  std::unordered_map<const void*, ir::Output> constant_nodes_;
  std::vector<Tensor>
      copied_;  // tensors whose addresses are keys there, though the graph has copies
  std::vector<Tensor> given_, stand_ins_, parameters_;
  device::Device device_;  // where all of it is computed
  struct Lent {
    Tensor shown;        // what Python has; on a storage of its own that holds these bytes
    Tensor copied_from;  // defined: it has a copy of this
    std::string content;
    const Storage* storage = nullptr;  // that it was read from
  };
  std::vector<Lent> lent_;
  std::string seen_;  // by the last look
  std::size_t next_order_ = 0;
  std::size_t reached_ = 0;     // how far this run has come in the table
  std::size_t steps_done_ = 0;  // and in the steps
  std::size_t looks_done_ = 0;  // and in what was seen
  std::size_t new_steps_ = 0;   // that this run has added
  std::uint32_t mark_before_ = 0;
  std::vector<std::uint32_t> marks_;  // of what is made while this run is recorded
  eager::Interceptor* interceptor_before_ = nullptr;
  bool active_ = true;
  bool busy_ = false;
  bool may_run_ = true;
  bool computes_ = true;
  bool may_grow_ = true;
  bool keeps_when_crowded_ = false;
  bool has_left_ = false;
  std::exception_ptr failure_;  // of what was computed: Python may not go on as if nothing were
  ir::Position first_new_;
  std::string refusal_;
};

Recorder* current_recorder();  // of this thread; null: nothing is being captured

}  // namespace mycel::capture
