// SPDX-License-Identifier: Apache-2.0
#include "spatial/decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>

namespace dynamics {

Eigen::Vector3d principal_moments(const Eigen::Matrix3d& inertia) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia, Eigen::EigenvaluesOnly)
      .eigenvalues();
}

PrincipalAxes principal_axes(const Eigen::Matrix3d& inertia) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigenpairs symmetric_eigenpairs(const Eigen::MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors(), solver.info() == Eigen::Success};
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigenpairs generalized_eigenpairs(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(K, M);
  return {solver.eigenvalues(), solver.eigenvectors(), solver.info() == Eigen::Success};
}

Eigen::VectorXcd general_eigenvalues(const Eigen::MatrixXd& A) {
  return Eigen::EigenSolver<Eigen::MatrixXd>(A, false).eigenvalues();
}

Eigen::MatrixXd solve_linear(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.partialPivLu().solve(B);
}

Eigen::Matrix3d rotation_from_z(const Eigen::Vector3d& axis) {
  const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
  const Eigen::Matrix3d flip = Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal();
  if (axis.x() == 0.0 && axis.y() == 0.0) {
    return axis.z() >= 0.0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : flip;
  }
  if (axis.z() >= 0.0) return Eigen::Quaterniond::FromTwoVectors(z, axis).toRotationMatrix();
  return Eigen::Quaterniond::FromTwoVectors(-z, axis).toRotationMatrix() * flip;
}

}  // namespace dynamics
