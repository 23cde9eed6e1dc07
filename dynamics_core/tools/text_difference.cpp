// SPDX-License-Identifier: Apache-2.0
#include "text_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dynamics::tools {
namespace {

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// Line ranges [begin, end) of the two texts that differ. Between two changes the texts are equal.
struct Change {
  std::size_t before_begin, before_end, after_begin, after_end;
};

/// Scans both texts. At a difference it searches for the nearest pair of equal lines within
/// `window` lines; repairs change only a few lines, so the search is short.
std::vector<Change> find_changes(const std::vector<std::string_view>& before,
                                 const std::vector<std::string_view>& after) {
  constexpr std::size_t window = 200;
  std::vector<Change> changes;
  std::size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      ++i, ++j;
      continue;
    }
    std::size_t skip_i = before.size() - i, skip_j = after.size() - j;
    bool found = false;
    for (std::size_t total = 1; total <= window && !found; ++total) {
      for (std::size_t a = 0; a <= total && !found; ++a) {
        const std::size_t b = total - a;
        if (i + a < before.size() && j + b < after.size() && before[i + a] == after[j + b]) {
          skip_i = a, skip_j = b;
          found = true;
        }
      }
    }
    changes.push_back({i, i + skip_i, j, j + skip_j});
    i += skip_i;
    j += skip_j;
  }
  return changes;
}

}  // namespace

std::string unified_difference(std::string_view before, std::string_view after,
                               const std::string& before_name, const std::string& after_name) {
  const auto old_lines = split_lines(before), new_lines = split_lines(after);
  const auto changes = find_changes(old_lines, new_lines);
  if (changes.empty()) return "";
  constexpr std::size_t context = 3;
  std::string text = fmt::format("--- {}\n+++ {}\n", before_name, after_name);
  const auto add = [&](char mark, std::string_view line) {
    text += mark;
    text += line;
    if (!line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  };
  for (std::size_t first = 0; first < changes.size();) {
    std::size_t last = first;
    while (last + 1 < changes.size() &&
           changes[last + 1].before_begin <= changes[last].before_end + 2 * context) {
      ++last;
    }
    const std::size_t lead = std::min(context, changes[first].before_begin);
    const std::size_t tail = std::min(context, old_lines.size() - changes[last].before_end);
    const std::size_t old_begin = changes[first].before_begin - lead;
    const std::size_t old_count = changes[last].before_end + tail - old_begin;
    const std::size_t new_begin = changes[first].after_begin - lead;
    const std::size_t new_count = changes[last].after_end + tail - new_begin;
    text += fmt::format("@@ -{},{} +{},{} @@\n", old_begin + (old_count > 0 ? 1 : 0), old_count,
                        new_begin + (new_count > 0 ? 1 : 0), new_count);
    std::size_t at = old_begin;
    for (std::size_t k = first; k <= last; ++k) {
      for (; at < changes[k].before_begin; ++at) add(' ', old_lines[at]);
      for (; at < changes[k].before_end; ++at) add('-', old_lines[at]);
      for (std::size_t j = changes[k].after_begin; j < changes[k].after_end; ++j)
        add('+', new_lines[j]);
    }
    for (const std::size_t end = at + tail; at < end; ++at) add(' ', old_lines[at]);
    first = last + 1;
  }
  return text;
}

}  // namespace dynamics::tools
