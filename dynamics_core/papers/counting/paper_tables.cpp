// SPDX-License-Identifier: Apache-2.0
#include "papers/counting/paper_tables.hpp"

#include <fmt/format.h>

#include <array>

#include "dynamics_core/error.hpp"

namespace dynamics::counting {
namespace {

constexpr auto n = [](std::int64_t c1, std::int64_t c0 = 0) { return Polynomial::linear(c1, c0); };
/// (c3 n^3 + c2 n^2 + c1 n + c0) / 6
constexpr auto sixths = [](std::int64_t c3, std::int64_t c2, std::int64_t c1, std::int64_t c0) {
  return Polynomial::sixths({c3, c2, c1, c0});
};

constexpr std::string_view saha99 = "Saha 1999", saha03 = "Saha 2003", turney = "Turney 1980",
                           nasser = "Nasser 1990";
constexpr auto inverse = RowKind::inverse;
constexpr auto solution = RowKind::solution;
constexpr auto forward = RowKind::forward;
constexpr auto line = RowKind::line;
constexpr auto steps = RowKind::steps;

constexpr std::string_view misprint_480 =
    "prints 480 A for n = 6; its own formula gives 475 (and 1716 for n = 12, as printed)";
constexpr std::string_view lagrange = "lagrange", newton = "newton-euler",
                           modified = "modified-newton-euler", as_printed = "saha-2003";

// Flexible links (Mohan and Saha, Table 1) depend on the modes too: see flexible_counts.hpp.
constexpr std::array rows = {
    PaperRow{saha99, "Table 1", "Hollerbach (1980)", inverse, n(412, -277), n(320, -201), "", "",
             ""},
    PaperRow{saha99, "Table 1", "Luh et al. (1980)", inverse, n(150, -48), n(131, 48), newton, "",
             "131n - 48 A in other papers; printed as + 48, consistent with its 834 for n = 6"},
    PaperRow{saha99, "Table 1", "Walker and Orin (1982)", inverse, n(137, -22), n(101, -11), "", "",
             ""},
    PaperRow{saha99, "Table 1", "Proposed", inverse, n(120, -44), n(97, -55), "saha-1999", "", ""},
    PaperRow{saha99, "Table 1", "Khalil et al. (1986)", inverse, n(105, -92), n(94, -86), "", "",
             ""},
    PaperRow{saha99, "Table 1", "Angeles et al. (1989)", inverse, n(105, -109), n(90, -105), "", "",
             ""},
    PaperRow{saha99, "Table 1", "Balafoutis et al. (1988)", inverse, n(93, -69), n(81, -65), "", "",
             ""},

    PaperRow{saha99, "Table 2", "Proposed", solution, n(201, -335), n(193, -361), "udut", "", ""},
    PaperRow{saha99, "Table 2", "Featherstone (1983)", solution, n(199, -198), n(174, -173),
             "articulated-body", "", ""},
    PaperRow{saha99, "Table 2", "Walker and Orin (1982)", solution, sixths(1, 69, 230, -282),
             sixths(1, 42, 233, -276), "walker-orin", "", misprint_480},

    PaperRow{saha03, "section 3", "A1 d_i", line, n(4), n(2), as_printed, "A1", ""},
    PaperRow{saha03, "section 3", "A2 c_{i,i-1}", line, n(0), n(3, -3), as_printed, "A2", ""},
    PaperRow{saha03, "section 3", "A3a M^_n", line, n(0, 16), n(0, 17), as_printed, "A3a",
             "two planar rotations of a symmetric matrix need 16 A"},
    PaperRow{saha03, "section 3", "A3b M^_i, i = n-1..2", line, n(86, -179), n(101, -215),
             as_printed, "A3b", "omits the 6 A of I_i; counts 17 A for 16 A in two rotations"},
    PaperRow{saha03, "section 3", "A3 M^_1", line, n(0), n(0), as_printed, "A3, M^_1",
             "not printed: m^_1 of step A5 needs M^_1"},
    PaperRow{saha03, "section 3", "A4a psi^_n", line, n(0, 2), n(0), as_printed, "A4a", ""},
    PaperRow{saha03, "section 3", "A4b psi^_i, i = n-1..2", line, n(12, -36), n(12, -36),
             as_printed, "A4b", "prints n - 3 links; i = n-1, ..., 2 are n - 2"},
    PaperRow{saha03, "section 3", "A4 psi^_1", line, n(0), n(0), as_printed, "A4, psi^_1",
             "not printed: m^_1 of step A5 needs psi^_1"},
    PaperRow{saha03, "section 3", "A5 m^_i", line, n(2), n(2), as_printed, "A5", ""},
    PaperRow{saha03, "section 3", "A6 psi_i", line, n(6, -7), n(0), as_printed, "A6", ""},
    PaperRow{saha03, "section 3", "A7a M^_nn", line, n(0, 15), n(0, 8), as_printed, "A7a", ""},
    PaperRow{saha03, "section 3", "A7b M^_ii", line, n(21, -42), n(21, -42), as_printed, "A7b", ""},
    PaperRow{saha03, "section 3", "A8a eta_n", line, n(0, 5), n(0), as_printed, "A8a", ""},
    PaperRow{saha03, "section 3", "A8b eta_i", line, n(6, -12), n(6, -12), as_printed, "A8b", ""},
    PaperRow{saha03, "section 3", "A9 eta_{i-1,i}", line, n(22, -26), n(14, -18), as_printed, "A9",
             ""},
    PaperRow{saha03, "section 3", "A10 tau^_i", line, n(2, -2), n(3, -3), as_printed, "A10", ""},
    PaperRow{saha03, "section 3", "B tau~_i", line, n(1), n(0), as_printed, "B", ""},
    PaperRow{saha03, "section 3", "C1 qdd_i", line, n(6, -6), n(6, -6), as_printed, "C1", ""},
    PaperRow{saha03, "section 3", "C2a mu_1", line, n(0, 12), n(0, 2), as_printed, "C2a",
             "Q_1^T e qdd has two products, not four"},
    PaperRow{saha03, "section 3", "C2b mu_i, i = 2..n", line, n(18, -18), n(11, -11), as_printed,
             "C2b", "mu_n enters no result: i = 2, ..., n-1 here"},
    PaperRow{saha03, "section 3", "C3 mu_{i,i-1}", line, n(6, -6), n(6, -6), as_printed, "C3", ""},

    PaperRow{saha03, "Table I", "Proposed", solution, n(191, -284), n(187, -325), as_printed, "",
             "the steps of section 3 add up to 192n - 284 M and 187n - 325 A, without M^_1"},
    PaperRow{saha03, "Table I", "Featherstone", solution, n(199, -198), n(174, -173),
             "articulated-body", "", ""},
    PaperRow{saha03, "Table I", "Valasek", solution, n(226, -343), n(206, -345), "", "", ""},
    PaperRow{saha03, "Table I", "Brandl et al.", solution, n(250, -222), n(220, -198), "", "", ""},
    PaperRow{saha03, "Table I", "Walker and Orin", solution, sixths(1, 69, 230, -282),
             sixths(1, 42, 233, -276), "walker-orin", "", misprint_480},

    PaperRow{turney, "Table 1", "Lagrange", inverse, sixths(81, 495, 30, 0),
             sixths(80, 348, -128, 0), lagrange, "",
             "the appendix exchanges multiplications and additions"},
    PaperRow{turney, "Table 1", "Newton-Euler", inverse, n(108, -12), n(100, -9), newton, "", ""},
    PaperRow{turney, "Table 1", "Modified Newton-Euler", inverse, n(90, -27), n(88, -24), modified,
             "", "for tensors in principal axes"},

    PaperRow{turney, "Table 2", "T_j^i", line, sixths(0, 192, -192, 0), sixths(0, 144, -144, 0),
             lagrange, "T_j^i", ""},
    PaperRow{turney, "Table 2", "dT_0^i/dtheta_j", line, sixths(0, 192, -192, 0),
             sixths(0, 144, -144, 0), lagrange, "dT_0^i/dtheta_j", ""},
    PaperRow{turney, "Table 2", "d2T_0^i/dtheta_j dtheta_k", line, sixths(64, 0, -64, 0),
             sixths(48, 0, -48, 0), lagrange, "d2T_0^i/dtheta_j dtheta_k",
             "the appendix prints 16n(n^2 - 1) A; its own 48 per product give 8n(n^2 - 1)"},
    PaperRow{turney, "Table 2", "{sum ...} J_q", line, sixths(17, 51, 418, 0),
             sixths(32, 0, 160, 0), lagrange, "kinetic sum J_q",
             "M omits 8q(q + 1) - 8q(q - 1) of the squares; A has 16q(q - 1) for 16q(q + 1)"},
    PaperRow{turney, "Table 2", "Tr{... dT_0^q/dtheta_i}", line, sixths(0, 48, 48, 0),
             sixths(0, 48, 42, 0), lagrange, "Tr{... dT/dtheta_i}", ""},
    PaperRow{turney, "Table 2", "sum z_0 dT_0^q/dtheta_i m g r", line, sixths(0, 12, 12, 0),
             sixths(0, 12, 6, 0), lagrange, "gravity", "gravity along z_0 only"},

    PaperRow{turney, "Table 3", "omega_i", line, n(9), n(7), newton, "omega_i", ""},
    PaperRow{turney, "Table 3", "alpha_i", line, n(9), n(9), newton, "alpha_i",
             "omits the 2 M of omega x z qd"},
    PaperRow{turney, "Table 3", "A_i", line, n(6), n(9), newton, "A_i", ""},
    PaperRow{turney, "Table 3", "a_i", line, n(18), n(15), newton, "a_i", ""},
    PaperRow{turney, "Table 3", "a_bar_i", line, n(9), n(9), newton, "a_bar_i", ""},
    PaperRow{turney, "Table 3", "f_i", line, n(12, -12), n(9, -9), newton, "f_i",
             "omits m a_bar of the last link"},
    PaperRow{turney, "Table 3", "I_i alpha_i", line, n(9), n(6), newton, "I_i alpha_i", ""},
    PaperRow{turney, "Table 3", "omega_i x (I_i omega_i)", line, n(15), n(9), newton,
             "omega_i x (I_i omega_i)", ""},
    PaperRow{turney, "Table 3", "m (r_i + r_bar_i) x a_bar_i", line, n(6), n(3), newton,
             "m (r_i + r_bar_i) x a_bar_i", ""},
    PaperRow{turney, "Table 3", "r_i x R f_{i+1}", line, n(6), n(3), newton, "r_i x R f_{i+1}", ""},
    PaperRow{turney, "Table 3", "R n_{i+1}", line, n(9), n(6), newton, "R n_{i+1}", ""},
    PaperRow{turney, "Table 3", "add n", line, n(0), n(15), newton, "add n", ""},

    PaperRow{turney, "Table 4", "omega_i", line, n(9), n(7), modified, "omega_i", ""},
    PaperRow{turney, "Table 4", "alpha_i", line, n(9), n(9), modified, "alpha_i",
             "omits the 2 M of omega x z qd"},
    PaperRow{turney, "Table 4", "A_i", line, n(6), n(9), modified, "A_i", ""},
    PaperRow{turney, "Table 4", "a_i", line, n(18, -18), n(15, -15), modified, "a_i",
             "omits R a_{n-1}, which the last m a_bar needs"},
    PaperRow{turney, "Table 4", "m_i a_bar_i", line, n(12), n(9), modified, "m_i a_bar_i", ""},
    PaperRow{turney, "Table 4", "f_i", line, n(9, -9), n(9, -9), modified, "f_i", ""},
    PaperRow{turney, "Table 4", "Tr{A_i K_i sigma^t}", line, n(6), n(3), modified,
             "Tr{A_i K_i sigma^t}", "for tensors in principal axes"},
    PaperRow{turney, "Table 4", "m (r_i + r_bar_i) x a_bar_i", line, n(6), n(3), modified,
             "m (r_i + r_bar_i) x a_bar_i", ""},
    PaperRow{turney, "Table 4", "r_i x R f_{i+1}", line, n(6), n(3), modified, "r_i x R f_{i+1}",
             ""},
    PaperRow{turney, "Table 4", "R n_{i+1}", line, n(9), n(6), modified, "R n_{i+1}", ""},
    PaperRow{turney, "Table 4", "add n", line, n(0), n(15), modified, "add n",
             "as in Table 3, although there is one term fewer"},

    PaperRow{turney, "Table 5", "Modified Newton-Euler, concurrent", steps, n(27, 42), n(27, 41),
             modified, "", "steps of a concurrent machine, not operations"},

    PaperRow{nasser, "section 3.3", "Proposed", forward, n(258, -119), n(191, -83), "nasser", "",
             ""},
};

constexpr std::array values = {
    PrintedValue{saha99, "Table 1", "Hollerbach (1980)", 6, 2195, 1719},
    PrintedValue{saha99, "Table 1", "Luh et al. (1980)", 6, 852, 834},
    PrintedValue{saha99, "Table 1", "Walker and Orin (1982)", 6, 800, 595},
    PrintedValue{saha99, "Table 1", "Proposed", 6, 676, 527},
    PrintedValue{saha99, "Table 1", "Khalil et al. (1986)", 6, 538, 478},
    PrintedValue{saha99, "Table 1", "Angeles et al. (1989)", 6, 521, 435},
    PrintedValue{saha99, "Table 1", "Balafoutis et al. (1988)", 6, 489, 421},
    PrintedValue{saha99, "Table 2", "Proposed", 6, 871, 797},
    PrintedValue{saha99, "Table 2", "Proposed", 12, 2077, 1955},
    PrintedValue{saha99, "Table 2", "Featherstone (1983)", 6, 996, 871},
    PrintedValue{saha99, "Table 2", "Featherstone (1983)", 12, 2190, 1915},
    PrintedValue{saha99, "Table 2", "Walker and Orin (1982)", 6, 633, 480},
    PrintedValue{saha99, "Table 2", "Walker and Orin (1982)", 12, 2357, 1716},
    PrintedValue{saha03, "Table I", "Proposed", 6, 862, 797},
    PrintedValue{saha03, "Table I", "Proposed", 10, 1626, 1545},
    PrintedValue{saha03, "Table I", "Featherstone", 6, 996, 871},
    PrintedValue{saha03, "Table I", "Featherstone", 10, 1792, 1567},
    PrintedValue{saha03, "Table I", "Valasek", 6, 1013, 891},
    PrintedValue{saha03, "Table I", "Valasek", 10, 1917, 1715},
    PrintedValue{saha03, "Table I", "Brandl et al.", 6, 1278, 1122},
    PrintedValue{saha03, "Table I", "Brandl et al.", 10, 2278, 2002},
    PrintedValue{saha03, "Table I", "Walker and Orin", 6, 633, 480},
    PrintedValue{saha03, "Table I", "Walker and Orin", 10, 1653, 1209},
};

}  // namespace

std::span<const PaperRow> paper_rows() { return rows; }

const PaperRow& paper_row(std::string_view paper, std::string_view table,
                          std::string_view algorithm) {
  for (const PaperRow& row : rows) {
    if (row.paper == paper && row.table == table && row.algorithm == algorithm) return row;
  }
  throw ArgumentError(fmt::format("{}, {} has no row '{}'", paper, table, algorithm));
}

std::span<const PrintedValue> printed_values() { return values; }

}  // namespace dynamics::counting
