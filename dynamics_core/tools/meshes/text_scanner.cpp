// SPDX-License-Identifier: Apache-2.0
#include "meshes/text_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dynamics::meshes {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_white(char c) { return is_blank(c) || c == '\n'; }

}  // namespace

void fail_at(std::string_view text, std::size_t position, const std::string& message) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
  throw MeshError(fmt::format("line {}: {}", 1 + std::count(text.begin(), end, '\n'), message));
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string text(word.substr(0, longest));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = '?';
  }
  return "'" + text + (word.size() > longest ? "...'" : "'");
}

std::optional<std::string_view> TextScanner::next() {
  while (at_ < end_ && is_white(text_[at_])) ++at_;
  word_ = at_;
  while (at_ < end_ && !is_white(text_[at_])) ++at_;
  if (word_ == at_) return std::nullopt;
  return text_.substr(word_, at_ - word_);
}

std::optional<std::string_view> TextScanner::next_in_line() {
  while (at_ < end_ && is_blank(text_[at_])) ++at_;
  if (at_ < end_ && text_[at_] == '\n') return std::nullopt;
  return next();
}

std::string_view TextScanner::rest_of_line() {
  const std::size_t end = std::min(text_.find('\n', at_), end_);
  std::string_view rest = text_.substr(at_, end - at_);
  at_ = std::min(end + 1, end_);
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  return rest;
}

std::optional<double> TextScanner::finite_number(std::string_view word) {
  double value = 0.0;
  const char* const first = word.data() + (word.starts_with('+') ? 1 : 0);
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (end != last) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // below the smallest number: 0; above the largest: not finite
    const bool tiny = word.find("e-") != word.npos || word.find("E-") != word.npos;
    return tiny ? std::optional(0.0) : std::nullopt;
  }
  const bool usable = error == std::errc{} && std::abs(value) <= largest_coordinate;
  return usable ? std::optional(value) : std::nullopt;
}

double TextScanner::number(std::string_view word) const {
  if (const auto value = finite_number(word)) return *value;
  fail(fmt::format("{} is not a number up to {:g}", in_quotes(word), largest_coordinate));
}

std::int64_t TextScanner::integer(std::string_view word) const {
  std::int64_t value = 0;
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, value);
  if (error != std::errc{} || end != last) fail(in_quotes(word) + " is not an integer");
  return value;
}

}  // namespace dynamics::meshes
