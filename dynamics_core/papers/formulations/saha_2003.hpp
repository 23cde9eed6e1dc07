// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forward dynamics as printed in Saha 2003, section 3, one function per step: A1 to A10 (tau^), B
// (tau~), C1 to C3 (qdd). The library's own recursion (algorithm udut) does the same work about the
// joints. As in the paper, phi = tau - C qd - g comes from inverse dynamics with qdd = 0 (Saha
// 1999, section 5.1) and is given to the steps.
//
// Corrections of the text:
// - A3 and A4 print i = n-1, ..., 2. m^_1 of step A5 needs M^_1 and psi^_1 too.
// - A3 prints I^_i without I_i, which Eq. (28) adds.
// - C2 prints i = 2, ..., n. mu_n enters no result and is not computed.
// - C3 prints mu_{i-1(t)} for mu_{i-1(b)} in the last line.

#include <vector>

#include "papers/formulations/saha_1999.hpp"

namespace dynamics::formulations {

namespace detail {

/// The blocks of a symmetric 6x6 matrix, Eq. (16): [I F^T; F G].
template <class S>
struct SahaBlocks {
  Sym3<S> I;
  Mat3<S> F;
  Sym3<S> G;
};

/// Q m Q^T for Q = Rz(theta) Rx(alpha): symmetric 16 M 16 A, general 24 M 22 A.
template <class S, class Matrix>
Matrix rotated_to_previous(const SerialLink<S>& link, Matrix m) {
  rotate_about_x(link.cos_phi, link.sin_phi, m);
  rotate_about_z(link.cos_theta, link.sin_theta, m);
  return m;
}

/// G C for the cross-product matrix C of c: 15 M, 9 A.
template <class S>
Mat3<S> times_cross(const Sym3<S>& G, const Vec3<S>& c) {
  const S xy_z = G.xy * c.z, xz_y = G.xz * c.y, yz_x = G.yz * c.x;
  return {xy_z - xz_y, G.xz * c.x - G.xx * c.z, G.xx * c.y - G.xy * c.x, G.yy * c.z - G.yz * c.y,
          yz_x - xy_z, G.xy * c.y - G.yy * c.x, G.yz * c.z - G.zz * c.y, G.zz * c.x - G.xz * c.z,
          xz_y - yz_x};
}
/// The same for G.xz = G.yz = 0: 9 M, 2 A.
template <class S>
Mat3<S> planar_times_cross(const Sym3<S>& G, const Vec3<S>& c) {
  const S xy_z = G.xy * c.z;
  return {xy_z,          -(G.xx * c.z), G.xx * c.y - G.xy * c.x,
          G.yy * c.z,    -xy_z,         G.xy * c.y - G.yy * c.x,
          -(G.zz * c.y), G.zz * c.x,    S(0.0)};
}

/// F^T C - C H with H = F + G C, which is symmetric: 15 M, 18 A.
template <class S>
Sym3<S> translated_inertia(const Mat3<S>& F, const Mat3<S>& H, const Vec3<S>& c) {
  return {
      c.z * (F.yx + H.yx) - c.y * (F.zx + H.zx),     c.z * (H.yy - F.xx) + c.x * F.zx - c.y * H.zy,
      c.y * (F.xx - H.zz) - c.x * F.yx + c.z * H.yz, c.x * (F.zy + H.zy) - c.z * (F.xy + H.xy),
      c.y * F.xy + c.x * (H.zz - F.yy) - c.z * H.xz, c.y * (F.xz + H.xz) - c.x * (F.yz + H.yz)};
}
/// The same for F without its last row: 14 M, 15 A.
template <class S>
Sym3<S> planar_translated_inertia(const Mat3<S>& F, const Mat3<S>& H, const Vec3<S>& c) {
  return {c.z * (F.yx + H.yx) - c.y * H.zx,
          c.z * (H.yy - F.xx) - c.y * H.zy,
          c.y * (F.xx - H.zz) - c.x * F.yx + c.z * H.yz,
          c.x * H.zy - c.z * (F.xy + H.xy),
          c.y * F.xy + c.x * (H.zz - F.yy) - c.z * H.xz,
          c.y * (F.xz + H.xz) - c.x * (F.yz + H.yz)};
}

/// The steps of section 3. Index i counts from 0; quantities of link i are in frame i.
template <class S>
class Saha2003 {
 public:
  explicit Saha2003(const SerialArm<S>& arm)
      : arm_(arm), last_(arm.links.size() - 1), links_(arm.links.size()) {}

  /// qdd for phi. `pivots`, unless null, receives m^_i per joint.
  VectorX<S> accelerations(const VectorX<S>& phi, VectorX<S>* pivots) {
    const std::size_t n = links_.size();
    for (std::size_t i = 0; i < n; ++i) {
      LineCounter::start_line("A1");
      links_[i].d = joint_to_center(arm_.links[i]);
      LineCounter::start_line("A2");
      if (i > 0) links_[i].c = center_to_previous(arm_, i, links_[i].d);
    }
    for (std::size_t i = n; i-- > 0;) {
      step_A3(i);
      step_A4(i);
      step_A5(i);
      if (pivots != nullptr) (*pivots)[at(i)] = links_[i].m;
      step_A10(i, phi[at(i)]);
      if (i == 0) break;
      step_A6(i);
      step_A7(i);
      step_A8(i);
      step_A9(i);
    }
    LineCounter::start_line("B");
    for (Link& link : links_) link.tau = link.tau / link.m;
    VectorX<S> qdd(at(n));
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0) step_C3(i);
      qdd[at(i)] = step_C1(i);
      if (i < last_) step_C2(i, qdd[at(i)]);
    }
    return qdd;
  }

 private:
  using LineCounter = counting::LineCounter<S>;
  using Six = SpatialVector<S>;  // top: angular, bottom: linear

  struct Link {
    Vec3<S> d, c;              // d_i, c_{i,i-1}
    SahaBlocks<S> M;           // M^_i, after step A7: M^_ii
    Six psi_hat, psi;          // psi^_i, psi_i
    S m;                       // m^_i
    S tau;                     // tau^_i, after step B: tau~_i
    Six eta, eta_next;         // eta_i, eta_{i,i+1}
    Six mu_previous, mu_link;  // mu_{i,i-1}; mu_i in frame i+1
  };

  bool is_last(std::size_t i) const { return i == last_; }
  bool prismatic(std::size_t i) const { return arm_.links[i].prismatic; }

  /// M^_i
  void step_A3(std::size_t i) {
    const SerialLink<S>& own = arm_.links[i];
    SahaBlocks<S>& M = links_[i].M;
    const Sym3<double>& I = own.inertia;
    const S zero(0.0);
    if (is_last(i)) {
      LineCounter::start_line("A3a");
      M.I = rotated_to_previous(own, Sym3<S>{S(I.xx), S(I.xy), S(I.xz), S(I.yy), S(I.yz), S(I.zz)});
      M.F = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
      const S mass(own.mass);
      M.G = {mass, zero, zero, mass, zero, mass};
      return;
    }
    LineCounter::start_line(i > 0 ? "A3b" : "A3, M^_1");
    const Link& next = links_[i + 1];
    const Vec3<S>& c = next.c;
    Sym3<S> G = next.M.G;
    G.xx = G.xx + own.mass;
    G.yy = G.yy + own.mass;
    G.zz = G.zz + own.mass;
    M.G = rotated_to_previous(own, G);
    // of the last link, F has no last row and G.xz = G.yz = 0
    const bool planar = is_last(i + 1);
    Mat3<S> F = planar ? planar_times_cross(next.M.G, c) : times_cross(next.M.G, c);
    if (planar) {
      const Mat3<S>& f = next.M.F;
      F = {F.xx + f.xx, F.xy + f.xy, F.xz + f.xz, F.yx + f.yx, F.yy + f.yy,
           F.yz + f.yz, F.zx,        F.zy,        F.zz};
    } else {
      F += next.M.F;
    }
    M.F = rotated_to_previous(own, F);
    Sym3<S> sum =
        planar ? planar_translated_inertia(next.M.F, F, c) : translated_inertia(next.M.F, F, c);
    sum += next.M.I;
    sum += I;
    M.I = rotated_to_previous(own, sum);
  }

  /// psi^_i = M^_i p_i
  void step_A4(std::size_t i) {
    Link& link = links_[i];
    const SahaBlocks<S>& M = link.M;
    if (is_last(i)) {
      LineCounter::start_line("A4a");
      const double mass = arm_.links[i].mass;
      const S zero(0.0);
      if (prismatic(i)) {
        link.psi_hat = {{zero, zero, zero}, {zero, zero, S(mass)}};
      } else {
        link.psi_hat = {{M.I.xz, M.I.yz, M.I.zz}, {-(mass * link.d.y), mass * link.d.x, zero}};
      }
      return;
    }
    LineCounter::start_line(i > 0 ? "A4b" : "A4, psi^_1");
    if (prismatic(i)) {
      link.psi_hat = {{M.F.zx, M.F.zy, M.F.zz}, {M.G.xz, M.G.yz, M.G.zz}};
      return;
    }
    // e x d = (-d_y, d_x, 0)
    const S &x = link.d.x, &y = link.d.y;
    link.psi_hat = {{M.I.xz + (M.F.yx * x - M.F.xx * y), M.I.yz + (M.F.yy * x - M.F.xy * y),
                     M.I.zz + (M.F.yz * x - M.F.xz * y)},
                    {M.F.xz + (M.G.xy * x - M.G.xx * y), M.F.yz + (M.G.yy * x - M.G.xy * y),
                     M.F.zz + (M.G.yz * x - M.G.xz * y)}};
  }

  /// p_i^T v
  S along_joint(std::size_t i, const Six& v) const {
    if (prismatic(i)) return v.linear.z;
    const Vec3<S>& d = links_[i].d;
    return v.angular.z + (d.x * v.linear.y - d.y * v.linear.x);
  }

  /// m^_i = p_i^T psi^_i, and the inertia of the rotor
  void step_A5(std::size_t i) {
    LineCounter::start_line("A5");
    Link& link = links_[i];
    link.m = along_joint(i, link.psi_hat);
    const double rotor = arm_.links[i].rotor_inertia;
    if (rotor != 0.0) link.m = link.m + rotor;
  }

  /// psi_i = psi^_i / m^_i
  void step_A6(std::size_t i) {
    LineCounter::start_line("A6");
    Link& link = links_[i];
    const Vec3<S>&t = link.psi_hat.angular, &b = link.psi_hat.linear;
    const bool planar = is_last(i) && !prismatic(i);
    link.psi = {{t.x / link.m, t.y / link.m, t.z / link.m},
                {b.x / link.m, b.y / link.m, planar ? S(0.0) : S(b.z / link.m)}};
  }

  /// M^_ii = M^_i - psi^_i psi_i^T
  void step_A7(std::size_t i) {
    Link& link = links_[i];
    SahaBlocks<S>& M = link.M;
    const Vec3<S>&t = link.psi_hat.angular, &b = link.psi_hat.linear;
    const Vec3<S>&pt = link.psi.angular, &pb = link.psi.linear;
    LineCounter::start_line(is_last(i) ? "A7a" : "A7b");
    M.I = {M.I.xx - t.x * pt.x, M.I.xy - t.x * pt.y, M.I.xz - t.x * pt.z,
           M.I.yy - t.y * pt.y, M.I.yz - t.y * pt.z, M.I.zz - t.z * pt.z};
    if (is_last(i)) {
      const S zero(0.0), zz = prismatic(i) ? S(M.G.zz - b.z * pb.z) : M.G.zz;
      M.F = {-(b.x * pt.x), -(b.x * pt.y), -(b.x * pt.z), -(b.y * pt.x), -(b.y * pt.y),
             -(b.y * pt.z), zero,          zero,          zero};
      M.G = {M.G.xx - b.x * pb.x, -(b.x * pb.y), zero, M.G.yy - b.y * pb.y, zero, zz};
      return;
    }
    M.F = {M.F.xx - b.x * pt.x, M.F.xy - b.x * pt.y, M.F.xz - b.x * pt.z,
           M.F.yx - b.y * pt.x, M.F.yy - b.y * pt.y, M.F.yz - b.y * pt.z,
           M.F.zx - b.z * pt.x, M.F.zy - b.z * pt.y, M.F.zz - b.z * pt.z};
    M.G = {M.G.xx - b.x * pb.x, M.G.xy - b.x * pb.y, M.G.xz - b.x * pb.z,
           M.G.yy - b.y * pb.y, M.G.yz - b.y * pb.z, M.G.zz - b.z * pb.z};
  }

  /// eta_i = tau^_i psi_i + eta_{i,i+1}
  void step_A8(std::size_t i) {
    Link& link = links_[i];
    const Vec3<S>&t = link.psi.angular, &b = link.psi.linear;
    if (is_last(i)) {
      LineCounter::start_line("A8a");
      const bool planar = !prismatic(i);
      link.eta = {link.tau * t,
                  {link.tau * b.x, link.tau * b.y, planar ? S(0.0) : S(link.tau * b.z)}};
      return;
    }
    LineCounter::start_line("A8b");
    link.eta = {link.tau * t + link.eta_next.angular, link.tau * b + link.eta_next.linear};
  }

  /// eta_{i-1,i} = B_{i,i-1}^T eta_i, rotated to frame i-1
  void step_A9(std::size_t i) {
    LineCounter::start_line("A9");
    const SerialLink<S>& previous = arm_.links[i - 1];
    const Vec3<S>&t = links_[i].eta.angular, &b = links_[i].eta.linear, &c = links_[i].c;
    Six& result = links_[i - 1].eta_next;
    if (is_last(i) && !prismatic(i)) {
      const Vec3<S> lever = {b.y * c.z, -(b.x * c.z), b.x * c.y - b.y * c.x};
      result = {previous.to_previous(t + lever), previous.planar_to_previous(b)};
    } else {
      result = {previous.to_previous(t + cross(b, c)), previous.to_previous(b)};
    }
  }

  /// tau^_i = phi_i - p_i^T eta_{i,i+1}
  void step_A10(std::size_t i, const S& phi) {
    LineCounter::start_line("A10");
    links_[i].tau = is_last(i) ? phi : S(phi - along_joint(i, links_[i].eta_next));
  }

  /// qdd_i = tau~_i - psi_i^T mu_{i,i-1}
  S step_C1(std::size_t i) const {
    LineCounter::start_line("C1");
    const Link& link = links_[i];
    if (i == 0) return link.tau;
    return link.tau - (dot(link.psi.angular, link.mu_previous.angular) +
                       dot(link.psi.linear, link.mu_previous.linear));
  }

  /// mu_i = p_i qdd_i + mu_{i,i-1}, rotated to frame i+1
  void step_C2(std::size_t i, const S& qdd) {
    LineCounter::start_line(i == 0 ? "C2a" : "C2b");
    const SerialLink<S>& own = arm_.links[i];
    Link& link = links_[i];
    const S zero(0.0);
    if (i == 0) {
      const Vec3<S> along = {zero, own.sin_phi * qdd, own.cos_phi * qdd};  // Q_1^T e qdd
      if (prismatic(i)) {
        link.mu_link = {{zero, zero, zero}, along};
      } else {
        link.mu_link = {along, own.planar_from_previous({-(link.d.y * qdd), link.d.x * qdd, zero})};
      }
      return;
    }
    Six mu = link.mu_previous;
    if (prismatic(i)) {
      mu.linear.z = mu.linear.z + qdd;
    } else {
      mu.angular.z = mu.angular.z + qdd;
      mu.linear = plus_planar(mu.linear, {-(link.d.y * qdd), link.d.x * qdd, zero});
    }
    link.mu_link = {own.from_previous(mu.angular), own.from_previous(mu.linear)};
  }

  /// mu_{i,i-1} = B_{i,i-1} mu_{i-1}
  void step_C3(std::size_t i) {
    LineCounter::start_line("C3");
    const Six& mu = links_[i - 1].mu_link;
    links_[i].mu_previous = {mu.angular, mu.linear + cross(links_[i].c, mu.angular)};
  }

  const SerialArm<S>& arm_;
  std::size_t last_;
  std::vector<Link> links_;
};

}  // namespace detail

/// phi = tau - C qd - g by inverse dynamics with qdd = 0 (Eq. (1)).
template <class S>
VectorX<S> saha_phi(const SerialArm<S>& arm, const std::vector<S>& qd, const VectorX<S>& tau) {
  const std::vector<S> bias = saha_1999(arm, qd, std::vector<S>(qd.size(), S(0.0)));
  VectorX<S> phi(tau.size());
  counting::LineCounter<S>::start_line("phi");
  for (std::size_t i = 0; i < bias.size(); ++i) phi[at(i)] = tau[at(i)] - bias[i];
  return phi;
}

/// qdd for the joint torques tau. `pivots`, unless null, receives m^_i per joint. Precondition: at
/// least one link.
template <class S>
VectorX<S> saha_2003(const SerialArm<S>& arm, const std::vector<S>& qd, const VectorX<S>& tau,
                     VectorX<S>* pivots = nullptr) {
  return detail::Saha2003<S>(arm).accelerations(saha_phi(arm, qd, tau), pivots);
}

}  // namespace dynamics::formulations
