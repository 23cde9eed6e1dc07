// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace dynamics::tools {

/// Blocks SIGINT, SIGTERM and SIGHUP during its lifetime, so that a file is written completely.
class DeferSignals {
 public:
  DeferSignals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&blocked, signal);
    sigprocmask(SIG_BLOCK, &blocked, &before_);
  }
  ~DeferSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  DeferSignals(const DeferSignals&) = delete;
  DeferSignals& operator=(const DeferSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace dynamics::tools
