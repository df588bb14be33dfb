// SPDX-License-Identifier: Apache-2.0
// The plug-in library that holds LLVM: text to object code, object code to functions. It works only
// when it is asked, on the thread that asks.
#include <memory>
#include <vector>

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>

#include "backend/cpu/codegen/code_generator.h"
#include "platform/error/error.h"

namespace mycel::cpu::codegen {
namespace {

using platform::ErrorKind;

// A text of LLVM's, which it wants back.
std::string taken(char* message) {
  std::string text = message == nullptr ? "" : message;
  LLVMDisposeMessage(message);
  return text;
}

void check(LLVMErrorRef error, const char* what) {
  if (error == nullptr) return;
  char* const message = LLVMGetErrorMessage(error);
  const std::string text = message;
  LLVMDisposeErrorMessage(message);
  platform::fail(ErrorKind::Runtime, what, ": ", text);
}

class LlvmGenerator : public CodeGenerator {
 public:
  explicit LlvmGenerator(std::span<const Symbol> symbols) {
    triple_ = taken(LLVMGetDefaultTargetTriple());
    processor_ = taken(LLVMGetHostCPUName());
    features_ = taken(LLVMGetHostCPUFeatures());
    check(LLVMOrcCreateLLJIT(&jit_, nullptr), "LLVM cannot load code here");
    library_ = LLVMOrcLLJITGetMainJITDylib(jit_);
    define(symbols);
  }

  std::string target() const override {
    return "LLVM " LLVM_VERSION_STRING " far " + triple_ + " " + processor_ + " " + features_;
  }

  std::string compile(const std::string& text) override {
    using Context = std::unique_ptr<LLVMOpaqueContext, decltype(&LLVMContextDispose)>;
    using Module = std::unique_ptr<LLVMOpaqueModule, decltype(&LLVMDisposeModule)>;
    const Context context(LLVMContextCreate(), LLVMContextDispose);
    char* message = nullptr;
    LLVMModuleRef parsed = nullptr;
    // The buffer goes to the parser, whatever it says.
    const bool wrong = LLVMParseIRInContext(
        context.get(),
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data(), text.size(), "formula"), &parsed,
        &message);
    platform::require(!wrong, ErrorKind::Runtime,
                      "LLVM does not read the formula: ", wrong ? taken(message) : "");
    const Module module(parsed, LLVMDisposeModule);
    const bool invalid = LLVMVerifyModule(module.get(), LLVMReturnStatusAction, &message);
    const std::string reason = taken(message);
    platform::require(!invalid, ErrorKind::Runtime, "the formula is no valid program: ", reason);
    return object_of(module.get());
  }

  void* load(const std::string& object, const std::string& symbol) override {
    check(LLVMOrcLLJITAddObjectFile(jit_, library_,
                                    LLVMCreateMemoryBufferWithMemoryRangeCopy(
                                        object.data(), object.size(), symbol.c_str())),
          "LLVM does not take the object code");
    LLVMOrcExecutorAddress address = 0;
    check(LLVMOrcLLJITLookup(jit_, &address, symbol.c_str()), "LLVM cannot link the object code");
    return reinterpret_cast<void*>(address);  // NOLINT: an address is what it is
  }

 private:
  // Generated code finds these names and no others.
  void define(std::span<const Symbol> symbols) {
    std::vector<LLVMJITCSymbolMapPair> pairs;
    for (const Symbol& symbol : symbols) {
      LLVMJITEvaluatedSymbol value{};
      value.Address = reinterpret_cast<LLVMOrcExecutorAddress>(symbol.address);
      value.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported;
      pairs.push_back({LLVMOrcLLJITMangleAndIntern(jit_, symbol.name), value});
    }
    if (pairs.empty()) return;
    check(LLVMOrcJITDylibDefine(library_, LLVMOrcAbsoluteSymbols(pairs.data(), pairs.size())),
          "LLVM does not take the functions");
  }

  std::string object_of(LLVMModuleRef module) const {
    using Machine = std::unique_ptr<LLVMOpaqueTargetMachine, decltype(&LLVMDisposeTargetMachine)>;
    char* message = nullptr;
    LLVMTargetRef target = nullptr;
    platform::require(!LLVMGetTargetFromTriple(triple_.c_str(), &target, &message),
                      ErrorKind::Runtime, "LLVM does not know the target ", triple_);
    // Whole addresses only: code, its constants and what it calls are loaded wherever there is
    // room, and behind a few GB of tensors that is farther apart than the usual 32 bits reach.
    const Machine machine(
        LLVMCreateTargetMachine(target, triple_.c_str(), processor_.c_str(), features_.c_str(),
                                LLVMCodeGenLevelDefault, LLVMRelocStatic, LLVMCodeModelLarge),
        LLVMDisposeTargetMachine);
    LLVMSetTarget(module, triple_.c_str());
    const LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine.get());
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMMemoryBufferRef buffer = nullptr;
    const bool wrong = LLVMTargetMachineEmitToMemoryBuffer(machine.get(), module, LLVMObjectFile,
                                                           &message, &buffer);
    platform::require(!wrong, ErrorKind::Runtime,
                      "LLVM cannot compile the formula: ", wrong ? taken(message) : "");
    std::string object(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
    return object;
  }

  std::string triple_, processor_, features_;
  LLVMOrcLLJITRef jit_ = nullptr;  // never let go: functions in it may be running
  LLVMOrcJITDylibRef library_ = nullptr;
};

}  // namespace

extern "C" CodeGenerator* mycel_make_code_generator(const Symbol* symbols, std::size_t count) {
  if (LLVMInitializeNativeTarget() != 0 || LLVMInitializeNativeAsmPrinter() != 0) return nullptr;
  return new LlvmGenerator({symbols, count});  // stays until the process ends
}

}  // namespace mycel::cpu::codegen
