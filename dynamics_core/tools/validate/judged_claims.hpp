// SPDX-License-Identifier: Apache-2.0
#pragma once

// Statements that the papers' library has judged, as rows of the validation page:
//
//   for (const counting::PaperClaim& row : counting::table_claims()) report.claim(page_claim(row));

#include "papers/counting/paper_claims.hpp"
#include "report.hpp"

namespace dynamics::tools {

/// The row of a statement. Its differences are explained on the page or in operation_counts.md.
Claim page_claim(const counting::PaperClaim& judged);

}  // namespace dynamics::tools
