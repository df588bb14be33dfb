// SPDX-License-Identifier: Apache-2.0
#include "tensor/loan.h"

#include <cstring>
#include <mutex>
#include <unordered_map>

namespace mycel::tensor {
namespace {

struct Loan {
  std::shared_ptr<void> owner;
  const Storage* borrower = nullptr;
  Ref<Storage> own;  // where the bytes are once they have been written
};

struct Loans {
  std::mutex mutex;  // guards the map
  std::unordered_map<const Storage*, Loan*> by_borrower;
};

Loans& loans() {
  static Loans& all = *new Loans;  // storages may outlive what is destroyed at exit
  return all;
}

Loan* find(const Storage& storage) {
  const std::lock_guard lock(loans().mutex);
  const auto found = loans().by_borrower.find(&storage);
  return found == loans().by_borrower.end() ? nullptr : found->second;
}

void release(void* owner) {
  const std::unique_ptr<Loan> loan(static_cast<Loan*>(owner));
  const std::lock_guard lock(loans().mutex);
  loans().by_borrower.erase(loan->borrower);
}

}  // namespace

Ref<Storage> lend(void* data, std::size_t bytes, std::shared_ptr<void> owner) {
  auto loan = std::make_unique<Loan>(Loan{std::move(owner)});
  Ref<Storage> storage = Storage::borrow({}, data, bytes, release, loan.get());
  loan->borrower = storage.get();
  const std::lock_guard lock(loans().mutex);
  loans().by_borrower.emplace(storage.get(), loan.release());
  return storage;
}

void end_loan(Storage& storage) {
  Loan* const loan = find(storage);
  if (loan == nullptr || loan->own) return;
  loan->own = Storage::allocate({}, storage.bytes());
  std::memcpy(loan->own->data_unwatched(), storage.data(), storage.bytes());
  storage.rebind(loan->own->data_unwatched());
}

}  // namespace mycel::tensor
