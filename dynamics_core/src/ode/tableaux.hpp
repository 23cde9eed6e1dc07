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
//   Norsett,
//           Wanner, Solving ODEs I, section II.6)
//
//   const auto tableau = dverk_tableau<cpp_bin_float_50>();
#pragma once

#include "ode/tableau.hpp"

namespace dynamics::ode {

template <class Real>
Tableau<Real> rk4_tableau() {
  Tableau<Real> t;
  t.name = "rk4";
  t.order = 4;
  t.stages = 4;
  t.c = constants<Real>({"0", "1/2", "1/2", "1", "1"});
  t.b = terms<Real>({"1/6", "1/3", "1/3", "1/6"});
  t.a = {{}, terms<Real>({"1/2"}), terms<Real>({"0", "1/2"}), terms<Real>({"0", "0", "1"}), t.b};
  t.interpolant_degree = 4;
  return t;
}

template <class Real>
Tableau<Real> rkf45_tableau() {
  Tableau<Real> t;
  t.name = "rkf45";
  t.order = 5;
  t.estimate_order = 4;
  t.stages = 6;
  t.c = constants<Real>({"0", "1/4", "3/8", "12/13", "1", "1/2", "1"});
  t.b = terms<Real>({"16/135", "0", "6656/12825", "28561/56430", "-9/50", "2/55"});
  t.a = {{},
         terms<Real>({"1/4"}),
         terms<Real>({"3/32", "9/32"}),
         terms<Real>({"1932/2197", "-7200/2197", "7296/2197"}),
         terms<Real>({"439/216", "-8", "3680/513", "-845/4104"}),
         terms<Real>({"-8/27", "2", "-3544/2565", "1859/4104", "-11/40"}),
         t.b};
  const auto fourth = terms<Real>({"25/216", "0", "1408/2565", "2197/4104", "-1/5"});
  t.error = difference<Real>(t.b, fourth, t.stages);
  t.interpolant_degree = 5;
  t.beta = Real(4) / Real(100);
  return t;
}

template <class Real>
Tableau<Real> dverk_tableau() {
  Tableau<Real> t;
  t.name = "dverk";
  t.order = 6;
  t.estimate_order = 5;
  t.stages = 8;
  t.c = constants<Real>({"0", "1/6", "4/15", "2/3", "5/6", "1", "1/15", "1", "1"});
  t.b = terms<Real>({"3/40", "0", "875/2244", "23/72", "264/1955", "0", "125/11592", "43/616"});
  t.a = {{},
         terms<Real>({"1/6"}),
         terms<Real>({"4/75", "16/75"}),
         terms<Real>({"5/6", "-8/3", "5/2"}),
         terms<Real>({"-165/64", "55/6", "-425/64", "85/96"}),
         terms<Real>({"12/5", "-8", "4015/612", "-11/36", "88/255"}),
         terms<Real>({"-8263/15000", "124/75", "-643/680", "-81/250", "2484/10625"}),
         terms<Real>({"3501/1720", "-300/43", "297275/52632", "-319/2322", "24068/84065", "0",
                      "3850/26703"}),
         t.b};
  const auto fifth = terms<Real>({"13/160", "0", "2375/5984", "5/16", "12/85", "3/44"});
  t.error = difference<Real>(t.b, fifth, t.stages);
  t.interpolant_degree = 6;
  t.beta = Real(4) / Real(100);
  return t;
}

template <class Real>
Tableau<Real> dopri5_tableau() {
  Tableau<Real> t;
  t.name = "dopri5";
  t.order = 5;
  t.estimate_order = 4;
  t.stages = 6;
  t.c = constants<Real>({"0", "1/5", "3/10", "4/5", "8/9", "1", "1"});
  t.b = terms<Real>({"35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84"});
  t.a = {{},
         terms<Real>({"1/5"}),
         terms<Real>({"3/40", "9/40"}),
         terms<Real>({"44/45", "-56/15", "32/9"}),
         terms<Real>({"19372/6561", "-25360/2187", "64448/6561", "-212/729"}),
         terms<Real>({"9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656"}),
         t.b};
  t.error =
      terms<Real>({"71/57600", "0", "-71/16695", "71/1920", "-17253/339200", "22/525", "-1/40"});
  t.dense = {terms<Real>({"-12715105075/11282082432", "0", "87487479700/32700410799",
                          "-10690763975/1880347072", "701980252875/199316789632",
                          "-1453857185/822651844", "69997945/29380423"})};
  t.beta = Real(4) / Real(100);
  return t;
}

}  // namespace dynamics::ode
