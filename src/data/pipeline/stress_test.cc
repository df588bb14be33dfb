// SPDX-License-Identifier: Apache-2.0
// Random pipelines with random delays, read and ended in every way there is, beside the same
// pipeline on one thread. Runs a moment; MYCEL_STRESS_SECONDS=3600 runs an hour, and
// MYCEL_STRESS_SEED begins with the round that a failure has named.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/pipeline/batch_stage.h"
#include "data/pipeline/bucket_stage.h"
#include "data/pipeline/evaluate_stage.h"
#include "data/pipeline/many_rows.h"
#include "data/pipeline/map_stage.h"
#include "data/pipeline/order_stages.h"
#include "data/pipeline/row_stream.h"
#include "data/pipeline/source_stages.h"
#include "data/pipeline/watch_stage.h"
#include "data/record/record_source.h"
#include "data/record/record_writer.h"
#include "data/source/array_source.h"
#include "platform/options/options.h"

namespace mycel::data {
namespace {

using std::chrono::microseconds;
using Clock = std::chrono::steady_clock;

// Stands for the interpreter's lock: readers have it but while they wait, user code needs it, and
// so do objects that go. A thread may take it again, and gives it back as a whole where it waits.
class Interpreter {
 public:
  void lock() {
    if (depth_++ == 0) mutex_.lock();
  }
  void unlock() {
    if (--depth_ == 0) mutex_.unlock();
  }
  void after_fork() {
    new (&mutex_) std::mutex;
    if (depth_ > 0) mutex_.lock();
  }

  class Released {
   public:
    explicit Released(Interpreter& from) : from_(from), depth_(std::exchange(from.depth_, 0)) {
      if (depth_ > 0) from_.mutex_.unlock();
    }
    ~Released() {
      if (depth_ > 0) from_.mutex_.lock();
      from_.depth_ = depth_;
    }
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;

   private:
    Interpreter& from_;
    int depth_;
  };

 private:
  std::mutex mutex_;
  static thread_local int depth_;
};
thread_local int Interpreter::depth_ = 0;
Interpreter interpreter;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(limit));
  }
  bool happens(int percent) { return below(100) < percent; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + below(static_cast<std::int64_t>(values.size())));
  }

 private:
  std::mt19937_64 engine_;
};

// What disturbs a run; nothing of it is in the run that says what is right.
struct Disturbance {
  int delays = 0;                              // of how many calls in a thousand
  std::function<void(std::int64_t)> at_value;  // user code sees the values of rows

  void delay() const {
    if (delays == 0) return;
    thread_local Random random(std::hash<std::thread::id>()(std::this_thread::get_id()));
    if (random.below(1000) >= delays) return;
    switch (random.below(3)) {
      case 0: std::this_thread::yield(); break;
      case 1: std::this_thread::sleep_for(microseconds(random.below(300))); break;
      default:
        for (const auto end = Clock::now() + microseconds(random.below(50)); Clock::now() < end;) {
        }
    }
  }
};

// A part of the pipeline of which the seed knows how it behaves.
struct Habits {
  std::int64_t payload = 0;  // bytes
  bool is_user_code = false;
  std::int64_t fails_at = -1;  // value
  const Disturbance* disturbance = nullptr;

  void run(std::int64_t value) const {
    std::unique_lock<Interpreter> lock;
    if (is_user_code) lock = std::unique_lock(interpreter);
    if (disturbance->at_value) disturbance->at_value(value);
    disturbance->delay();
    if (value == fails_at) platform::fail(ErrorKind::Runtime, "value ", value, " is bad");
  }
};

class Object : public ForeignObject {
 public:
  ~Object() override { const std::lock_guard lock(interpreter); }
  std::string type_name() const override { return "Object"; }
};

Item number(std::int64_t value) { return Item::scalar(value, DType::Int64); }

Item payload(std::int64_t value, std::int64_t bytes) {
  Tensor made = Tensor::empty({bytes}, DType::UInt8);
  if (bytes > 0)
    static_cast<unsigned char*>(made.raw())[bytes - 1] = static_cast<unsigned char>(value);
  return made;
}

std::int64_t first_number(const Item& item) {
  return static_cast<const std::int64_t*>(item.array().raw())[0];
}

class TestSource : public IndexedSource, public ManyRowSource {
 public:
  TestSource(std::int64_t rows, Habits habits) : rows_(rows), habits_(habits) {}
  std::vector<std::string> columns() const override { return {"x", "p"}; }
  std::int64_t rows() const override { return rows_; }
  bool uses_python() const override { return habits_.is_user_code; }
  std::shared_ptr<void> hold() const override {
    if (!habits_.is_user_code) return nullptr;
    return std::make_shared<std::unique_lock<Interpreter>>(interpreter);
  }
  void load(std::int64_t row, LoadedRow& out) const override {
    habits_.run(row);
    out.items = {number(row), payload(row, habits_.payload)};
  }
  void load_all(std::span<const std::int64_t> rows, std::span<Items> items,
                std::span<std::exception_ptr> failures) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) try {
        LoadedRow loaded;
        load(rows[i], loaded);
        items[i] = std::move(loaded.items);
      } catch (...) {
        failures[i] = std::current_exception();
      }
  }

 private:
  std::int64_t rows_;
  Habits habits_;
};

// The same without the questions for many rows.
class PlainSource : public IndexedSource {
 public:
  PlainSource(std::int64_t rows, Habits habits) : source_(rows, habits) {}
  std::vector<std::string> columns() const override { return source_.columns(); }
  std::int64_t rows() const override { return source_.rows(); }
  bool uses_python() const override { return source_.uses_python(); }
  std::shared_ptr<void> hold() const override { return source_.hold(); }
  void load(std::int64_t row, LoadedRow& out) const override { source_.load(row, out); }

 private:
  TestSource source_;
};

// Rows of an iterator, read by whoever pulls.
class Iterated : public Stage {
 public:
  Iterated(std::int64_t rows, Habits habits) : Stage({}), rows_(rows), habits_(habits) {
    columns_ = {"x", "p"};
    calls_users_in_order_ = true;
  }
  std::string name() const override { return "Iterated"; }
  void begin() override {
    Stage::begin();
    at_ = 0;
  }
  bool next(Row& row) override {
    if (at_ == rows_) return false;
    habits_.run(at_);
    row = Row();
    row.items = {number(at_), payload(at_, habits_.payload)};
    row.pass = pass();
    row.ordinal = static_cast<std::uint64_t>(at_);
    row.index = at_++;
    charge(row);
    return true;
  }

 private:
  std::int64_t rows_;
  Habits habits_;
  std::int64_t at_ = 0;
};

// Another number of every element, by the row's random numbers.
class Mix : public Transform {
 public:
  explicit Mix(Habits habits) : habits_(habits) {}
  std::string name() const override { return "Mix"; }
  bool is_random() const override { return true; }
  bool uses_python() const override { return habits_.is_user_code; }
  std::shared_ptr<void> hold() const override {
    if (!habits_.is_user_code) return nullptr;
    return std::make_shared<std::unique_lock<Interpreter>>(interpreter);
  }
  void apply(Items& items, TransformContext& context) const override {
    const Tensor before = items[0].array();
    if (before.size() == 0) return;
    habits_.run(first_number(items[0]));
    Tensor made = context.output(DType::Int64, before.shape());
    for (std::int64_t i = 0; i < before.size(); ++i)
      made.data<std::int64_t>()[i] =
          (before.data<std::int64_t>()[i] * 31 + context.random.integer(0, 9)) % 1'000'003;
    items[0] = made;
  }

 private:
  Habits habits_;
};

class RemoteMix : public Mix, public ManyRowTransform {
 public:
  using Mix::Mix;
  void apply_all(std::span<Items> rows, std::span<RowRandom> random,
                 std::span<std::exception_ptr> failures) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) try {
        TransformContext context{random[i]};
        apply(rows[i], context);
      } catch (...) {
        failures[i] = std::current_exception();
      }
  }
};

// Text or bytes to the number they begin with; other files become sources like all others.
class ToNumber : public Transform {
 public:
  std::string name() const override { return "ToNumber"; }
  void apply(Items& items, TransformContext&) const override {
    const std::string text(items[0].text().values.front().substr(0, 20));
    const std::int64_t value = std::strtoll(text.c_str(), nullptr, 10);
    items = {number(value), payload(value, 16)};
  }
};

// Puts an object into the row that the interpreter must free.
class AddObject : public Transform {
 public:
  std::string name() const override { return "AddObject"; }
  bool uses_python() const override { return true; }
  void apply(Items& items, TransformContext&) const override {
    items = {items[0], Ref<ForeignObject>(new Object)};
  }
};

StagePtr mapped(StagePtr child, TransformPtr transform, bool in_order, BadRows bad = BadRows::Raise,
                Columns inputs = {}, Columns outputs = {}) {
  const MapColumns columns(child->columns(), inputs, outputs);
  return map_stage(std::move(child), transform_step(columns, listed({std::move(transform)}), 7),
                   columns, {"map", bad, in_order});
}

// Files all rounds share.
class Files {
 public:
  Files() {
    folder_ = std::filesystem::temp_directory_path() / ("stress_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream lines(lines_path());
    for (int i = 0; i < kRows; ++i) lines << i << " and more\n";
    RecordHeader header;
    header.schema = RecordSchema::from_json(parse_json(R"({"data":{"type":"bytes"}})", "schema"));
    header.header_size = kMinHeaderBytes;
    header.page_size = kMinPageBytes;
    const auto writer = RecordWriter::create({record_path()}, true, header, true);
    std::vector<EncodedRow> rows;
    for (int i = 0; i < kRows; ++i) {
      const std::string text = std::to_string(i) + std::string(1000, ' ');
      const std::vector<FieldValue> values{std::string_view(text)};
      rows.push_back(encode_row(header.schema, values, 3));
    }
    writer->write(rows);
    writer->finish();
    writer->publish();
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  std::string lines_path() const { return (folder_ / "lines").string(); }
  std::string record_path() const { return (folder_ / "record").string(); }
  static constexpr int kRows = 60;

 private:
  std::filesystem::path folder_;
};

// A pipeline as the seed says it. Made twice, it is the same.
class Builder {
 public:
  Builder(std::uint64_t seed, const Files& files, const Disturbance& disturbance)
      : random_(seed), files_(files), disturbance_(disturbance) {
    payload_ = random_.one_of<std::int64_t>({0, 100, 10'000, 300'000});
    rows_ = 1 + random_.below(payload_ > 100'000 ? 12 : 60);
    fails_at_ = random_.happens(25) ? random_.below(2 * rows_) : -1;
  }

  StagePtr pipeline() {
    StagePtr stage = source();
    for (std::int64_t count = random_.below(5); count > 0; --count) stage = with_more(stage);
    return stage;
  }
  const std::string& text() const { return text_; }
  bool holds_rows() const { return holds_rows_; }  // beside work ahead

 private:
  Habits habits(bool user_code, bool may_fail = true) {
    return {payload_, user_code, may_fail ? fails_at_ : -1, &disturbance_};
  }
  void note(const std::string& part) { text_ += " " + part; }

  StagePtr indexed(IndexedSourcePtr source, bool in_order) {
    SamplerPtr sampler =
        random_.happens(50) ? sequential_sampler(0, 0) : random_sampler(5, false, 0, true);
    return std::make_shared<IndexedStage>("source", std::move(source), sampler, in_order);
  }

  StagePtr source() {
    const std::int64_t kind = random_.below(7);
    note("source" + std::to_string(kind) + "(" + std::to_string(rows_) + ")");
    switch (kind) {
      case 0: return indexed(std::make_shared<PlainSource>(rows_, habits(false)), false);
      case 1: return indexed(std::make_shared<PlainSource>(rows_, habits(true)), true);
      case 2: return indexed(std::make_shared<PlainSource>(rows_, habits(true)), false);
      case 3: return indexed(std::make_shared<TestSource>(rows_, habits(false)), false);
      case 4: return std::make_shared<Iterated>(rows_, habits(true));
      case 5: return from_lines();
      default: return random_.happens(50) ? from_record() : from_memory();
    }
  }

  StagePtr from_lines() {
    Parameters parameters;
    parameters.set("files", Strings{files_.lines_path(), files_.lines_path()});
    parameters.set("dataset", std::string("Lines"));
    parameters.set("what", std::string("file"));
    StagePtr stage = std::make_shared<FileStage>("lines", open_file_source("TextLines", parameters),
                                                 FileStageOptions{});
    return mapped(std::move(stage), std::make_shared<ToNumber>(), false, BadRows::Raise, {"text"},
                  {"x", "p"});
  }

  StagePtr from_record() {
    Parameters parameters;
    parameters.set("files", Strings{files_.record_path()});
    StagePtr stage = indexed(MindRecordSource::open(parameters), false);
    return mapped(std::move(stage), std::make_shared<ToNumber>(), false, BadRows::Raise, {"data"},
                  {"x", "p"});
  }

  StagePtr from_memory() {
    Tensor numbers = Tensor::empty({rows_}, DType::Int64);
    for (std::int64_t i = 0; i < rows_; ++i) numbers.data<std::int64_t>()[i] = i;
    Tensor bytes = Tensor::empty({rows_, 8}, DType::UInt8);
    std::memset(bytes.raw(), 1, bytes.bytes());
    return indexed(array_source({"x", "p"}, {MemoryColumn(numbers), MemoryColumn(bytes)}), false);
  }

  StagePtr with_more(StagePtr stage) {
    const std::int64_t kind = random_.below(14);
    note(std::to_string(kind));
    switch (kind) {
      case 0: return mapped(stage, std::make_shared<Mix>(habits(false)), false);
      case 1: return mapped(stage, std::make_shared<Mix>(habits(true)), true);
      case 2: return mapped(stage, std::make_shared<Mix>(habits(true)), false);
      case 3: return mapped(stage, std::make_shared<RemoteMix>(habits(false)), false);
      case 4: holds_rows_ = true; return shuffle_stage(stage, 2 + random_.below(9), 3, false);
      case 5: return skip_stage(stage, random_.below(5));
      case 6: return take_stage(stage, 1 + random_.below(rows_));
      case 7: return repeat_stage(stage, 1 + random_.below(3));
      case 8: return filtered(stage);
      case 9: return zipped(stage);
      case 10: return with_bad_rows(stage);
      case 11: return watched(stage);
      case 12: return endless(stage);
      default: return batched(stage);
    }
  }

  StagePtr filtered(StagePtr stage) {
    return filter_stage(std::move(stage), {"x"}, [one = habits(true, false)](const auto& items) {
      if (items[0]->array().size() == 0) return true;
      one.run(first_number(*items[0]));
      return first_number(*items[0]) % 5 != 0;
    });
  }

  StagePtr zipped(StagePtr stage) {
    const std::string suffix = std::to_string(++zips_);
    StagePtr other = std::make_shared<Iterated>(rows_, habits(true, false));
    if (random_.happens(50))
      other = indexed(std::make_shared<PlainSource>(rows_, habits(false, false)), false);
    return zip_stage({std::move(stage),
                      rename_stage(std::move(other), {"x", "p"}, {"x" + suffix, "p" + suffix})});
  }

  StagePtr endless(StagePtr stage) {
    stage = repeat_stage(std::move(stage), -1);
    // Not by a stage that may drop all rows there are, again and again.
    if (random_.happens(50))
      stage = random_.happens(50) ? batched(std::move(stage))
                                  : mapped(std::move(stage), std::make_shared<Mix>(habits(true)),
                                           random_.happens(50));
    return take_stage(std::move(stage), 1 + random_.below(3 * rows_));
  }

  StagePtr with_bad_rows(StagePtr stage) {
    holds_rows_ = true;
    Habits one = habits(random_.happens(50), false);
    one.fails_at = random_.below(rows_);
    return mapped(std::move(stage), std::make_shared<Mix>(one), false,
                  random_.happens(50) ? BadRows::Skip : BadRows::Replace);
  }

  StagePtr watched(StagePtr stage) {
    Watcher watcher{
        [one = habits(true, false)](WatchEvent, const WatchPosition& at) { one.run(at.step); },
        true, random_.happens(20)};
    if (random_.happens(50))
      stage = mapped(watch_begins(std::move(stage), watcher), std::make_shared<AddObject>(), false,
                     BadRows::Raise, {"x"}, {"x", "o" + std::to_string(++objects_)});
    return watch_ends(std::move(stage), watcher);
  }

  StagePtr batched(StagePtr stage) {
    BatchOptions batch;
    batch.size = random_.one_of<std::int64_t>({1, 2, 3, 7, 20});
    batch.drop_remainder = random_.happens(30);
    batch.objects = [](const std::vector<const Item*>&) -> Item {
      return Ref<ForeignObject>(new Object);
    };
    if (random_.happens(30)) {
      batch.input_columns = {"x"};
      batch.serial_function = random_.happens(50);
      batch.function = [one = habits(true, false)](std::vector<Items>& columns,
                                                   const BatchNumber& at) {
        one.run(at.batch);
        return BatchFunctionResult{columns, false};
      };
    } else if (random_.happens(30)) {
      batch.pad_all = true;
    }
    return std::make_shared<BatchStage>(std::move(stage), batch);
  }

  Random random_;
  const Files& files_;
  const Disturbance& disturbance_;
  std::int64_t payload_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t fails_at_ = -1;
  int zips_ = 0;
  int objects_ = 0;
  bool holds_rows_ = false;
  std::string text_;
};

// All that a reader sees, one text for each entry.
std::string told(const Row& row) {
  std::ostringstream text;
  for (const Item& item : row.items) {
    if (item.is_array()) {
      const Tensor& array = item.array();
      text << item.type_name() << angled(array.shape());
      if (array.dtype() == DType::Int64)
        for (std::int64_t i = 0; i < array.size(); ++i)
          text << ' ' << array.data<std::int64_t>()[i];
      else if (array.size() > 0)
        text << ' ' << int{array.data<std::uint8_t>()[array.size() - 1]};
    } else {
      text << item.type_name();
    }
    text << ';';
  }
  return text.str();
}

constexpr std::size_t kMostEntries = 400;
const char* const kEndOfData = "end of data";

// How a reader goes about it.
struct Habit {
  std::size_t stops_after = kMostEntries;
  int delays = 0;
  int forks = 0;  // in a hundred rows
  bool another_stops_it = false;
};

// A child has none of its parent's threads, but ThreadSanitizer goes on to expect them: what
// another thread was about to stop when the process was forked must not be destroyed before its
// eyes.
#if defined(__SANITIZE_THREAD__)
constexpr bool kChildKeepsWhatOthersStop = true;
#else
constexpr bool kChildKeepsWhatOthersStop = false;
#endif

// Reads as the bindings do: with the interpreter's lock, but for the time of waiting.
std::vector<std::string> read(std::unique_ptr<RowStream>& stream, const Habit& habit,
                              Random& random) {
  std::unique_lock<Interpreter> lock(interpreter);
  std::vector<std::string> seen;
  const Disturbance pauses{habit.delays, {}};
  while (seen.size() < habit.stops_after) {
    Row row;
    Pulled pulled = Pulled::Row;
    try {
      if (!stream->try_next(row, pulled)) {
        lock.unlock();
        pulled = stream->next(row);
        lock.lock();
      }
    } catch (const platform::Error& error) {
      if (!lock.owns_lock()) lock.lock();
      seen.push_back(error.message());
      return seen;
    }
    if (pulled == Pulled::EndOfData) {
      seen.emplace_back(kEndOfData);
      return seen;
    }
    seen.push_back(pulled == Pulled::EndOfEpoch ? "end of epoch" : told(row));
    if (random.below(100) < habit.forks) {
      const pid_t child = fork();
      if (child == 0) {
        alarm(60);
        interpreter.after_fork();
        row = Row();
        if (!habit.another_stops_it || !kChildKeepsWhatOthersStop) stream.reset();
        // As _exit does, but that ThreadSanitizer would look for the parent's threads there.
        syscall(SYS_exit_group, 0);
      }
      int status = -1;
      lock.unlock();
      EXPECT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
      lock.lock();
    }
    row = Row();
    lock.unlock();
    pauses.delay();
    lock.lock();
  }
  return seen;
}

std::size_t thread_count() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

// The round at work, for whoever finds the program hanging or dead.
std::array<char, 512> current_round{};

void report_round(int signal_number) {
  const char* text = "\nthe stress test hangs in the round: ";
  if (write(STDERR_FILENO, text, strlen(text)) < 0 ||
      write(STDERR_FILENO, current_round.data(), strlen(current_round.data())) < 0)
    _exit(3);
  signal(signal_number, SIG_DFL);
  abort();
}

enum class End : std::uint8_t { Reads, StopsEarly, IsStopped, StopsItself };

struct Round {
  std::uint64_t seed;
  const Files& files;

  StreamOptions options(Random& random) const {
    StreamOptions made;
    made.epochs = 1 + random.below(3);
    made.workers = static_cast<std::size_t>(1 + random.below(4));
    made.ahead = static_cast<std::size_t>(random.one_of({1, 2, 3, 16}));
    made.ahead_bytes = random.one_of<std::size_t>({1, 1000, 100'000, 1'000'000, 1 << 28});
    if (random.happens(20)) made.start_row = random.below(20);
    if (random.happens(10)) made.start_epoch = 1;
    return made;
  }

  std::vector<std::string> expected(StreamOptions options) const {
    const Disturbance none;
    Builder builder(seed, files, none);
    options.threads = false;
    Random random(seed);
    auto stream = std::make_unique<RowStream>(builder.pipeline(), options);
    return read(stream, {}, random);
  }

  void run() const {
    Random random(seed ^ 0x5EED);
    const StreamOptions how = options(random);
    const auto end = static_cast<End>(random.below(4));
    const std::vector<std::string> right = expected(how);
    std::atomic<RowStream*> running = nullptr;
    Disturbance disturbance{random.one_of({0, 20, 200}), {}};
    const std::int64_t stops_at = random.below(60);
    if (end == End::StopsItself)
      disturbance.at_value = [&](std::int64_t value) {
        RowStream* stream = running.load();
        if (value != stops_at || stream == nullptr) return;
        const Interpreter::Released released(interpreter);
        stream->stop();
      };
    Builder builder(seed, files, disturbance);
    StagePtr root = builder.pipeline();
    std::snprintf(current_round.data(), current_round.size(),
                  "seed %llu end %d workers %zu ahead %zu bytes %zu:%s\n",
                  static_cast<unsigned long long>(seed), static_cast<int>(end), how.workers,
                  how.ahead, how.ahead_bytes, builder.text().c_str());
    alarm(300);
    Habit habit{kMostEntries, random.one_of({0, 0, 100, 900}), random.happens(5) ? 10 : 0,
                end == End::IsStopped};
    if (end == End::StopsEarly) habit.stops_after = static_cast<std::size_t>(random.below(30));
    const std::size_t threads = thread_count();
    {
      auto stream = std::make_unique<RowStream>(std::move(root), how);
      running = stream.get();
      std::jthread stopper;
      if (end == End::IsStopped)
        stopper = std::jthread([&, pause = microseconds(random.below(3000))] {
          std::this_thread::sleep_for(pause);
          stream->stop();
        });
      const std::vector<std::string> seen = read(stream, habit, random);
      compare(seen, right, end);
      if (stopper.joinable()) stopper.join();
      running = nullptr;
      stream->stop();
      EXPECT_EQ(stream->held_bytes(), 0U) << current_round.data();
    }
    EXPECT_TRUE(wait_for_dropped_streams(std::chrono::seconds(60))) << current_round.data();
    // The system forgets a thread a moment after it was joined.
    while (thread_count() > threads) std::this_thread::yield();  // or the alarm says so
    alarm(0);
  }

  static void compare(const std::vector<std::string>& seen, const std::vector<std::string>& right,
                      End end) {
    std::vector<std::string> known = right;
    // Only whoever was stopped may see less, and then the end.
    const bool was_stopped = (end == End::IsStopped || end == End::StopsItself) &&
                             seen.size() <= right.size() && seen.back() == kEndOfData;
    if (was_stopped || end == End::StopsEarly) known.resize(std::min(seen.size(), right.size()));
    if (was_stopped) known.back() = kEndOfData;
    ASSERT_EQ(seen, known) << current_round.data();
  }
};

TEST(StressTest, RandomPipelinesGiveTheRowsOfOneThread) {
  const Files files;
  std::jthread([] {}).join();  // a sanitizer has a thread of its own from the first one on
  const auto seconds = std::chrono::seconds(
      platform::integer_setting("MYCEL_STRESS_SECONDS", 0, std::int64_t{1} << 30));
  const auto until = Clock::now() + seconds;
  // Another run tries other pipelines; a failure names its seed.
  auto seed = static_cast<std::uint64_t>(
      platform::integer_setting("MYCEL_STRESS_SEED", 0, std::numeric_limits<std::int64_t>::max()));
  if (seed == 0) seed = static_cast<std::uint64_t>(getpid()) << 32;
  std::size_t rounds = 0;
  signal(SIGALRM, report_round);
  while (Clock::now() < until && !HasFailure()) {
    Round{seed++, files}.run();
    ++rounds;
  }
  signal(SIGALRM, SIG_DFL);
  std::printf("%zu rounds\n", rounds);
}

}  // namespace
}  // namespace mycel::data
