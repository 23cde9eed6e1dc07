// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads words and numbers of a text, with line numbers in errors.
//
//   TextScanner scanner(text, 0, text.size());
//   while (const auto word = scanner.next()) values.push_back(scanner.number(*word));

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "meshes/mesh.hpp"

namespace dynamics::meshes {

/// Throws MeshError "line N: message" for a position in the text.
[[noreturn]] void fail_at(std::string_view text, std::size_t position, const std::string& message);

/// A word from a file, short enough for a message.
std::string in_quotes(std::string_view word);

class TextScanner {
 public:
  /// Scans `text` from `begin` to `end`; lines are counted from the start of `text`.
  TextScanner(std::string_view text, std::size_t begin, std::size_t end)
      : text_(text), at_(begin), end_(end), word_(begin) {}

  /// The next word, separated by white space; empty at the end.
  std::optional<std::string_view> next();
  /// The next word in the same line; empty at the end of the line.
  std::optional<std::string_view> next_in_line();
  /// The rest of the line without white space at its ends. Moves to the next line.
  std::string_view rest_of_line();
  /// The same, without moving.
  std::string_view peek_line() const { return TextScanner(*this).rest_of_line(); }
  bool at_end() const { return at_ >= end_; }

  /// The value of a word; empty unless it is a number up to largest_coordinate.
  static std::optional<double> finite_number(std::string_view word);
  /// The value of the word that was just read. Throws MeshError instead.
  double number(std::string_view word) const;
  std::int64_t integer(std::string_view word) const;
  /// Throws MeshError with the line of the last word.
  [[noreturn]] void fail(const std::string& message) const { fail_at(text_, word_, message); }

 private:
  std::string_view text_;
  std::size_t at_, end_, word_;
};

}  // namespace dynamics::meshes
