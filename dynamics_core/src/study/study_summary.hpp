// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds the summary of a table row by row.

#include <memory>

#include "dynamics_core/study.hpp"

namespace dynamics::study {

class SummaryBuilder {
 public:
  explicit SummaryBuilder(const Study& study);
  ~SummaryBuilder();
  SummaryBuilder(const SummaryBuilder&) = delete;
  SummaryBuilder& operator=(const SummaryBuilder&) = delete;
  void add(const StudyRow& row);
  StudySummary finish();

 private:
  struct Running;
  Study study_;
  std::uint64_t stride_;
  std::unique_ptr<Running> running_;
};

}  // namespace dynamics::study
