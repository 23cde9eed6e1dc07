// SPDX-License-Identifier: Apache-2.0
// The papers' tables of operation counts and their claims about them, beside the counts of our
// implementations.

#include "judged_claims.hpp"

namespace dynamics::tools {

void validate_counts(ValidationReport& report, const PaperChanges& changes) {
  report.heading("Operation counts (the tables of all papers)");
  report.paragraph(
      "Multiplications and divisions (M) and additions (A) for n links. Ours are counted while our "
      "implementation of the same algorithm runs, for general arms of 3 to 8 links; Turney's rows "
      "with inertia tensors in principal axes, as the paper assumes. Counts that differ for every "
      "n are judged for n = 6. Rows with a printed formula compare the paper's numbers with its "
      "own formula. `docs/operation_counts.md` explains the differences line by line; `dynamics "
      "count` prints the rows for other arms.");
  for (const counting::PaperClaim& row : counting::table_claims(changes.counted_arm)) {
    report.claim(page_claim(row));
  }
  report.end_claims();
  report.progress(0.5);

  report.paragraph("The claims about these counts:");
  for (const counting::PaperClaim& row : counting::count_claims(changes.counted_arm)) {
    report.claim(page_claim(row));
  }
  report.end_claims();
  report.paragraph(
      "**Where the crossovers are.** n = 12 of 1999 is that of the sum of multiplications and "
      "additions, n = 10 of 2003 that of the multiplications alone. In additions the O(n) "
      "algorithms become cheaper later. The algorithm of 2003 has the fewest multiplications of "
      "the printed formulas. Counted as printed, with the steps for the first body that the text "
      "leaves out, it needs more than the articulated-body algorithm in frames at the joints; the "
      "library's `udut`, the same decomposition about the joints, needs fewer than either.");
}

}  // namespace dynamics::tools
