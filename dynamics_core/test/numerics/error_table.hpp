// SPDX-License-Identifier: Apache-2.0
#pragma once

// The error tables of docs/numerics.md.
//
//   test::ErrorTables::instance().add_row("scale", "7 joints, ...", {}, {error});
//
// The tests add the errors that they measure. After the last test these are compared with the page:
// an error may be at most ten times the documented one. With DYNAMICS_WRITE_NUMERICS=1 the tables
// are written to the page instead.

#include <map>
#include <string>
#include <vector>

namespace dynamics::test {

/// Built with a sanitizer: the tests use fewer states and steps.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

class ErrorTables {
 public:
  static ErrorTables& instance();

  /// Adds a row: label, further columns, then the errors.
  void add_row(const std::string& table, const std::string& label,
               const std::vector<std::string>& columns, const std::vector<double>& errors);

  /// The page with its tables replaced by the measured rows.
  std::string updated_page(const std::string& page) const;
  /// One line per row that the page lacks and per error above ten times the documented one.
  std::string violations(const std::string& page) const;
  bool empty() const { return tables_.empty(); }

 private:
  struct Row {
    std::string label;
    std::vector<std::string> columns;
    std::vector<double> errors;
  };
  std::map<std::string, std::vector<Row>> tables_;
};

}  // namespace dynamics::test
