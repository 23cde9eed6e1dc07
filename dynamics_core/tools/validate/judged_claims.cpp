// SPDX-License-Identifier: Apache-2.0
#include "judged_claims.hpp"

#include <fmt/format.h>

namespace dynamics::tools {
namespace {

Verdict verdict_of(const std::string& name) {
  for (const Verdict verdict : {Verdict::holds, Verdict::in_trend, Verdict::differs}) {
    if (name == to_string(verdict)) return verdict;
  }
  return Verdict::nothing_to_compare;  // also rows that are quoted only
}

}  // namespace

Claim page_claim(const counting::PaperClaim& judged) {
  Claim claim;
  claim.item = fmt::format("{}, {}", judged.paper, judged.place);
  claim.paper = fmt::format("{}: {}", judged.statement, judged.printed);
  claim.verdict = verdict_of(judged.verdict);
  claim.known_difference = true;
  claim.ours = judged.computed;
  if (claim.verdict == Verdict::in_trend || claim.verdict == Verdict::differs) {
    if (!judged.difference.empty()) claim.ours += fmt::format("; difference {}", judged.difference);
  }
  return claim;
}

}  // namespace dynamics::tools
