// SPDX-License-Identifier: Apache-2.0
//
// The Runge-Kutta tableaux with rational coefficients, exact in every scalar:
//
//   rk4     Kutta 1901, order 4, no error estimate
//   rkf45   Fehlberg 1969 (NASA TR R-315, Formula 2), 4(5); the fifth-order solution is propagated,
//           as in Shampine and Watts' RKF45
//   dverk   Verner 1978 (SIAM J. Numer. Anal. 15, pp. 772-790), 6(5), as in Hull, Enright and
//           Jackson's DVERK; the sixth-order solution is propagated
//   dopri5  Dormand and Prince 1980, 5(4), with Shampine's dense output of order 4 (Hairer,
//           Norsett, Wanner, Solving ODEs I, section II.6)
//
//   const auto tableau = tableau_of<cpp_bin_float_50>(printed_tableaux()[2]);   // dverk
#pragma once

#include "ode/tableau.hpp"

namespace dynamics::ode {

/// A tableau as it is published. The stages are those of b; the stage at the end of the step, whose
/// c is 1 and whose row of a is b, is left out.
struct PrintedTableau {
  std::string_view name;
  int order = 0;
  int estimate_order = 0;
  int interpolant_degree = 0;  ///< 0: `dense` is given
  PrintedRow c = {};
  std::vector<PrintedRow> a = {};
  PrintedRow b = {};
  PrintedRow b_hat = {};  ///< of the other formula of the pair; empty: `error`, or no pair
  PrintedRow error = {};
  std::vector<PrintedRow> dense = {};
};

inline std::vector<PrintedTableau> printed_tableaux() {
  return {
      {.name = "rk4",
       .order = 4,
       .interpolant_degree = 4,
       .c = {"0", "1/2", "1/2", "1"},
       .a = {{}, {"1/2"}, {"0", "1/2"}, {"0", "0", "1"}},
       .b = {"1/6", "1/3", "1/3", "1/6"}},
      {.name = "rkf45",
       .order = 5,
       .estimate_order = 4,
       .interpolant_degree = 5,
       .c = {"0", "1/4", "3/8", "12/13", "1", "1/2"},
       .a = {{},
             {"1/4"},
             {"3/32", "9/32"},
             {"1932/2197", "-7200/2197", "7296/2197"},
             {"439/216", "-8", "3680/513", "-845/4104"},
             {"-8/27", "2", "-3544/2565", "1859/4104", "-11/40"}},
       .b = {"16/135", "0", "6656/12825", "28561/56430", "-9/50", "2/55"},
       .b_hat = {"25/216", "0", "1408/2565", "2197/4104", "-1/5"}},
      {.name = "dverk",
       .order = 6,
       .estimate_order = 5,
       .interpolant_degree = 6,
       .c = {"0", "1/6", "4/15", "2/3", "5/6", "1", "1/15", "1"},
       .a = {{},
             {"1/6"},
             {"4/75", "16/75"},
             {"5/6", "-8/3", "5/2"},
             {"-165/64", "55/6", "-425/64", "85/96"},
             {"12/5", "-8", "4015/612", "-11/36", "88/255"},
             {"-8263/15000", "124/75", "-643/680", "-81/250", "2484/10625"},
             {"3501/1720", "-300/43", "297275/52632", "-319/2322", "24068/84065", "0",
              "3850/26703"}},
       .b = {"3/40", "0", "875/2244", "23/72", "264/1955", "0", "125/11592", "43/616"},
       .b_hat = {"13/160", "0", "2375/5984", "5/16", "12/85", "3/44"}},
      {.name = "dopri5",
       .order = 5,
       .estimate_order = 4,
       .c = {"0", "1/5", "3/10", "4/5", "8/9", "1"},
       .a = {{},
             {"1/5"},
             {"3/40", "9/40"},
             {"44/45", "-56/15", "32/9"},
             {"19372/6561", "-25360/2187", "64448/6561", "-212/729"},
             {"9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656"}},
       .b = {"35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84"},
       .error = {"71/57600", "0", "-71/16695", "71/1920", "-17253/339200", "22/525", "-1/40"},
       .dense = {{"-12715105075/11282082432", "0", "87487479700/32700410799",
                  "-10690763975/1880347072", "701980252875/199316789632", "-1453857185/822651844",
                  "69997945/29380423"}}},
  };
}

template <class Real>
Tableau<Real> tableau_of(const PrintedTableau& printed) {
  Tableau<Real> t;
  t.name = printed.name;
  t.order = printed.order;
  t.estimate_order = printed.estimate_order;
  t.interpolant_degree = printed.interpolant_degree;
  t.stages = printed.b.size();
  t.c = constants<Real>(printed.c);
  t.c.push_back(Real(1));
  for (const auto& row : printed.a) t.a.push_back(terms<Real>(row));
  t.b = terms<Real>(printed.b);
  t.a.push_back(t.b);
  t.error = printed.b_hat.empty() ? terms<Real>(printed.error)
                                  : difference<Real>(t.b, terms<Real>(printed.b_hat), t.stages);
  for (const auto& row : printed.dense) t.dense.push_back(terms<Real>(row));
  if (!t.error.empty()) t.beta = Real(4) / Real(100);
  return t;
}

}  // namespace dynamics::ode
