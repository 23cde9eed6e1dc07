// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is kept of the samples of a case.

#include <string>
#include <vector>

#include "study/evaluate.hpp"
#include "study/statistics.hpp"

namespace dynamics::study {

/// The results of a study, with their columns found.
class Results {
 public:
  /// `samples`: of any case. Throws ArgumentError for a pattern without column, or the reference of
  /// a run that has none.
  Results(const Plan& plan, const Nominal& nominal, const CaseSamples& samples);

  const std::vector<std::string>& names() const { return names_; }
  void append(const CaseSamples& samples, std::vector<double>& values) const;

 private:
  struct Column {
    Statistic statistic;
    std::size_t column;
  };
  struct Derived {
    Kept kept;
    std::size_t first;  ///< columns before it
  };
  std::vector<std::string> names_;
  std::vector<Column> columns_;
  std::vector<Derived> derived_;
};

}  // namespace dynamics::study
