// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/codegen/background_compiler.h"

#include <chrono>
#include <cstdlib>
#include <vector>

#include <dlfcn.h>
#include <pthread.h>

#include "platform/error/error.h"
#include "platform/log/log.h"
#include "platform/options/options.h"

namespace mycel::cpu::codegen {
namespace {

using platform::ErrorKind;

// Part of every entry on disk: code of another edition of these files is not taken.
constexpr std::string_view kEdition = "mycel kernels 1; ";

// Code is never let go, so a program that makes up formulas without end gets no more at some point.
constexpr std::int64_t kMostKernels = 4096;

void stop_at_exit() { BackgroundCompiler::instance().stop(); }

// The plug-in lies beside this library, in the build tree and in the wheel.
std::string beside_this_library(const std::string& name) {
  Dl_info self{};
  if (name.find('/') != std::string::npos ||
      dladdr(reinterpret_cast<void*>(&stop_at_exit), &self) == 0)
    return name;
  return (platform::Path(self.dli_fname).parent_path() / name).string();
}

}  // namespace

BackgroundCompiler& BackgroundCompiler::instance() {
  static auto* const compiler = new BackgroundCompiler();
  return *compiler;
}

BackgroundCompiler::BackgroundCompiler()
    : enabled_(platform::setting("MYCEL_CODEGEN") != "off"), folder_(default_code_folder()) {}

// A fork must not find the lock taken, and the child has neither the thread nor a compiler whose
// state it could trust: there the interpreter goes on with the code that is finished.
void BackgroundCompiler::start() {
  static const int watching = pthread_atfork([] { instance().start_mutex_.lock(); },
                                             [] { instance().start_mutex_.unlock(); },
                                             [] {
                                               instance().orphaned_ = true;
                                               instance().start_mutex_.unlock();
                                             });
  static_cast<void>(watching);
  std::atexit(stop_at_exit);
  thread_ = std::make_unique<platform::Thread>("mycel-codegen",
                                               [this](const std::stop_token& stop) { run(stop); });
}

void BackgroundCompiler::submit(KernelText text, std::shared_ptr<const void> owner,
                                KernelPlace& place) {
  if (orphaned_ || !enabled() || compiled_ + from_disk_ + waiting_ > kMostKernels) return;
  {
    const std::lock_guard lock(start_mutex_);
    if (stopped_) return;
    if (thread_ == nullptr) start();
  }
  waiting_.fetch_add(1);
  Job job{std::move(text), std::move(owner), &place};
  if (!queue_.try_push(job)) waiting_.fetch_sub(1);
}

void BackgroundCompiler::run(const std::stop_token& stop) {
  while (std::optional<Job> job = queue_.pop(stop)) {
    if (stop.stop_requested()) return;
    finish(*job);
    job.reset();
    waiting_.fetch_sub(1);
    waiting_.notify_all();
  }
}

void BackgroundCompiler::finish(Job& job) {
  if (!enabled()) return;
  try {
    job.place->store(compile(job.text), std::memory_order_release);
  } catch (const std::exception& error) {
    failed_.fetch_add(1);
    platform::log_info("a formula stays with the interpreter: ", error.what());
  }
}

Kernel BackgroundCompiler::compile(const KernelText& text) {
  const std::lock_guard lock(work_mutex_);
  const auto known = kernels_.find(text.symbol);
  if (known != kernels_.end()) return known->second;
  const auto start = std::chrono::steady_clock::now();
  CodeGenerator& llvm = generator();
  platform::Path folder;
  {
    const std::lock_guard facts(facts_mutex_);
    folder = folder_;
  }
  const CodeCache cache(folder, std::string(kEdition) + llvm.target());
  std::optional<std::string> object = cache.find(text.text);
  const bool found = object.has_value();
  if (!found) {
    object = llvm.compile(text.text);
    cache.store(text.text, *object);
  }
  const auto kernel = reinterpret_cast<Kernel>(llvm.load(*object, text.symbol));
  kernels_[text.symbol] = kernel;
  (found ? from_disk_ : compiled_).fetch_add(1);
  const auto taken = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start);
  nanoseconds_ += taken.count();
  platform::log_info("a formula is ", found ? "loaded from the cache" : "compiled", " in ",
                     std::chrono::duration<double, std::milli>(taken).count(), " ms (",
                     compiled_.load(), " compiled, ", from_disk_.load(), " loaded so far)");
  return kernel;
}

CodeGenerator& BackgroundCompiler::generator() {
  if (generator_ == nullptr) {
    try {
      open_library();
    } catch (const platform::Error& error) {
      enabled_ = false;
      const std::lock_guard facts(facts_mutex_);
      failure_ = error.message();
      throw;
    }
  }
  return *generator_;
}

void BackgroundCompiler::open_library() {
  void* const library = dlopen(beside_this_library(library_).c_str(), RTLD_NOW | RTLD_LOCAL);
  platform::require(library != nullptr, ErrorKind::Runtime,
                    "the code generator cannot be opened: ", library == nullptr ? dlerror() : "");
  // Once more: now it comes before the compiler's own clearing up.
  std::atexit(stop_at_exit);
  const auto make = reinterpret_cast<MakeGenerator>(dlsym(library, kGeneratorFunction));
  platform::require(make != nullptr, ErrorKind::Runtime, "the library '", library_,
                    "' is no code generator");
  const std::vector<Symbol> symbols = vector_symbols();
  generator_ = make(symbols.data(), symbols.size());
  // Code it has made may be called until the process ends, so it is kept as long.
  static auto& kept = *new std::vector<CodeGenerator*>();
  kept.push_back(generator_);
  platform::require(generator_ != nullptr, ErrorKind::Runtime,
                    "there is no code generator for this processor");
  const std::lock_guard facts(facts_mutex_);
  ready_ = true;
}

op::CodeGenerationStatus BackgroundCompiler::status() const {
  op::CodeGenerationStatus status;
  {
    const std::lock_guard facts(facts_mutex_);
    status.state = !failure_.empty() ? failure_ : !enabled() ? "off" : ready_ ? "ready" : "unused";
  }
  status.compiled = compiled_;
  status.from_disk = from_disk_;
  status.failed = failed_;
  status.waiting = waiting_;
  status.seconds = static_cast<double>(nanoseconds_.load()) * 1e-9;
  return status;
}

void BackgroundCompiler::wait() {
  if (orphaned_) return;
  for (std::int64_t left = waiting_.load(); left > 0; left = waiting_.load()) waiting_.wait(left);
}

void BackgroundCompiler::set_cache_folder(const std::string& folder) {
  const std::lock_guard facts(facts_mutex_);
  folder_ = folder == "off" ? "" : folder.empty() ? default_code_folder() : platform::Path(folder);
}

void BackgroundCompiler::set_enabled(bool enabled) {
  const std::lock_guard facts(facts_mutex_);
  if (failure_.empty()) enabled_ = enabled;
}

void BackgroundCompiler::stop() {
  if (orphaned_) return;
  std::unique_ptr<platform::Thread> thread;
  {
    const std::lock_guard lock(start_mutex_);
    stopped_ = true;
    thread = std::move(thread_);
  }
  queue_.close();
  thread.reset();  // asks it to stop and waits
  while (queue_.try_pop()) waiting_.fetch_sub(1);
  waiting_.notify_all();
}

void BackgroundCompiler::use_library(const std::string& name) {
  const std::lock_guard lock(work_mutex_);
  library_ = name;
  generator_ = nullptr;
  kernels_.clear();
  enabled_ = true;
  const std::lock_guard facts(facts_mutex_);
  failure_.clear();
  ready_ = false;
}

namespace {
const bool registered = (op::set_code_generation(BackgroundCompiler::instance()), true);
}  // namespace

}  // namespace mycel::cpu::codegen
