// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/order_stages.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "data/pipeline/evaluate_stage.h"
#include "data/pipeline/step_error.h"

namespace mycel::data {

using platform::fail;

namespace {

// One child whose columns stay as they are.
class Passing : public Stage {
 public:
  Passing(StagePtr child, std::string name) : Stage({child}), name_(std::move(name)) {
    columns_ = child->columns();
    inherit_work(*child);
  }
  std::string name() const override { return name_; }
  std::int64_t rows_in_pass() const override { return child().rows_in_pass(); }

 private:
  std::string name_;
};

class Shuffle : public Passing {
 public:
  Shuffle(StagePtr child, std::int64_t size, std::uint64_t seed, bool same_every_pass)
      : Passing(std::move(child), "Shuffle"),
        size_(static_cast<std::size_t>(size)),
        seed_(seed),
        same_every_pass_(same_every_pass),
        generator_(seed),
        first_(seed) {}

  void begin() override {
    Passing::begin();
    window_.clear();
    is_filled_ = ended_ = false;
    if (same_every_pass_)
      generator_.seed(seed_);
    else if (is_cut())
      begin_with_own_numbers();
  }

  void close() override {
    window_.clear();
    Passing::close();
  }

  bool next(Row& row) override {
    while (!is_filled_ && window_.size() < size_ && pull()) {
    }
    is_filled_ = true;
    if (window_.empty()) return false;
    row = draw(window_);
    if (!row.items.empty()) charge(row);
    pull();
    return true;
  }

  // Which rows the window holds after that follows from the numbers alone; the others need not be
  // made.
  std::int64_t skip(std::int64_t rows) override {
    const std::int64_t total = is_filled_ ? -1 : child().find_rows_in_pass();
    if (total < 0) return Passing::skip(rows);
    std::vector<std::int64_t> places;
    std::int64_t pulled = std::min(total, static_cast<std::int64_t>(size_));
    for (std::int64_t place = 0; place < pulled; ++place) places.push_back(place);
    std::int64_t done = 0;
    for (; done < rows && !places.empty(); ++done) {
      draw(places);
      if (pulled < total) places.push_back(pulled++);
    }
    fill(places, pulled);
    return done;
  }

 private:
  // Every row draws one number, and the next pass goes on after the last row. Where not all rows
  // are drawn, it does so all the same; where nobody knows how many there are, each pass has
  // numbers of its own.
  void begin_with_own_numbers() {
    const std::uint64_t passes = pass() - pass_before_;
    if (passes > 0 && rows_before_ >= 0)
      first_.discard(passes * static_cast<unsigned long long>(rows_before_));
    else
      first_.seed(seed_ + pass() * 0x9E3779B97F4A7C15U);
    generator_ = first_;
    pass_before_ = pass();
    rows_before_ = child().rows_in_pass();
  }

  template <class T>
  T draw(std::vector<T>& window) {
    const std::size_t drawn = generator_() % window.size();
    T taken = std::move(window[drawn]);
    if (drawn + 1 != window.size()) window[drawn] = std::move(window.back());
    window.pop_back();
    return taken;
  }

  // The window with the rows of these places, of a child at its beginning, which then has given
  // `pulled` rows.
  void fill(const std::vector<std::int64_t>& places, std::int64_t pulled) {
    std::vector<std::size_t> slots(places.size());
    std::iota(slots.begin(), slots.end(), std::size_t{0});
    std::ranges::sort(slots, {}, [&](std::size_t slot) { return places[slot]; });
    window_.resize(places.size());
    std::int64_t at = 0;
    for (const std::size_t slot : slots) {
      child().skip(places[slot] - at);
      if (!child().next(window_[slot]))
        fail(ErrorKind::Runtime, "The files of a dataset have changed while they were read: row ",
             places[slot], " is no longer there.");
      window_[slot].charge.release();
      at = places[slot] + 1;
    }
    child().skip(pulled - at);
    is_filled_ = true;
  }

  // The window is what the user asked for, not work ahead: its rows are not charged.
  bool pull() {
    if (ended_) return false;
    window_.emplace_back();
    if (child().next(window_.back())) {
      window_.back().charge.release();
      return true;
    }
    window_.pop_back();
    ended_ = true;
    return false;
  }

  std::size_t size_;
  std::uint64_t seed_;
  bool same_every_pass_;
  std::mt19937_64 generator_;
  std::mt19937_64 first_;  // as it was when the pass was begun
  std::uint64_t pass_before_ = 0;
  std::int64_t rows_before_ = -1;  // of the pass before
  std::vector<Row> window_;
  bool is_filled_ = false;
  bool ended_ = false;
};

class Skip : public Passing {
 public:
  Skip(StagePtr child, std::int64_t count) : Passing(std::move(child), "Skip"), count_(count) {}
  void begin() override {
    Passing::begin();
    child().skip(count_);
  }
  bool next(Row& row) override { return child().next(row); }
  std::int64_t skip(std::int64_t rows) override { return child().skip(rows); }
  std::int64_t rows_in_pass() const override {
    const std::int64_t rows = child().rows_in_pass();
    return rows < 0 ? rows : std::max<std::int64_t>(rows - count_, 0);
  }

 private:
  std::int64_t count_;
};

class Take : public Passing {
 public:
  Take(StagePtr child, std::int64_t count) : Passing(child, "Take"), count_(count) {
    child->note_cut();
  }
  void begin() override {
    Passing::begin();
    left_ = count_;
  }
  bool next(Row& row) override {
    if (left_ == 0 || !child().next(row)) return false;
    --left_;
    return true;
  }
  std::int64_t skip(std::int64_t rows) override {
    const std::int64_t done = child().skip(std::min(rows, left_));
    left_ -= done;
    return done;
  }
  std::int64_t rows_in_pass() const override {
    const std::int64_t rows = child().rows_in_pass();
    return rows < 0 ? rows : std::min(rows, count_);
  }

 private:
  std::int64_t count_;
  std::int64_t left_ = 0;
};

class Repeat : public Passing {
 public:
  Repeat(StagePtr child, std::int64_t count) : Passing(std::move(child), "Repeat"), count_(count) {
    is_endless_ = is_endless_ || count < 0;
  }
  void begin() override {
    advance_pass();
    // However many passes of the time before were begun.
    if (count_ > 0) child().number_pass(pass() * static_cast<std::uint64_t>(count_));
    child().begin();
    left_ = count_ - 1;
    empty_ = true;
  }
  void number_pass(std::uint64_t number) override { number_own_pass(number); }
  bool next(Row& row) override {
    while (!child().next(row))
      if (!again()) return false;
    empty_ = false;
    return true;
  }
  std::int64_t skip(std::int64_t rows) override {
    std::int64_t done = child().skip(rows);
    empty_ = empty_ && done == 0;
    while (done < rows && again()) {
      const std::int64_t more = child().skip(rows - done);
      empty_ = more == 0;
      done += more;
    }
    return done;
  }
  std::int64_t rows_in_pass() const override { return -1; }  // passes of the child may differ

 private:
  bool again() {
    if (left_ == 0 || empty_) return false;  // what has no rows is not repeated for ever
    if (left_ > 0) --left_;
    child().begin();
    empty_ = true;
    return true;
  }
  std::int64_t count_;
  std::int64_t left_ = 0;
  bool empty_ = true;
};

class Concat : public Stage {
 public:
  Concat(std::vector<StagePtr> children, SamplerPtr sampler, std::vector<std::int64_t> sizes)
      : Stage(children), sampler_(std::move(sampler)), sizes_(std::move(sizes)) {
    columns_ = children[0]->columns();
    for (const StagePtr& child : children) {
      if (child->columns() != columns_)
        fail(ErrorKind::Runtime, "Invalid columns, 'column name' or 'column order' of concat ",
             "datasets should be the same.");
      if (sampler_ != nullptr) child->note_cut();
    }
  }
  std::string name() const override { return "Concat"; }

  void begin() override {
    Stage::begin();
    current_ = 0;
    given_ = 0;
    if (sampler_ == nullptr) return;
    std::int64_t total = 0;
    for (const std::int64_t size : sizes_) total += size;
    order_ = sampler_->next_pass(total);
    position_ = 0;
    passed_.assign(sizes_.size(), 0);
  }

  bool next(Row& row) override {
    if (sampler_ != nullptr) return next_sampled(row);
    while (!child(current_).next(row)) {
      if (current_ + 1 == child_count()) return false;
      ++current_;
    }
    row.ordinal = given_++;
    check(row);
    return true;
  }

 private:
  // The sampler's rows of each child come in rising order: what lies between is passed over.
  bool next_sampled(Row& row) {
    if (position_ == order_.size()) return false;
    std::int64_t at = order_[position_++];
    std::size_t from = 0;
    while (at >= sizes_[from]) at -= sizes_[from++];
    if (at < passed_[from])
      fail(ErrorKind::Runtime, "concat: the sampler of joined datasets must take rows in order.");
    child(from).skip(at - passed_[from]);
    passed_[from] = at + 1;
    if (!child(from).next(row)) return false;
    row.ordinal = sampler_->global_position(given_++);
    return true;
  }

  // Types and ranks of all children must be those of the first row.
  void check(const Row& row) {
    if (types_.empty()) {
      for (const Item& item : row.items) {
        types_.push_back(item.type_name());
        ranks_.push_back(item.shape().size());
      }
      return;
    }
    for (std::size_t i = 0; i < row.items.size() && i < types_.size(); ++i) {
      if (row.items[i].type_name() != types_[i])
        fail(ErrorKind::Runtime,
             "Invalid datatype, Concat: the data types of the two datasets to be ",
             "concatenated should be the same, but got: ", types_[i], " and ",
             row.items[i].type_name());
      if (row.items[i].shape().size() != ranks_[i])
        fail(ErrorKind::Runtime,
             "Invalid datatype, Concat: the data tensor rank of the two datasets ",
             "to be concatenated should be the same, but got: ", ranks_[i], " and ",
             row.items[i].shape().size());
    }
  }

  SamplerPtr sampler_;
  std::vector<std::int64_t> sizes_;
  RowNumbers order_;
  std::size_t position_ = 0;
  std::vector<std::int64_t> passed_;
  std::size_t current_ = 0;
  std::uint64_t given_ = 0;
  std::vector<std::string> types_;
  std::vector<std::size_t> ranks_;
};

class Zip : public Stage {
 public:
  explicit Zip(std::vector<StagePtr> children) : Stage(children) {
    std::set<std::string> seen;
    for (const StagePtr& child : children)
      for (const std::string& column : child->columns()) {
        if (!seen.insert(column).second)
          fail(ErrorKind::Runtime, "Invalid parameter, find duplicate column: the column '", column,
               "' already exists when zipping datasets.");
        columns_.push_back(column);
      }
    for (const StagePtr& child : children) child->note_cut();
  }
  std::string name() const override { return "Zip"; }
  bool next(Row& row) override {
    if (!child(0).next(row)) return false;
    for (std::size_t i = 1; i < child_count(); ++i) {
      Row beside;
      if (!child(i).next(beside)) return false;
      std::ranges::move(beside.items, std::back_inserter(row.items));
      row.bytes += beside.bytes;
      row.charge.add(std::move(beside.charge));
    }
    return true;
  }
};

class Rename : public Passing {
 public:
  Rename(StagePtr child, const Columns& before, const Columns& after)
      : Passing(std::move(child), "Rename") {
    const Columns old = columns_;
    for (std::size_t i = 0; i < before.size(); ++i)
      columns_[column_index(old, before[i], [](const std::string& column) {
        return "Invalid parameter, column to be renamed does not exist in the dataset columns: " +
               column;
      })] = after[i];
    if (std::set<std::string>(columns_.begin(), columns_.end()).size() != columns_.size())
      fail(ErrorKind::Runtime,
           "Invalid parameter, rename operation does not support rename one column ",
           "name into another already exist column name.");
  }
  bool next(Row& row) override { return child().next(row); }
  std::int64_t skip(std::int64_t rows) override { return child().skip(rows); }
};

class ProjectStep : public RowStep {
 public:
  explicit ProjectStep(std::vector<std::size_t> picked) : picked_(std::move(picked)) {}
  void run(Row& row, OutputMemory*) const override {
    Items items;
    for (const std::size_t column : picked_) items.push_back(row.items[column]);
    row.items = std::move(items);
  }

 private:
  std::vector<std::size_t> picked_;
};

class Project : public Passing {
 public:
  Project(StagePtr child, const Columns& columns) : Passing(std::move(child), "Project") {
    std::vector<std::size_t> picked;
    for (const std::string& column : columns)
      picked.push_back(column_index(columns_, column, [](const std::string& name) {
        return "Invalid column, column name: " + name + " does not exist.";
      }));
    columns_ = columns;
    step_ = std::make_unique<ProjectStep>(std::move(picked));
  }
  bool next(Row& row) override {
    if (!child().next(row)) return false;
    if (row.pending.empty()) {
      step_->run(row, nullptr);
      charge(row);
    } else {
      row.pending.push_back(step_.get());
    }
    return true;
  }
  std::int64_t skip(std::int64_t rows) override { return child().skip(rows); }

 private:
  std::unique_ptr<RowStep> step_;
};

class Filter : public Passing {
 public:
  Filter(StagePtr child, const Columns& inputs, Predicate predicate)
      : Passing(std::move(child), "Filter"), predicate_(std::move(predicate)) {
    for (const std::string& column : inputs.empty() ? columns_ : inputs)
      inputs_.push_back(column_index(columns_, column, [](const std::string& name) {
        return "Invalid parameter, column name: " + name +
               " does not exist in the dataset columns.";
      }));
  }
  bool next(Row& row) override {
    std::vector<const Item*> items(inputs_.size());
    while (child().next(row)) {
      for (std::size_t i = 0; i < inputs_.size(); ++i) items[i] = &row.items[inputs_[i]];
      try {
        if (predicate_(items)) return true;
      } catch (...) {
        rethrow_located("filter operation", row);
      }
    }
    return false;
  }
  std::int64_t rows_in_pass() const override { return -1; }

 private:
  Predicate predicate_;
  std::vector<std::size_t> inputs_;
};

class Gate : public Passing {
 public:
  Gate(StagePtr child, std::function<void()> before_row)
      : Passing(std::move(child), "SyncWait"), before_row_(std::move(before_row)) {}
  void prepare(Engine& engine) override {
    engine.look_ahead = false;
    Passing::prepare(engine);
  }
  bool next(Row& row) override {
    if (!child().next(row)) return false;  // the end of a pass uses up no permission
    before_row_();
    return true;
  }

 private:
  std::function<void()> before_row_;
};

}  // namespace

StagePtr shuffle_stage(StagePtr child, std::int64_t size, std::uint64_t seed,
                       bool same_every_pass) {
  // Functions of users see rows in the order of the source, not in the shuffled one.
  if (child->pending_python()) child = evaluated(std::move(child));
  return std::make_shared<Shuffle>(std::move(child), size, seed, same_every_pass);
}
StagePtr skip_stage(StagePtr child, std::int64_t count) {
  return std::make_shared<Skip>(std::move(child), count);
}
StagePtr take_stage(StagePtr child, std::int64_t count) {
  return std::make_shared<Take>(std::move(child), count);
}
StagePtr repeat_stage(StagePtr child, std::int64_t count) {
  return std::make_shared<Repeat>(std::move(child), count);
}
StagePtr concat_stage(std::vector<StagePtr> children, SamplerPtr sampler,
                      std::vector<std::int64_t> sizes) {
  for (StagePtr& child : children) child = evaluated(std::move(child));
  return std::make_shared<Concat>(std::move(children), std::move(sampler), std::move(sizes));
}
StagePtr zip_stage(std::vector<StagePtr> children) {
  for (StagePtr& child : children) child = evaluated(std::move(child));
  return std::make_shared<Zip>(std::move(children));
}
StagePtr project_stage(StagePtr child, const Columns& columns) {
  return std::make_shared<Project>(std::move(child), columns);
}
StagePtr rename_stage(StagePtr child, const Columns& before, const Columns& after) {
  return std::make_shared<Rename>(std::move(child), before, after);
}
StagePtr filter_stage(StagePtr child, const Columns& inputs, Predicate predicate) {
  return std::make_shared<Filter>(evaluated(std::move(child)), inputs, std::move(predicate));
}
StagePtr gate_stage(StagePtr child, std::function<void()> before_row) {
  return std::make_shared<Gate>(std::move(child), std::move(before_row));
}

}  // namespace mycel::data
