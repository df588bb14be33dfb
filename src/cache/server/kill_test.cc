// SPDX-License-Identifier: Apache-2.0
// Processes killed for real: the server, clients that read and write, both, at any moment.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache/client/server_lock.h"
#include "cache/server/test_server.h"
#include "platform/options/options.h"

namespace mycel::cache {
namespace {

constexpr std::uint64_t kRows = 400;

// Every row can be told from every other by each of its bytes.
std::string row_text(std::uint64_t row) {
  return std::string(row * 37 % 3000, static_cast<char>(1 + row % 251)) + std::to_string(row);
}

CacheOptions options_of(std::uint32_t session, SourceKind kind) {
  CacheOptions options;
  options.session = session;
  options.description = "kill";
  options.kind = kind;
  options.size_mb = 1;
  options.spilling = kind == SourceKind::Mappable;
  return options;
}

// An epoch of a pipeline: every row is found or made and offered. The error is the cache's.
Result<Done> run_mappable_epoch(CacheClient& client) {
  for (std::uint64_t row = 0; row < kRows; ++row) {
    const auto found = client.find(row);
    if (!found) return found.error();
    const std::string expected = row_text(row);
    if (found.value()) {
      const Bytes bytes = found.value()->bytes;
      const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      platform::require(text == expected, platform::ErrorKind::Internal, "wrong row ", row);
      continue;
    }
    if (Result<Done> done = offer(client, row, expected); !done) return done.error();
  }
  return client.flush();
}

// `delay`: at most so long between two rows.
Result<BuildStep> append_all(CacheClient& client, std::chrono::microseconds delay) {
  std::minstd_rand random(std::random_device{}());
  for (std::uint64_t row = 0; row < kRows; ++row) {
    const Result<BuildStep> step = append(client, row_text(row));
    if (!step || step.value() == BuildStep::TurnLost) return step;
    if (delay.count() > 0) std::this_thread::sleep_for(delay * (random() % 100) / 100);
  }
  return client.end_build();
}

Result<Done> run_stream_epoch(CacheClient& client, std::chrono::microseconds delay = {}) {
  BuildStep step = BuildStep::TurnLost;
  while (step == BuildStep::TurnLost) {
    const Result<BuildTurn> turn = client.begin_build({});
    if (!turn) return turn.error();
    if (turn.value() == BuildTurn::Ready) break;
    const Result<BuildStep> end = append_all(client, delay);
    if (!end) return end.error();
    step = end.value();
  }
  platform::require(client.row_count() == kRows, platform::ErrorKind::Internal, "rows are missing");
  for (std::uint64_t row = 0; row < kRows; ++row)
    platform::require(text_of(client, row) == row_text(row), platform::ErrorKind::Internal,
                      "wrong row ", row);
  return Done{};
}

Result<Done> run_epoch(std::uint32_t session, SourceKind kind) {
  Result<std::unique_ptr<CacheClient>> client = CacheClient::open(options_of(session, kind));
  if (!client) return client.error();
  CacheClient& cache = *client.value();
  return kind == SourceKind::Mappable ? run_mappable_epoch(cache) : run_stream_epoch(cache);
}

// The processes that are killed are this program again, running one of these two.
TEST(KilledProcess, DISABLED_Server) {
  ServerOptions options;
  options.spill_folder = (user_folders()[0].parent_path() / "spill").string();
  std::unique_ptr<Server> server = Server::start(options).value();
  if (write(std::atoi(platform::setting("MYCEL_STRESS_SEED").c_str()), "r", 1) == 1) server->run();
}

TEST(KilledProcess, DISABLED_Client) {
  const auto session =
      static_cast<std::uint32_t>(platform::integer_setting("MYCEL_STRESS_SEED", 0, 4294967295));
  for (int epoch = 0;; ++epoch) {
    const SourceKind kind = epoch % 2 == 0 ? SourceKind::Mappable : SourceKind::Stream;
    const Result<Done> done = run_epoch(session, kind);
    if (!done && done.error().kind() == platform::ErrorKind::Internal) std::abort();
    if (!done) return;
  }
}

// Stands still in the middle of a build; then another one has done it.
TEST(KilledProcess, DISABLED_StoppedBuilder) {
  const auto session =
      static_cast<std::uint32_t>(platform::integer_setting("MYCEL_STRESS_SEED", 0, 4294967295));
  const auto client = CacheClient::open(options_of(session, SourceKind::Stream)).value();
  bool is_right = client->begin_build({}).value() == BuildTurn::Build;
  for (std::uint64_t row = 0; row < kRows / 2; ++row)
    is_right = append(*client, row_text(row)) && is_right;
  raise(SIGSTOP);
  BuildStep step = BuildStep::Kept;
  for (std::uint64_t row = kRows / 2; step == BuildStep::Kept && row < kRows; ++row)
    step = append(*client, row_text(row)).value();
  if (step == BuildStep::Kept) step = client->end_build().value();
  is_right = is_right && step == BuildStep::TurnLost;
  is_right = is_right && client->begin_build({}).value() == BuildTurn::Ready;
  is_right = is_right && client->row_count() == 1 && text_of(*client, 0) == "of the heir";
  _exit(is_right ? 0 : 1);
}

// Builds slowly, or waits for whoever does.
TEST(KilledProcess, DISABLED_SlowBuilder) {
  const auto session =
      static_cast<std::uint32_t>(platform::integer_setting("MYCEL_STRESS_SEED", 0, 4294967295));
  const auto client = CacheClient::open(options_of(session, SourceKind::Stream)).value();
  const Result<Done> done = run_stream_epoch(*client, std::chrono::microseconds(500));
  if (!done) std::abort();
  _exit(0);
}

class Process {
 public:
  // Runs the test of that name; `number` reaches it as its seed.
  Process(const std::string& test, std::uint64_t number) {
    const std::string filter = "--gtest_filter=KilledProcess.DISABLED_" + test;
    const std::string seed = std::to_string(number);
    pid_ = fork();
    if (pid_ != 0) return;
    setenv("MYCEL_STRESS_SEED", seed.c_str(), 1);
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    execl("/proc/self/exe", "killed", filter.c_str(), "--gtest_also_run_disabled_tests", nullptr);
    _exit(1);
  }
  Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Process& operator=(Process&& other) = delete;
  ~Process() { kill(); }

  void send(int signal) const { ::kill(pid_, signal); }
  // Waits until it has stopped itself.
  bool is_stopped() const {
    int status = 0;
    return waitpid(pid_, &status, WUNTRACED) == pid_ && WIFSTOPPED(status);
  }
  // Lets it go on to its end; whether it found all as it should be.
  bool resume() {
    ::kill(pid_, SIGCONT);
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  // Whether it ended by our signal, or in order before; false: it found something wrong.
  bool kill() {
    if (pid_ < 0) return true;
    ::kill(pid_, SIGKILL);
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return !WIFSIGNALED(status) || WTERMSIG(status) == SIGKILL;
  }

 private:
  pid_t pid_;
};

// Comes back when the server says that it is ready.
Process start_server() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(pipe(ends), 0);
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  Process server("Server", static_cast<std::uint64_t>(ends[1]));
  close(ends[1]);
  char word = 0;
  EXPECT_EQ(read(ends[0], &word, 1), 1) << "the server did not start";
  close(ends[0]);
  return server;
}

// A correct epoch of each kind in this process.
void expect_epochs() {
  auto control = make_control(connect_to_server(kDefaultPort).value(), kDefaultPort);
  const std::uint32_t session = control->generate_session().value();
  for (const SourceKind kind : {SourceKind::Mappable, SourceKind::Stream, SourceKind::Mappable}) {
    const Result<Done> done = run_epoch(session, kind);
    EXPECT_TRUE(done) << done.error().message();
  }
}

TEST(KillTest, ABuilderThatStandsStillLosesItsTurnAndReadsOn) {
  const TestFolder folder;
  ServerOptions settings;
  settings.longest_silence = std::chrono::milliseconds(100);
  const TestServer server(settings);
  const std::uint32_t session = server.session();
  CacheOptions options = options_of(session, SourceKind::Stream);
  Process builder("StoppedBuilder", session);
  ASSERT_TRUE(builder.is_stopped());
  const auto heir = CacheClient::open(options).value();
  ASSERT_EQ(heir->begin_build({}).value(), BuildTurn::Build);
  ASSERT_TRUE(append(*heir, "of the heir"));
  ASSERT_TRUE(heir->end_build());
  EXPECT_TRUE(builder.resume());
}

TEST(KillTest, BuildersThatAreStoppedGoOnOrDieDisturbNobody) {
  const TestFolder folder;
  ServerOptions settings;
  settings.longest_silence = std::chrono::milliseconds(50);
  const TestServer server(settings);
  std::mt19937 random(29);
  const auto end =
      std::chrono::steady_clock::now() +
      std::chrono::seconds(platform::integer_setting("MYCEL_STRESS_SECONDS", 0, 86400));
  do {
    const std::uint32_t session = server.session();
    std::vector<Process> builders;
    for (int k = 0; k < 3; ++k) builders.emplace_back("SlowBuilder", session);
    for (int times = 0; times < 6; ++times) {
      Process& victim = builders[random() % builders.size()];
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 60000));
      victim.send(SIGSTOP);
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 120000));
      victim.send(SIGCONT);
    }
    EXPECT_TRUE(builders.back().kill());
    builders.pop_back();
    const Result<Done> done = run_epoch(session, SourceKind::Stream);
    EXPECT_TRUE(done) << done.error().message();
    for (Process& builder : builders) EXPECT_TRUE(builder.resume()) << "a client saw wrong rows";
  } while (std::chrono::steady_clock::now() < end && !testing::Test::HasFailure());
}

TEST(KillTest, AnEpochIsCorrectAfterAnyKill) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path() / "spill");
  std::mt19937 random(17);
  const auto end =
      std::chrono::steady_clock::now() +
      std::chrono::seconds(platform::integer_setting("MYCEL_STRESS_SECONDS", 0, 86400));
  int rounds = 0;
  do {
    Process server = start_server();
    auto control = make_control(connect_to_server(kDefaultPort).value(), kDefaultPort);
    const std::uint32_t session = control->generate_session().value();
    std::vector<Process> clients;
    for (int k = 0; k < 2; ++k) clients.emplace_back("Client", session);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 200000));
    const unsigned victims = 1 + random() % 3;  // clients, the server, or both
    if ((victims & 1) != 0) {
      EXPECT_TRUE(clients[0].kill()) << "a client read a wrong row";
    }
    std::optional<Process> next;
    if ((victims & 2) != 0) {
      server.kill();
      next.emplace(start_server());
    }
    expect_epochs();
    for (Process& client : clients) EXPECT_TRUE(client.kill()) << "a client read a wrong row";
    ++rounds;
  } while (std::chrono::steady_clock::now() < end && !testing::Test::HasFailure());
  RecordProperty("rounds", rounds);
  std::printf("%d rounds of kills\n", rounds);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "spill"));
}

}  // namespace
}  // namespace mycel::cache
