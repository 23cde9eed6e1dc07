// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tables of docs/numerics.md. The tests note what they measure; at the end it is held against
// what the page says: a number may be ten times the page's, and no more.
// DYNAMICS_WRITE_NUMERICS=1 writes the tables into the page instead.

#include <map>
#include <string>
#include <vector>

namespace dynamics::test {

/// Fewer states and steps where every operation is watched.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool watched = true;
#else
inline constexpr bool watched = false;
#endif

class Numbers {
 public:
  static Numbers& all();

  /// A row: what was tried, other columns, and the errors, in the columns after them.
  void note(const std::string& table, const std::string& what,
            const std::vector<std::string>& columns, const std::vector<double>& errors);

  /// The page with this run's rows in its tables.
  std::string into(const std::string& page) const;
  /// What this run has that the page does not say, or that is more than ten times what it says.
  std::string beyond(const std::string& page) const;
  bool empty() const { return tables_.empty(); }

 private:
  struct Row {
    std::string what;
    std::vector<std::string> columns;
    std::vector<double> errors;
  };
  std::map<std::string, std::vector<Row>> tables_;
};

}  // namespace dynamics::test
