// SPDX-License-Identifier: Apache-2.0
#include "platform/file/mapping_guard.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <utility>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mycel::platform {

// Written by few, read by the handler of the signal: no lock can be taken there.
struct MappingGuard::Slot {
  std::atomic<std::uintptr_t> begin{0};  // 0: free
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> damaged{false};
};

namespace {

// Slots are used again and never go.
struct Block {
  std::array<MappingGuard::Slot, 64> slots;
  std::atomic<Block*> next{nullptr};
};

Block first_block;
std::mutex slots_mutex;  // guards the choice of free slots and the handler's installation
// A forked child must not find it held by a thread it does not have.
[[maybe_unused]] const int kForks = pthread_atfork(
    [] { slots_mutex.lock(); }, [] { slots_mutex.unlock(); }, [] { slots_mutex.unlock(); });
std::atomic<std::uint64_t> damages{0};
struct sigaction previous_action {};
std::uintptr_t page_bytes = 4096;
// Whose fault the handler before us is told of: it may send it back.
std::atomic<pid_t> passing_on{0};

MappingGuard::Slot* slot_at(std::uintptr_t address) {
  for (Block* block = &first_block; block != nullptr; block = block->next.load())
    for (MappingGuard::Slot& slot : block->slots) {
      const std::uintptr_t begin = slot.begin.load();
      if (begin != 0 && begin <= address && address < slot.end.load()) return &slot;
    }
  return nullptr;
}

// Everything from the page on: what follows lies beyond the end as well.
bool replaced_by_zeros(MappingGuard::Slot& slot, std::uintptr_t address) {
  const std::uintptr_t page = address & ~(page_bytes - 1);
  void* const place = reinterpret_cast<void*>(page);  // NOLINT: an address the kernel told
  const std::size_t bytes = slot.end.load() - page;
  if (mmap(place, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    return false;
  slot.damaged.store(true);
  damages.fetch_add(1);
  return true;
}

void use_default_action() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGBUS, &standard, nullptr);
}

void pass_on(int number, siginfo_t* info, void* context) {
  const bool is_fault = info->si_code > 0;  // else somebody sent it
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(number, info, context);
  } else if (previous_action.sa_handler == SIG_DFL ||
             (previous_action.sa_handler == SIG_IGN && is_fault)) {
    use_default_action();  // a fault comes again as soon as we return
    if (!is_fault) raise(number);
  } else if (previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(number);
  }
}

void on_fault(int number, siginfo_t* info, void* context) {
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  MappingGuard::Slot* slot = info->si_code == BUS_ADRERR ? slot_at(address) : nullptr;
  if (slot == nullptr || !replaced_by_zeros(*slot, address)) {
    const pid_t here = gettid();
    if (passing_on.exchange(here) == here)
      use_default_action();
    else
      pass_on(number, info, context);
    passing_on = 0;
  }
  errno = error;
}

// Again whenever somebody else has come in front of us.
void install_handler() {
  struct sigaction current {};
  sigaction(SIGBUS, nullptr, &current);
  if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == on_fault) return;
  page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  previous_action = current;
  struct sigaction ours {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGBUS, &ours, nullptr);
}

MappingGuard::Slot* free_slot() {
  for (Block* block = &first_block;; block = block->next.load()) {
    for (MappingGuard::Slot& slot : block->slots)
      if (slot.begin.load() == 0) return &slot;
    if (block->next.load() == nullptr) block->next.store(new Block);
  }
}

}  // namespace

MappingGuard::MappingGuard(const void* data, std::size_t bytes) {
  const std::lock_guard lock(slots_mutex);
  install_handler();
  slot_ = free_slot();
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  slot_->damaged.store(false);
  slot_->end.store((begin + bytes + page_bytes - 1) & ~(page_bytes - 1));
  slot_->begin.store(begin);
}

MappingGuard::MappingGuard(MappingGuard&& other) noexcept
    : slot_(std::exchange(other.slot_, nullptr)) {}

MappingGuard& MappingGuard::operator=(MappingGuard&& other) noexcept {
  if (this != &other) {
    release();
    slot_ = std::exchange(other.slot_, nullptr);
  }
  return *this;
}

MappingGuard::~MappingGuard() { release(); }

void MappingGuard::release() {
  if (slot_ != nullptr) slot_->begin.store(0);
  slot_ = nullptr;
}

bool MappingGuard::is_damaged() const { return slot_ != nullptr && slot_->damaged.load(); }

std::uint64_t mapping_damages() { return damages.load(std::memory_order_relaxed); }

}  // namespace mycel::platform
