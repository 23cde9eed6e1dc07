// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mass matrix M_i and velocity terms gamma_i of a flexible link (Mohan and Saha, Eqs. 23 and 24),
// about the body's origin in the body's axes, and its strain and damping forces (Eq. 20e).

#include "flexible/recursions/link_kinematics.hpp"

namespace dynamics::flexible {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Zeroth, first and second moments of the mass distribution about the body's origin.
template <class S>
struct MassMoments {
  S mass;
  Vec3<S> first;
  Sym3<S> second;  ///< sum of m r r^T
};

/// Spatial inertia of the beam and the rigid part of a body.
template <class S>
ArticulatedInertia<S> inertia_of(const ElasticBody& body, const MassMoments<S>& beam) {
  const Sym3<S>& s = beam.second;
  const RigidInertia<S> sum = {
      beam.mass + body.mass,
      {beam.first.x + body.first_moment[0], beam.first.y + body.first_moment[1],
       beam.first.z + body.first_moment[2]},
      {body.inertia[0] + (s.yy + s.zz), body.inertia[1] - s.xy, body.inertia[2] - s.xz,
       body.inertia[3] + (s.xx + s.zz), body.inertia[4] - s.yz, body.inertia[5] + (s.xx + s.yy)}};
  return spatial::articulated_inertia<S>(sum);
}

/// The first moment h from H = [h x].
template <class S>
Vec3<S> first_moment(const ArticulatedInertia<S>& inertia) {
  return {inertia.H.zy, inertia.H.xz, inertia.H.yx};
}

/// gamma of a rigid body: force omega x (omega x h), torque omega x J omega.
template <class S>
SpatialVector<S> rigid_gamma(const ArticulatedInertia<S>& inertia, const Vec3<S>& omega) {
  return {cross(omega, inertia.I * omega), cross(omega, cross(omega, first_moment(inertia)))};
}

/// sum += matrix * vector
template <class S>
void add_product(const SparseMatrix& matrix, const S* vector, S* sum) {
  for (const Entry& entry : matrix) {
    sum[entry.row] = sum[entry.row] + entry.value * vector[entry.column];
  }
}

/// Inertia and gamma of a body without amplitudes.
template <class S>
void rigid_body_inertia(const ElasticBody& body, LinkScratch<S>& link, bool moving) {
  link.inertia = spatial::articulated_inertia<S>(spatial::rigid_inertia(body));
  link.eta = moving ? rigid_gamma(link.inertia, link.omega) : zero6<S>();
}

/// Inertia, columns and eta of a beam without foreshortening. The integrals are constants of the
/// model. O(m^2) for m amplitudes.
template <class S>
void linear_beam_inertia(const ElasticBody& body, Scratch<S>& scratch, LinkScratch<S>& link,
                         const S* d, const S* rates, bool moving) {
  const Beam& beam = body.beam;
  const std::size_t m = beam.modes(), m_y = beam.modes_y;
  SpatialVector<S>* columns = scratch.columns.data() + body.amplitude;
  S* eta = scratch.eta.data() + body.amplitude;
  // int s_j u_y, int s_j u_z, and the same with the rates of u
  S* along_y = scratch.products.data() + 4 * body.amplitude;
  S* along_z = along_y + m;
  S* rate_y = along_z + m;
  S* rate_z = rate_y + m;
  for (std::size_t j = 0; j < 4 * m; ++j) along_y[j] = S(0.0);
  for (const Entry& entry : beam.product_integrals) {
    S* sum = entry.column < m_y ? along_y : along_z;
    sum[entry.row] = sum[entry.row] + entry.value * d[entry.column];
    if (!moving) continue;
    // only the rate terms that couple y with z are needed individually
    if ((entry.row < m_y) == (entry.column < m_y)) continue;
    S* rate = entry.column < m_y ? rate_y : rate_z;
    rate[entry.row] = rate[entry.row] + entry.value * rates[entry.column];
  }

  S zero(0.0);
  MassMoments<S> moments{
      S(beam.mass), {S(beam.first), zero, zero}, {S(beam.second), zero, zero, zero, zero, zero}};
  for (std::size_t j = 0; j < m_y; ++j) {
    moments.first.y = moments.first.y + beam.shape_integral[j] * d[j];
    moments.second.xy = moments.second.xy + beam.moment_integral[j] * d[j];
    moments.second.yy = moments.second.yy + along_y[j] * d[j];
    moments.second.yz = moments.second.yz + along_z[j] * d[j];
    columns[j] = {{-along_z[j], zero, S(beam.moment_integral[j])},
                  {zero, S(beam.shape_integral[j]), zero}};
  }
  for (std::size_t j = m_y; j < m; ++j) {
    moments.first.z = moments.first.z + beam.shape_integral[j] * d[j];
    moments.second.xz = moments.second.xz + beam.moment_integral[j] * d[j];
    moments.second.zz = moments.second.zz + along_z[j] * d[j];
    columns[j] = {{along_y[j], S(-beam.moment_integral[j]), zero},
                  {zero, zero, S(beam.shape_integral[j])}};
  }
  link.inertia = inertia_of(body, moments);
  for (std::size_t j = 0; j < m; ++j) eta[j] = zero;
  add_product(beam.stiffness, d, eta);
  if (!moving) {
    link.eta = zero6<S>();
    return;
  }
  add_product(beam.damping, rates, eta);

  // gamma: omega x (omega x r + 2 u-dot) under the integrals
  const Vec3<S>& w = link.omega;
  link.eta = rigid_gamma(link.inertia, w);
  // D = int u-dot r^T, rows y and z; int r x (omega x u-dot) = tr(D) omega - D omega
  Vec3<S> row_y = zero3<S>(), row_z = zero3<S>();
  S force_y = zero, force_z = zero;
  for (std::size_t j = 0; j < m_y; ++j) {
    force_y = force_y + beam.shape_integral[j] * rates[j];
    row_y +=
        Vec3<S>{beam.moment_integral[j] * rates[j], along_y[j] * rates[j], along_z[j] * rates[j]};
  }
  for (std::size_t j = m_y; j < m; ++j) {
    force_z = force_z + beam.shape_integral[j] * rates[j];
    row_z +=
        Vec3<S>{beam.moment_integral[j] * rates[j], along_y[j] * rates[j], along_z[j] * rates[j]};
  }
  const S trace = row_y.y + row_z.z;
  const Vec3<S> coriolis_torque = {trace * w.x, trace * w.y - dot(row_y, w),
                                   trace * w.z - dot(row_z, w)};
  link.eta.angular += coriolis_torque + coriolis_torque;
  const Vec3<S> u_rate = {zero, force_y + force_y, force_z + force_z};
  link.eta.linear += cross(w, u_rate);

  const S xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  const S xx_zz = w.x * w.x + w.z * w.z, xx_yy = w.x * w.x + w.y * w.y;
  const S twice = w.x + w.x;
  for (std::size_t j = 0; j < m_y; ++j) {
    eta[j] = eta[j] + (xy * beam.moment_integral[j] - xx_zz * along_y[j] + yz * along_z[j] -
                       twice * rate_z[j]);
  }
  for (std::size_t j = m_y; j < m; ++j) {
    eta[j] = eta[j] + (xz * beam.moment_integral[j] + yz * along_y[j] - xx_yy * along_z[j] +
                       twice * rate_y[j]);
  }
}

/// The same for a beam with foreshortening, whose integrals are of fourth order in the amplitudes
/// and are evaluated as sums over the beam's nodes. The nodes are point masses that define the
/// model: no quadrature error enters the equations. O(nodes m^2).
template <class S>
void stiffened_beam_inertia(const ElasticBody& body, Scratch<S>& scratch, LinkScratch<S>& link,
                            const S* d, const S* rates, bool moving) {
  const Beam& beam = body.beam;
  const std::size_t m = beam.modes(), m_y = beam.modes_y;
  SpatialVector<S>* columns = scratch.columns.data() + body.amplitude;
  S* eta = scratch.eta.data() + body.amplitude;
  S* matrix = scratch.matrices.data() + body.matrix;
  S* g = scratch.products.data() + 4 * body.amplitude;
  const S zero(0.0);
  MassMoments<S> moments{S(beam.mass), zero3<S>(), {zero, zero, zero, zero, zero, zero}};
  for (std::size_t j = 0; j < m; ++j) {
    columns[j] = zero6<S>();
    eta[j] = zero;
  }
  for (std::size_t j = 0; j < m * m; ++j) matrix[j] = S(beam.mass_matrix[j]);
  add_product(beam.stiffness, d, eta);
  if (moving) add_product(beam.damping, rates, eta);
  const Vec3<S>& w = link.omega;
  SpatialVector<S> gamma = zero6<S>();  // of the motion relative to the body
  for (const BeamNode& node : beam.nodes) {
    shortening_gradient(beam, node.shortening, d, g);
    Vec3<S> r = {S(node.x), zero, zero}, u_rate = zero3<S>();
    for (std::size_t j = 0; j < m; ++j) {
      r.x = r.x - 0.5 * (g[j] * d[j]);
      S& lateral = j < m_y ? r.y : r.z;
      lateral = lateral + node.shape[j] * d[j];
      if (!moving) continue;
      u_rate.x = u_rate.x - g[j] * rates[j];
      S& rate = j < m_y ? u_rate.y : u_rate.z;
      rate = rate + node.shape[j] * rates[j];
    }
    const double k = node.mass;
    moments.first += k * r;
    moments.second += Sym3<S>{k * r.x * r.x, k * r.x * r.y, k * r.x * r.z,
                              k * r.y * r.y, k * r.y * r.z, k * r.z * r.z};
    Vec3<S> relative = zero3<S>();  // 2 omega x u-dot + J-dot d-dot
    Vec3<S> total = zero3<S>();     // relative + omega x (omega x r)
    if (moving) {
      S axial(0.0);  // rates^T G rates
      for (std::size_t j = 0; j < m; ++j) {
        const std::size_t first = j < m_y ? 0 : m_y, last = j < m_y ? m_y : m;
        for (std::size_t i = first; i < last; ++i) {
          axial = axial + node.shortening[j * m + i] * (rates[j] * rates[i]);
        }
      }
      relative = cross(w, u_rate + u_rate);
      relative.x = relative.x - axial;
      total = relative + cross(w, cross(w, r));
      gamma.linear += k * relative;
      gamma.angular += k * cross(r, relative);
    }
    for (std::size_t j = 0; j < m; ++j) {
      const Vec3<S> shape = {-g[j], S(j < m_y ? node.shape[j] : 0.0),
                             S(j < m_y ? 0.0 : node.shape[j])};
      columns[j].linear += k * shape;
      columns[j].angular += k * cross(r, shape);
      if (moving) eta[j] = eta[j] + k * dot(shape, total);
      for (std::size_t i = 0; i < m; ++i) matrix[j * m + i] = matrix[j * m + i] + k * (g[j] * g[i]);
    }
  }
  link.inertia = inertia_of(body, moments);
  link.eta = moving ? rigid_gamma(link.inertia, w) + gamma : zero6<S>();
}

/// Writes M_i to inertia, columns and matrices, and gamma_i with strain and damping forces to eta.
/// If `moving` is false, omega and the rates are taken as zero and not read.
template <class S>
void link_inertia(const Tree& tree, Scratch<S>& scratch, std::size_t index, const S* d,
                  const S* rates, bool moving) {
  const ElasticBody& body = tree[index];
  LinkScratch<S>& link = scratch.links[index];
  const std::size_t m = body.beam.modes();
  if (m == 0) {
    rigid_body_inertia(body, link, moving);
    return;
  }
  const S* own = d + body.amplitude;
  const S* own_rates = moving ? rates + body.amplitude : nullptr;
  if (body.beam.stiffening) {
    stiffened_beam_inertia(body, scratch, link, own, own_rates, moving);
    return;
  }
  linear_beam_inertia(body, scratch, link, own, own_rates, moving);
  S* matrix = scratch.matrices.data() + body.matrix;
  for (std::size_t j = 0; j < m * m; ++j) matrix[j] = S(body.beam.mass_matrix[j]);
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::flexible
