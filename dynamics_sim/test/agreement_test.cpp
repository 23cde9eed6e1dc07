// SPDX-License-Identifier: Apache-2.0
// The hardware component, simulate() and the program give the same motions of the PUMA: its free
// fall and a PD controller with gravity compensation at 1 kHz along a cycloid. The hardware makes
// Runge-Kutta steps of order 4 and 1 ms; their error is below the tolerance, and sixteen times
// larger with steps of 2 ms. The adaptive simulation has a relative tolerance of 1e-12.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dynamics_core/controllers.hpp>
#include <dynamics_core/readers.hpp>
#include <dynamics_core/simulate.hpp>
#include <dynamics_core/view.hpp>
#include <string>
#include <vector>

#include "robots.hpp"
#include "system_fixture.hpp"

namespace dynamics_sim::test {
namespace {

constexpr double duration = 1.0;
const std::vector<double> target = {0.5, -0.4, 0.6, 0.3, -0.5, 0.4};

std::string puma_urdf(const std::string& parameters = "") {
  std::string joints;
  for (int i = 1; i <= 6; ++i) {
    joints += "<joint name='joint" + std::to_string(i) +
              "'><command_interface name='effort'/><state_interface name='position'/>"
              "<state_interface name='velocity'/></joint>";
  }
  std::string urdf = dynamics::to_urdf(dynamics::built_in_robot("puma"));
  urdf.insert(urdf.rfind("</robot>"),
              "<ros2_control name='puma' type='system'><hardware>"
              "<plugin>dynamics_sim/DynamicsSystem</plugin>" +
                  parameter("unclaimed", "free") + parameter("limits", "false") + parameters +
                  "</hardware>" + joints + "</ros2_control>");
  return urdf;
}

dynamics::Model puma() { return dynamics::model_from_urdf(puma_urdf()); }

std::string joint(std::size_t i) { return "joint" + std::to_string(i + 1); }

std::vector<double> positions(const System& system) {
  std::vector<double> q;
  for (std::size_t i = 0; i < 6; ++i) q.push_back(system.state(joint(i) + "/position"));
  return q;
}

std::vector<double> end_of(const dynamics::Recording& run) {
  std::vector<double> q;
  for (const auto& column : run.q) q.push_back(column.back());
  return q;
}

/// "q" of the program's JSON object.
std::vector<double> program(const std::string& arguments) {
  const std::string command =
      std::string(DYNAMICS_PROGRAM) + " simulate puma --json --rtol 1e-12 " + arguments;
  FILE* const pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c)
  if (pipe == nullptr) return {};
  std::string text;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
  EXPECT_EQ(pclose(pipe), 0) << command;
  std::vector<double> q;
  const char* next = text.c_str() + std::min(text.find("\"q\":["), text.size() - 5) + 5;
  for (char* end = nullptr; q.size() < 6; next = end + 1) {
    q.push_back(std::strtod(next, &end));
    if (end == next) return {};
  }
  return q;
}

dynamics::SimulationOptions options() {
  dynamics::SimulationOptions options;
  options.duration = options.sample = duration;
  options.rtol = 1e-12;
  return options;
}

TEST(Agreement, FreeFall) {
  System hardware(puma_urdf()), coarse(puma_urdf(parameter("step", "0.002")));
  ASSERT_NO_FATAL_FAILURE(hardware.activate());
  ASSERT_NO_FATAL_FAILURE(coarse.activate());
  hardware.run(duration);
  coarse.run(duration, 0.002);
  const auto core = end_of(dynamics::simulate(puma(), options()));
  EXPECT_GT(dynamics::max_abs(core), 0.5);
  const double error = dynamics::max_abs_difference(positions(hardware), core);
  EXPECT_LT(error, 1e-9);
  EXPECT_GT(dynamics::max_abs_difference(positions(coarse), core), 4.0 * error);
  EXPECT_LT(dynamics::max_abs_difference(program("--duration 1"), core), 1e-10);
}

TEST(Agreement, PdWithGravityAlongACycloid) {
  const dynamics::Model model = puma();
  const std::vector<double> zero(6, 0.0);
  const auto reference = dynamics::cycloid_trajectory(zero, target, duration);

  // the hardware, commanded at 1 kHz
  System hardware(puma_urdf());
  ASSERT_NO_FATAL_FAILURE(hardware.activate());
  std::vector<std::string> efforts;
  for (std::size_t i = 0; i < 6; ++i) efforts.push_back(joint(i) + "/effort");
  ASSERT_EQ(hardware.claim(efforts), return_type::OK);
  const auto plant = dynamics::rigid_plant(model);
  auto controller = dynamics::make_controller("pd-gravity", {.gains = {.bandwidth = {8.0}}});
  controller->start(*plant, zero, zero);
  std::vector<double> q(6), qd(6), q_ref(6), qd_ref(6), qdd_ref(6), tau(6);
  for (int k = 0; k < 1000; ++k) {
    const double t = 0.001 * k;
    for (std::size_t i = 0; i < 6; ++i) {
      q[i] = hardware.state(joint(i) + "/position");
      qd[i] = hardware.state(joint(i) + "/velocity");
    }
    reference->at(t, q_ref, qd_ref, qdd_ref);
    controller->torques({t, q, qd, q_ref, qd_ref, qdd_ref, *plant}, tau);
    for (std::size_t i = 0; i < 6; ++i) hardware.command(efforts[i], tau[i]);
    ASSERT_EQ(hardware.cycle(), return_type::OK);
  }

  auto with_controller = options();
  with_controller.sampling.period = 0.001;
  with_controller.trajectory = dynamics::cycloid_trajectory(zero, target, duration);
  const auto core = end_of(dynamics::simulate(model, *controller, with_controller));
  EXPECT_LT(dynamics::max_abs_difference(positions(hardware), core), 1e-9);
  EXPECT_LT(dynamics::max_abs_difference(
                program("--duration 1 --controller pd-gravity --bandwidth 8 --control-rate 1000 "
                        "--reference cycloid --q1 0.5,-0.4,0.6,0.3,-0.5,0.4 --period 1"),
                core),
            1e-10);
  EXPECT_GT(dynamics::max_abs(core), 0.3);
}

}  // namespace
}  // namespace dynamics_sim::test
