// SPDX-License-Identifier: Apache-2.0
#include "spatial/cholesky.hpp"

#include <Eigen/Cholesky>

namespace dynamics {

bool cholesky(Eigen::Ref<Eigen::MatrixXd> A) noexcept {
  return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(A).info() == Eigen::Success;
}

void solve_cholesky(const Eigen::Ref<const Eigen::MatrixXd>& L,
                    Eigen::Ref<Eigen::VectorXd> x) noexcept {
  L.triangularView<Eigen::Lower>().solveInPlace(x);
  L.triangularView<Eigen::Lower>().adjoint().solveInPlace(x);
}

}  // namespace dynamics
