// SPDX-License-Identifier: Apache-2.0
// A controller of your own in the simulator: PID at 1 kHz. Its integral learns the weight.
//   own_controller urdf/urdf/ur5e.urdf

#include <cstdio>
#include <dynamics_core/dynamics_core.hpp>

/// PID with gains in proportion to the inertia of each joint.
class Pid final : public dynamics::Controller {
  void start(dynamics::Plant& plant, std::span<const double> q, std::span<const double>) override {
    const auto n = static_cast<Eigen::Index>(plant.joints());
    Eigen::MatrixXd M(n, n);
    dynamics::Workspace workspace(plant.model());
    dynamics::inertia_matrix(plant.model(), workspace, q, M);
    inertia_.assign(M.diagonal().begin(), M.diagonal().end());
    integral_.assign(plant.joints(), 0.0);
  }
  void torques(const dynamics::ControlInput& now, std::span<double> tau) override {
    for (std::size_t i = 0; i < tau.size(); ++i) {
      const double error = now.q_ref[i] - now.q[i], rate = now.qd_ref[i] - now.qd[i];
      integral_[i] += 0.001 * error;
      tau[i] = inertia_[i] * (400.0 * error + 1000.0 * integral_[i] + 40.0 * rate);
    }
  }
  std::vector<double> inertia_, integral_;
};

int main(int argc, char** argv) try {
  const dynamics::Model arm = dynamics::model_from_urdf_file(argc > 1 ? argv[1] : "");
  dynamics::SimulationOptions options;
  options.sampling.period = 0.001;
  options.wrenches = {dynamics::push("tool0", {0.0, 0.0, -30.0}, 1.0, 0.5)};
  Pid pid;
  const dynamics::Recording run = dynamics::simulate(arm, pid, options);
  for (std::size_t i = 0; i < arm.size(); ++i)
    std::printf("%s: %.3f N m\n", arm.coordinates()[i].name.c_str(), run.tau[i].back());
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
