// SPDX-License-Identifier: Apache-2.0
// The papers' tables of operation counts, row by row, beside the counts of our implementations.

#include <fmt/format.h>

#include "papers/counting/algorithms.hpp"
#include "papers/counting/flexible_counts.hpp"
#include "papers/counting/paper_tables.hpp"
#include "papers/formulations/registry.hpp"
#include "report.hpp"

namespace dynamics::tools {
namespace {

using counting::OperationCount;
using counting::PaperRow;
using counting::RowKind;

constexpr std::int64_t counted_links = 6;

OperationCount count_of(const PaperRow& row, const Model& arm) {
  const auto task = row.kind == RowKind::forward || row.kind == RowKind::solution
                        ? formulations::Task::forward
                        : formulations::Task::inverse;
  const counting::Result result = counting::count(formulations::find(row.formulation), task, arm);
  if (row.kind == RowKind::solution) return result.counts - result.phi;
  if (row.kind == RowKind::line) return result.lines.at(std::string(row.line));
  return result.counts;
}

Claim judged(const PaperRow& row, const Model& arm) {
  Claim claim;
  claim.item = fmt::format("{}, {}", row.paper, row.table);
  const std::int64_t M = row.multiplications(counted_links), A = row.additions(counted_links);
  claim.paper = fmt::format("{}: {} M, {} A", row.algorithm, M, A);
  if (row.formulation.empty() || row.kind == RowKind::steps) {
    claim.ours = "Quoted only; not implemented here.";
    claim.verdict = Verdict::nothing_to_compare;
    return claim;
  }
  const OperationCount counts = count_of(row, arm);
  claim.ours = fmt::format("{} M ({:+}), {} A ({:+})", counts.products(), counts.products() - M,
                           counts.additions, counts.additions - A);
  const auto verdict = [](std::int64_t ours, std::int64_t paper) {
    if (ours == paper) return Verdict::holds;
    return judge_number(static_cast<double>(ours), static_cast<double>(paper)) == Verdict::differs
               ? Verdict::differs
               : Verdict::in_trend;
  };
  claim.verdict = std::max(verdict(counts.products(), M), verdict(counts.additions, A));
  claim.known_difference = true;
  return claim;
}

}  // namespace

void validate_counts(ValidationReport& report, const PaperChanges&) {
  report.heading("Operation counts (the tables of all papers)");
  report.paragraph(
      "Multiplications (M) and additions (A) for an arm of six links. Ours are counted while our "
      "implementation of the same algorithm runs; in parentheses, the difference. Turney's rows "
      "are counted with inertia tensors in principal axes, as the paper assumes. "
      "`docs/operation_counts.md` explains the differences line by line; `dynamics count` prints "
      "the rows for other arms.");
  const Model general = counting::general_arm(counted_links);
  const Model principal = counting::general_arm(counted_links, {.principal = true});
  for (const PaperRow& row : counting::paper_rows())
    report.claim(judged(row, row.paper.starts_with("Turney") ? principal : general));
  const counting::FlexibleRow table = counting::mohan_saha_table(8, 2);
  const OperationCount ours = counting::count_flexible_forward(counting::flexible_arm(8, 2));
  report.claim(
      {.item = "Mohan and Saha, Table 1",
       .paper = fmt::format("Proposed, n = 8, m = 2: {:.0f} M, {:.0f} A", table.multiplications,
                            table.additions),
       .ours = fmt::format("{} M, {} A, including velocity terms", ours.products(), ours.additions),
       .verdict = judge_number(static_cast<double>(ours.products()), table.multiplications),
       .known_difference = true});
  report.end_claims();
}

}  // namespace dynamics::tools
