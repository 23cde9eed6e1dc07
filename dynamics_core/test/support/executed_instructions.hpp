// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts the floating-point instructions that a function executes (additions, multiplications,
// divisions, square roots) by single-stepping it in a child process.

#include <functional>
#include <optional>

#include "papers/counting/operation_count.hpp"

#if defined(__x86_64__) && defined(__linux__) && !defined(__AVX__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

// NOLINTBEGIN: the linker's names
extern "C" const unsigned char __executable_start;
extern "C" const unsigned char etext;
// NOLINTEND

namespace dynamics::test {

using counting::OperationCount;

/// Adds the operations of an SSE2 instruction: [66 or F2] [REX] 0F opcode.
inline void decode(const unsigned char* code, OperationCount& counts) {
  const unsigned char prefix = *code;
  if (prefix != 0x66 && prefix != 0xF2) return;
  ++code;
  if ((*code & 0xF0) == 0x40) ++code;
  if (*code++ != 0x0F) return;
  const int width = prefix == 0x66 ? 2 : 1;
  switch (*code) {
    case 0x58:  // add
    case 0x5C: counts.additions += width; break;
    case 0x59: counts.multiplications += width; break;
    case 0x5E: counts.divisions += width; break;
    case 0x51: counts.square_roots += width; break;
    default: break;
  }
}

/// Runs the function in a child process step by step; nothing if ptrace is not permitted. Counts
/// only instructions of this executable, not those of the math library's sines.
inline std::optional<OperationCount> executed(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    raise(SIGUSR1);
    work();
    raise(SIGUSR1);
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return std::nullopt;
  OperationCount counts;
  const auto begin = reinterpret_cast<std::uintptr_t>(&__executable_start);
  const auto end = reinterpret_cast<std::uintptr_t>(&etext);
  while (true) {
    if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) return std::nullopt;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return std::nullopt;
    if (WSTOPSIG(status) == SIGUSR1) break;
    user_regs_struct registers{};
    if (ptrace(PTRACE_GETREGS, child, nullptr, &registers) != 0) return std::nullopt;
    if (registers.rip < begin || registers.rip >= end) continue;
    // the code of the child is at the same addresses as that of this process
    decode(reinterpret_cast<const unsigned char*>(registers.rip), counts);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return counts;
}

}  // namespace dynamics::test

#else

namespace dynamics::test {
inline std::optional<counting::OperationCount> executed(const std::function<void()>&) {
  return std::nullopt;  // other instruction set, or instrumented code
}
}  // namespace dynamics::test

#endif
