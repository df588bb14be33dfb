// SPDX-License-Identifier: Apache-2.0
// Compiles formulas on a thread of its own, so that nobody waits for it. The thread starts with the
// first formula and is joined when the process ends.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backend/cpu/codegen/code_cache.h"
#include "backend/cpu/codegen/code_generator.h"
#include "backend/cpu/codegen/kernel_text.h"
#include "operator/code_generation.h"
#include "platform/thread/bounded_queue.h"
#include "platform/thread/thread.h"

namespace mycel::cpu::codegen {

// Where a finished kernel is put; null until then.
using KernelPlace = std::atomic<Kernel>;

class BackgroundCompiler : public op::CodeGeneration {
 public:
  static BackgroundCompiler& instance();  // never destroyed: exit may come at any time

  // Whether asking makes sense. False for good when the plug-in cannot be opened.
  bool enabled() const { return enabled_.load(std::memory_order_relaxed); }
  // Takes the text; the place must live as long as `owner`. Never waits.
  void submit(KernelText text, std::shared_ptr<const void> owner, KernelPlace& place);
  // On the calling thread. Throws when the text cannot be compiled or there is no compiler.
  Kernel compile(const KernelText& text);

  op::CodeGenerationStatus status() const override;
  void wait() override;
  void set_cache_folder(const std::string& folder) override;
  void set_enabled(bool enabled) override;
  void stop() override;

  // For tests: another library than the usual one, from now on.
  void use_library(const std::string& name);

 private:
  struct Job {
    KernelText text;
    std::shared_ptr<const void> owner;
    KernelPlace* place = nullptr;
  };

  BackgroundCompiler();
  void start();
  void run(const std::stop_token& stop);
  void finish(Job& job);
  CodeGenerator& generator();
  void open_library();

  std::atomic<bool> enabled_;
  std::atomic<bool> orphaned_ = false;  // a forked child: the thread is not here
  std::atomic<std::int64_t> compiled_ = 0, from_disk_ = 0, failed_ = 0, waiting_ = 0;
  std::atomic<std::int64_t> nanoseconds_ = 0;

  std::mutex start_mutex_;  // guards thread_ and stopped_
  bool stopped_ = false;
  std::unique_ptr<platform::Thread> thread_;
  platform::BoundedQueue<Job> queue_{1024};

  mutable std::mutex work_mutex_;  // guards what follows; held while something is compiled
  std::string library_ = kGeneratorLibrary;
  CodeGenerator* generator_ = nullptr;
  std::map<std::string, Kernel> kernels_;  // by symbol

  mutable std::mutex facts_mutex_;  // guards what follows; held for a moment only
  std::string failure_;             // why there is no generator
  bool ready_ = false;
  platform::Path folder_;
};

}  // namespace mycel::cpu::codegen
