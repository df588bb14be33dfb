// SPDX-License-Identifier: Apache-2.0
#include "operator/registry.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "operator/everywhere.h"
#include "operator/host_way.h"

namespace mycel::op {
namespace {

constexpr std::uint8_t kEveryBackend = std::numeric_limits<std::uint8_t>::max();

struct PendingKernel {
  std::string op;
  std::uint8_t backend;
  KernelCandidate candidate;
};

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

struct Registry {
  std::unordered_map<std::string, std::unique_ptr<OpDef>, NameHash, std::equal_to<>> definitions;
  std::mutex mutex;  // guards `pending`
  std::vector<PendingKernel> pending;
  std::atomic<bool> has_pending = false;
  std::array<ScalarExecutor, device::kMaxBackends> scalar_executors{};
  std::string problems;  // found while registering; reported by check_definitions
};

Registry& registry() {
  static Registry instance;
  return instance;
}

void add_candidate(std::vector<KernelCandidate>& list, const KernelCandidate& candidate) {
  list.push_back(candidate);
  std::stable_sort(
      list.begin(), list.end(),
      [](const KernelCandidate& a, const KernelCandidate& b) { return a.priority > b.priority; });
}

// Kernels may be registered before their operator, in whatever order objects are initialised.
void attach_pending(Registry& all) {
  if (!all.has_pending.load(std::memory_order_acquire)) [[likely]]
    return;
  const std::lock_guard lock(all.mutex);
  std::vector<PendingKernel> waiting;
  waiting.swap(all.pending);
  for (PendingKernel& kernel : waiting) {
    const auto found = all.definitions.find(kernel.op);
    if (found == all.definitions.end()) {
      all.problems += platform::join("kernel for unknown operator '", kernel.op, "'\n");
      continue;
    }
    auto& kernels = found->second->kernels;
    if (kernel.backend != kEveryBackend) {
      add_candidate(kernels[kernel.backend], kernel.candidate);
      continue;
    }
    for (std::vector<KernelCandidate>& list : kernels) add_candidate(list, kernel.candidate);
  }
  all.has_pending.store(false, std::memory_order_release);
}

}  // namespace

OpDef& add_definition(std::string_view name) {
  Registry& all = registry();
  auto& slot = all.definitions[std::string(name)];
  if (slot != nullptr) all.problems += platform::join("operator '", name, "' is defined twice\n");
  slot = std::make_unique<OpDef>();
  return *slot;
}

void add_kernel(std::string_view op, std::string_view backend, KernelCandidate candidate) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.pending.push_back({std::string(op), device::reserve_backend(backend), std::move(candidate)});
  all.has_pending.store(true, std::memory_order_release);
}

void add_kernel_everywhere(std::string_view op, void (*run)(KernelContext& kernel)) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const int first = std::numeric_limits<int>::max();
  all.pending.push_back({std::string(op), kEveryBackend, {"everywhere", first, run, nullptr}});
  all.has_pending.store(true, std::memory_order_release);
}

void set_scalar_executor(std::string_view backend, ScalarExecutor executor) {
  registry().scalar_executors[device::reserve_backend(backend)] = executor;
}

const OpDef* find_or_null(std::string_view name) {
  Registry& all = registry();
  attach_pending(all);
  const auto found = all.definitions.find(name);
  return found == all.definitions.end() ? nullptr : found->second.get();
}

const OpDef& find(std::string_view name) {
  const OpDef* definition = find_or_null(name);
  platform::require(definition != nullptr, ErrorKind::Internal, "there is no operator '", name,
                    "'");
  return *definition;
}

const OpDef& find(Purpose purpose) {
  static const auto by_purpose = [] {
    std::map<Purpose, const OpDef*> table;
    for (const auto& [name, definition] : registry().definitions)
      if (definition->traits.purpose != Purpose::None)
        table[definition->traits.purpose] = definition.get();
    return table;
  }();
  return *by_purpose.at(purpose);
}

std::vector<const OpDef*> all() {
  Registry& known = registry();
  attach_pending(known);
  std::vector<const OpDef*> list;
  for (const auto& [name, definition] : known.definitions) list.push_back(definition.get());
  std::sort(list.begin(), list.end(),
            [](const OpDef* a, const OpDef* b) { return a->name < b->name; });
  return list;
}

void check_definitions() {
  std::string problems = registry().problems;
  std::map<std::string, std::string> owner;  // Python name -> operator
  for (const OpDef* op : all()) {
    if (op->gradient_kind == GradientKind::Undecided && op->composite == nullptr) {
      problems += platform::join("operator '", op->name,
                                 "' has no gradient rule and is not marked not_differentiable\n");
    }
    if (op->infer == nullptr && op->composite == nullptr) {
      problems += platform::join("operator '", op->name, "' has no inference\n");
    }
    if (op->outputs.empty())
      problems += platform::join("operator '", op->name, "' has no output\n");
    for (const std::string& name : {"f:" + op->function, "p:" + op->primitive, "m:" + op->method}) {
      if (name.size() == 2) continue;
      const auto [it, added] = owner.emplace(name, op->name);
      if (!added)
        problems +=
            platform::join("'", name, "' is claimed by '", it->second, "' and '", op->name, "'\n");
    }
  }
  platform::require(problems.empty(), ErrorKind::Internal, "operator definitions are wrong:\n",
                    problems);
}

Kernel find_kernel(const KernelContext& kernel, device::Device device) {
  const OpDef& definition = kernel.definition();
  const std::vector<KernelCandidate>& candidates = definition.kernels[device.backend];
  std::string reasons;
  for (const KernelCandidate& candidate : candidates) {
    const char* reason = candidate.decline == nullptr ? nullptr : candidate.decline(kernel);
    if (reason == nullptr) [[likely]]
      return candidate.run;
    reasons += platform::join("; ", candidate.name, " declined: ", reason);
  }
  const ScalarExecutor executor = registry().scalar_executors[device.backend];
  if (definition.is_elementwise() && executor != nullptr) return executor;
  if (device.backend != device::kHostBackend && may_run_through_host(definition, device))
    return run_through_host;
  kernel.fail(ErrorKind::Type, "there is no kernel on ", device::backend_name(device.backend),
              " for ",
              kernel.input_count() > 0 && kernel.has_input(0)
                  ? std::string(name_of(kernel.input(0).dtype()))
                  : "these arguments",
              reasons);
}

}  // namespace mycel::op
