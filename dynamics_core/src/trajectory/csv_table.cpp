// SPDX-License-Identifier: Apache-2.0
#include "trajectory/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dynamics_core/error.hpp"

namespace dynamics {
namespace {

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const auto comma = line.find(',');
    std::string_view cell = line.substr(0, comma);
    while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t' || cell.back() == '\r'))
      cell.remove_suffix(1);
    cells.push_back(cell);
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

/// The names of the first row. Names in double quotes may contain commas and, doubled, quotes.
std::vector<std::string> split_names(std::string_view line) {
  std::vector<std::string> names;
  std::string_view pending;  // from the opening quote to the comma, while the quotes are open
  for (const std::string_view cell : split(line)) {
    const std::string_view part =
        pending.empty()
            ? cell
            : std::string_view(pending.data(), static_cast<std::size_t>(cell.data() + cell.size() -
                                                                        pending.data()));
    if (std::count(part.begin(), part.end(), '"') % 2 != 0) {
      pending = part;
      continue;
    }
    pending = {};
    std::string name(part);
    if (part.size() >= 2 && part.front() == '"' && part.back() == '"') {
      name.clear();
      for (std::size_t i = 1; i + 1 < part.size(); ++i) {
        name += part[i];
        if (part[i] == '"') ++i;  // doubled
      }
    }
    names.push_back(std::move(name));
  }
  if (!pending.empty()) names.emplace_back(pending);
  return names;
}

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

CsvTable::CsvTable(std::string_view text, std::string_view file_name) : file_(file_name) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (text.find('\0') != std::string_view::npos)
    throw ParseError(file_, "contains a zero byte: it must be UTF-8 text");
  if (blank(text))
    throw ParseError(file_, "is empty: it needs a first row of column names and rows of numbers");
  names_ = split_names(take_line(text));
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!columns_.emplace(names_[i], i).second)
      fail_names(fmt::format("column '{}' appears twice", names_[i]));
  }
  if (!find("t")) fail_names("column 't' (times in s) is missing");
  for (std::size_t line_number = 2; !text.empty(); ++line_number) {
    const std::string_view line = take_line(text);
    if (blank(line)) continue;
    cells_.push_back(split(line));
    lines_.push_back(line_number);
    if (cells_.back().size() != names_.size()) {
      throw ParseError(
          fmt::format("{}:{}", file_, line_number),
          fmt::format("has {} cells; the first row has {}", cells_.back().size(), names_.size()));
    }
  }
  if (cells_.empty()) throw ParseError(file_, "has column names but no rows of numbers");
}

std::optional<std::size_t> CsvTable::find(std::string_view name) const {
  const auto found = columns_.find(std::string(name));
  if (found == columns_.end()) return std::nullopt;
  return found->second;
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  const std::string_view cell = cells_[row][column];
  double value = 0.0;
  const char* const end = cell.data() + cell.size();
  const auto [next, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc{} || next != end || !std::isfinite(value)) {
    throw ParseError(fmt::format("{}:{}", file_, lines_[row]),
                     fmt::format("column '{}': '{}' is not a finite number", names_[column], cell));
  }
  return value;
}

std::vector<double> CsvTable::times() const {
  const std::size_t column = *find("t");
  std::vector<double> t;
  for (std::size_t row = 0; row < rows(); ++row) {
    t.push_back(number(row, column));
    const std::string at = fmt::format("{}:{}", file_, lines_[row]);
    if (t.back() < 0.0) throw ParseError(at, fmt::format("time {} is negative", t.back()));
    if (row > 0 && !(t[row] > t[row - 1])) {
      throw ParseError(at, fmt::format("time {} is not after {}, the time of the previous row",
                                       t[row], t[row - 1]));
    }
  }
  return t;
}

void CsvTable::fail_names(const std::string& message) const {
  throw ParseError(file_ + ":1", message);
}

}  // namespace dynamics
