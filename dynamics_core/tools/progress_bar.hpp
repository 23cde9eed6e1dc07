// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

namespace dynamics::tools {

/// Progress bar on stderr, shown after half a second. Prints nothing if stderr is not a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(std::string title)
      : title_(std::move(title)), shown_(isatty(STDERR_FILENO) == 1) {}
  ~ProgressBar() {
    if (drawn_) fmt::print(stderr, "\r{:{}}\r", "", 79 + note_width_);
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `fraction` of the work done, 0 to 1; `note` follows it.
  void update(double fraction, const std::string& note = "") {
    if (!shown_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - start_ < std::chrono::milliseconds(500) ||
        now - last_ < std::chrono::milliseconds(100))
      return;
    last_ = now;
    drawn_ = true;
    constexpr int width = 40;
    const int full = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * width);
    fmt::print(stderr, "\r{} [{}{}] {:3.0f} %{:{}}", title_,
               std::string(static_cast<std::size_t>(full), '#'),
               std::string(static_cast<std::size_t>(width - full), ' '), 100.0 * fraction,
               note.empty() ? "" : "  " + note, note_width_);
    note_width_ = note.empty() ? 0 : std::max(note_width_, note.size() + 2);
    std::fflush(stderr);
  }

 private:
  std::string title_;
  bool shown_, drawn_ = false;
  std::size_t note_width_ = 0;  ///< the longest note, which a shorter one overwrites
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_{};
};

}  // namespace dynamics::tools
