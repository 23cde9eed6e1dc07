// SPDX-License-Identifier: Apache-2.0
#include "denoc_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "papers/formulations/denoc.hpp"

namespace dynamics::tools {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using formulations::DenocMatrices;

/// Whether all pivots are positive; otherwise the elimination does not exist.
bool pivots_are_positive(const formulations::ArticulatedMasses<double>& articulated) {
  return std::all_of(articulated.pivot.begin(), articulated.pivot.end(),
                     [](double pivot) { return pivot > 0.0; });
}

}  // namespace

void print_matrix(const std::string& title, const Eigen::MatrixXd& matrix) {
  fmt::print("{}\n", title);
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) fmt::print("{:>14.6g}", matrix(i, j));
    fmt::print("\n");
  }
  fmt::print("\n");
}

ordered_json denoc_json(const Model& model, ConstVector q, ConstVector qd) {
  const DenocMatrices<double> d = formulations::denoc_matrices(model, q, qd);
  const auto composite = formulations::composite_masses(d);
  const auto articulated = formulations::articulated_masses(d);
  ordered_json object;
  object["bodies"] = ordered_json::array();
  for (const Body& body : model.bodies()) object["bodies"].push_back(body.joint);
  object["N_l"] = matrix_json(d.N_l);
  object["N_d"] = matrix_json(d.N_d);
  object["B"] = ordered_json::array();
  object["p"] = object["M"] = object["M_composite"] = ordered_json::array();
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (int j = d.parents[i]; j >= 0; j = d.parents[static_cast<std::size_t>(j)]) {
      object["B"].push_back(
          {{"i", i},
           {"j", j},
           {"matrix", matrix_json(d.twist_propagation(i, static_cast<std::size_t>(j)))}});
    }
    const auto p = d.joint_rate_propagation(i);
    object["p"].push_back(std::vector<double>(p.begin(), p.end()));
    object["M"].push_back(matrix_json(d.body_mass_matrix(i)));
    object["M_composite"].push_back(matrix_json(composite[i]));
  }
  if (!pivots_are_positive(articulated)) {  // a joint moves no mass
    object["M_articulated"] = object["psi"] = object["m"] = object["elimination"] = nullptr;
    return object;
  }
  object["M_articulated"] = object["psi"] = ordered_json::array();
  for (std::size_t i = 0; i < d.size(); ++i) {
    object["M_articulated"].push_back(matrix_json(articulated.inertia[i]));
    object["psi"].push_back(
        std::vector<double>(articulated.psi[i].begin(), articulated.psi[i].end()));
  }
  object["m"] = articulated.pivot;
  object["elimination"] = ordered_json::array();
  for (const auto& step :
       formulations::reverse_gaussian_elimination<double>(formulations::denoc_inertia_matrix(d))) {
    object["elimination"].push_back(
        {{"k", step.k},
         {"alpha", std::vector<double>(step.alpha.begin(), step.alpha.end())},
         {"L", matrix_json(step.L)}});
  }
  return object;
}

void print_denoc(const Model& model, ConstVector q, ConstVector qd) {
  const DenocMatrices<double> d = formulations::denoc_matrices(model, q, qd);
  const auto composite = formulations::composite_masses(d);
  const auto articulated = formulations::articulated_masses(d);
  const auto name = [&](std::size_t i) {
    return fmt::format("{} '{}'", i + 1, model.bodies()[i].joint);
  };
  fmt::print(
      "\nDeNOC matrices (Saha 1999) in the axes of the base, about the mass centers, angular part "
      "first\n\n");
  print_matrix("N_l: twist propagation, Eq. (17)", d.N_l);
  print_matrix("N_d: joint-rate propagation, Eq. (17)", d.N_d);
  for (std::size_t i = 0; i < d.size(); ++i) {
    print_matrix(fmt::format("p_i of joint {}, Eqs. (13), (15)", name(i)),
                 d.joint_rate_propagation(i).transpose());
    if (d.parents[i] >= 0) {
      const auto parent = static_cast<std::size_t>(d.parents[i]);
      print_matrix(fmt::format("B_ij to body {} from body {}, Eq. (13)", name(i), name(parent)),
                   d.twist_propagation(i, parent));
    }
    print_matrix(fmt::format("M_i of body {}, Eq. (2)", name(i)), d.body_mass_matrix(i));
    print_matrix(fmt::format("M~_i: composite body {}, Eq. (23)", name(i)), composite[i]);
    if (!pivots_are_positive(articulated)) continue;
    print_matrix(fmt::format("M^_i: articulated body {}, Eq. (50); m^_i = {:.6g}", name(i),
                             articulated.pivot[i]),
                 articulated.inertia[i]);
  }
  if (!pivots_are_positive(articulated)) {
    fmt::print("M^_i and the elimination do not exist: a joint moves no mass\n");
    return;
  }
  const MatrixXd inertia = formulations::denoc_inertia_matrix(d);
  print_matrix("Reverse Gaussian elimination of N^T M N, Eq. (51):", inertia);
  for (const auto& step : formulations::reverse_gaussian_elimination<double>(inertia)) {
    print_matrix(fmt::format("alpha_{}", step.k + 1), step.alpha.transpose());
    print_matrix(fmt::format("L_{} = E_{} L_{}", step.k + 1, step.k + 1, step.k + 2), step.L);
  }
}

}  // namespace dynamics::tools
