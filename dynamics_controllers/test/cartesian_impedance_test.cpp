// SPDX-License-Identifier: Apache-2.0
// Cartesian impedance: deflection, damping ratio, null space, references by topic and interface.
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <dynamics_core/inertia_matrix.hpp>
#include <dynamics_core/kinematics.hpp>
#include <dynamics_msgs/srv/set_named_payload.hpp>
#include <numbers>

#include "dynamics_controllers/cartesian_impedance_controller.hpp"
#include "ros_environment.hpp"

namespace dynamics_controllers::test {
namespace {

constexpr const char* hand = "panda_link8";

/// A Panda under the controller at its start.
class Arm {
 public:
  explicit Arm(Parameters parameters, bool chained = false)
      : q(start_of("panda")), workspace(model()) {
    parameters.emplace_back("frame", hand);
    loop.emplace(std::make_unique<CartesianImpedanceController>(), urdf("panda"), parameters);
    active = loop->activate(q, chained);
    frame = model().frame(hand);
    start = pose();
  }
  static const dynamics::Model& model() {
    static const dynamics::Model one = dynamics::model_from_urdf(urdf("panda"));
    return one;
  }
  dynamics::Pose pose() {
    return dynamics::frame_pose(model(), workspace, loop->robot->positions(), frame);
  }
  Eigen::MatrixXd jacobian() {
    Eigen::MatrixXd J(6, 7);
    dynamics::jacobian(model(), workspace, loop->robot->positions(), frame,
                       dynamics::Axes::local_world_aligned, J);
    return J;
  }
  void push(const Eigen::Vector3d& force) {
    const dynamics::LinkWrench wrench[] = {
        {frame, {Eigen::Vector3d::Zero(), force}, dynamics::Axes::local_world_aligned}};
    loop->robot->set_wrenches(wrench);
  }

  std::vector<double> q;
  dynamics::Workspace workspace;
  std::optional<Loop> loop;
  bool active = false;
  std::size_t frame = 0;
  dynamics::Pose start;
};

TEST(CartesianImpedance, DeflectsByForceOverStiffness) {
  const Eigen::Vector3d K(400.0, 800.0, 1600.0), force(4.0, -8.0, 10.0);
  for (const char* axes : {"frame", "world"}) {
    Arm arm({{"stiffness", std::vector<double>{60.0, 60.0, 60.0, K.x(), K.y(), K.z()}},
             {"stiffness_axes", axes}});
    ASSERT_TRUE(arm.active);
    arm.push(force);
    arm.loop->run(6.0);
    const Eigen::Vector3d moved = arm.pose().translation - arm.start.translation;
    Eigen::Matrix3d R = arm.start.rotation;
    if (axes == std::string("world")) R.setIdentity();
    const Eigen::Vector3d expected = R * (R.transpose() * force).cwiseQuotient(K);
    EXPECT_LT((moved - expected).norm(), 0.01 * expected.norm()) << axes;
  }
}

TEST(CartesianImpedance, HasTheDampingRatioInEveryMode) {
  const double K = 800.0, z = 0.3;
  // the inertia of the frame, and the modes of K v = w^2 L v
  Eigen::Matrix3d L;
  {
    Arm arm({});
    Eigen::MatrixXd M(7, 7);
    dynamics::inertia_matrix(Arm::model(), arm.workspace, arm.q, M);
    const Eigen::MatrixXd J = arm.jacobian().bottomRows<3>();
    L = (J * M.inverse() * J.transpose()).inverse();
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix3d> modes(
      K * Eigen::Matrix3d::Identity(), L);
  for (Eigen::Index i = 0; i < 3; ++i) {
    Arm arm({{"stiffness", std::vector<double>{K}},
             {"damping_ratio", z},
             {"blend_time", 0.0},
             {"max_linear_velocity", 1000.0}},
            true);
    ASSERT_TRUE(arm.active);
    const Eigen::Vector3d step = 0.002 * modes.eigenvectors().col(i).normalized();
    const char* const names[] = {"controller/pose/position.x", "controller/pose/position.y",
                                 "controller/pose/position.z"};
    for (Eigen::Index k = 0; k < 3; ++k)
      arm.loop->refer(names[k], arm.start.translation[k] + step[k]);
    double overshoot = 0.0;
    for (int k = 0; k < 1000; ++k) {
      ASSERT_NO_FATAL_FAILURE(arm.loop->cycle());
      const Eigen::Vector3d moved = arm.pose().translation - arm.start.translation;
      overshoot = std::max(overshoot, moved.dot(step) / step.squaredNorm() - 1.0);
    }
    // overshoot = exp(-pi z / sqrt(1 - z^2))
    const double log = std::log(overshoot);
    const double found = -log / std::sqrt(std::numbers::pi * std::numbers::pi + log * log);
    EXPECT_NEAR(found, z, 0.05 * z) << i;
  }
}

TEST(CartesianImpedance, PostureMovesWithoutTheHand) {
  Arm arm({{"posture.bandwidth", 4.0}, {"posture.max_velocity", 0.5}}, true);
  ASSERT_TRUE(arm.active);
  const Eigen::VectorXd kernel = arm.jacobian().fullPivLu().kernel().col(0).normalized();
  const auto names = Arm::model().coordinate_names();
  for (std::size_t i = 0; i < 7; ++i) {
    arm.loop->refer("controller/" + names[i] + "/position",
                    arm.q[i] + 0.4 * kernel[static_cast<Eigen::Index>(i)]);
  }
  double strayed = 0.0, turned = 0.0, moved = 0.0;
  for (int k = 0; k < 4000; ++k) {
    ASSERT_NO_FATAL_FAILURE(arm.loop->cycle());
    const auto now = arm.pose();
    strayed = std::max(strayed, (now.translation - arm.start.translation).norm());
    turned = std::max(turned, (now.rotation - arm.start.rotation).norm());
    for (std::size_t i = 0; i < 7; ++i)
      moved = std::max(moved, std::abs(arm.loop->robot->positions()[i] - arm.q[i]));
  }
  EXPECT_LT(strayed, 1e-4);
  EXPECT_LT(turned, 1e-3);
  EXPECT_GT(moved, 0.1);
}

TEST(CartesianImpedance, MovesToPosesOfTheTopicWithinItsLimits) {
  Arm arm({{"max_linear_velocity", 0.1}, {"max_angular_velocity", 0.5}});
  ASSERT_TRUE(arm.active);
  Spinner spinner(*arm.loop);
  const auto publisher =
      spinner.node->create_publisher<geometry_msgs::msg::PoseStamped>("/controller/pose", 1);
  ASSERT_TRUE(spinner.wait([&] { return publisher->get_subscription_count() == 1; }));
  geometry_msgs::msg::PoseStamped message;
  const Eigen::Vector3d target = arm.start.translation + Eigen::Vector3d(0.05, -0.05, 0.02);
  const Eigen::Quaterniond turn(
      Eigen::Matrix3d(Eigen::AngleAxisd(0.2, Eigen::Vector3d::UnitZ()) * arm.start.rotation));
  message.pose.position.x = target.x();
  message.pose.position.y = target.y();
  message.pose.position.z = target.z();
  message.pose.orientation.w = turn.w();
  message.pose.orientation.x = turn.x();
  message.pose.orientation.y = turn.y();
  message.pose.orientation.z = turn.z();
  // refused: another frame, no quaternion
  auto bad = message;
  bad.header.frame_id = "camera";
  publisher->publish(bad);
  bad = message;
  bad.pose.orientation.w += 1.0;
  publisher->publish(bad);
  spinner.run(0.2);
  EXPECT_LT((arm.pose().translation - arm.start.translation).norm(), 1e-6);

  message.header.frame_id = Arm::model().base_link();
  publisher->publish(message);
  double fastest = 0.0;
  Eigen::Vector3d before = arm.pose().translation;
  EXPECT_TRUE(spinner.until([&] {
    const auto now = arm.pose();
    fastest = std::max(fastest, (now.translation - before).norm() / Loop::period);
    before = now.translation;
    return (now.translation - target).norm() < 1e-4 &&
           (now.rotation - turn.toRotationMatrix()).norm() < 1e-3;
  }));
  EXPECT_LT(fastest, 0.13);
  EXPECT_GT(fastest, 0.08);
}

TEST(CartesianImpedance, ExertsTheWrenchOfTheTopicUntilItsTimeout) {
  Arm arm({{"wrench_timeout", 5.0}, {"stiffness", std::vector<double>{1000.0, 60.0}}});
  ASSERT_TRUE(arm.active);
  Spinner spinner(*arm.loop);
  const auto publisher =
      spinner.node->create_publisher<geometry_msgs::msg::WrenchStamped>("/controller/wrench", 1);
  ASSERT_TRUE(spinner.wait([&] { return publisher->get_subscription_count() == 1; }));
  geometry_msgs::msg::WrenchStamped message;
  message.header.frame_id = hand;  // in its axes
  message.wrench.force.x = 5.0;
  const Eigen::Vector3d expected = arm.start.rotation * Eigen::Vector3d(5.0, 0.0, 0.0) / 1000.0;
  const auto away = [&] { return (arm.pose().translation - arm.start.translation).eval(); };
  for (int k = 0; k < 20; ++k) {
    publisher->publish(message);
    spinner.run(0.2);
  }
  EXPECT_LT((away() - expected).norm(), 0.02 * expected.norm());
  spinner.run(9.0);
  EXPECT_LT(away().norm(), 1e-5) << "no messages any more";
}

TEST(CartesianImpedance, APayloadDoesNotChangeTheFrame) {
  // without the parameter `frame` it is the last link, also if a payload is behind it in the model
  Loop loop(std::make_unique<CartesianImpedanceController>(), urdf("panda"),
            {{"payload_ramp_time", 0.01}});
  ASSERT_TRUE(loop.activate(start_of("panda")));
  loop.run(0.6);
  Spinner spinner(loop);
  dynamics_msgs::srv::SetNamedPayload::Request request;
  request.name = "load";
  request.payload.frame_id = "panda_link7";
  request.payload.inertia.m = 1e-6;
  ASSERT_TRUE(
      spinner.call<dynamics_msgs::srv::SetNamedPayload>("/controller/set_payload", request));
  ASSERT_NO_FATAL_FAILURE(loop.run(0.5));
  for (const char* part : {"position.x", "position.y", "position.z", "rotation.x", "rotation.y"})
    EXPECT_NEAR(loop.state(std::string("controller/error/") + part), 0.0, 1e-5) << part;
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_NEAR(loop.robot->positions()[i], start_of("panda")[i], 1e-4) << i;
}

TEST(CartesianImpedance, ReportsItsErrorAsState) {
  Arm arm({}, true);
  ASSERT_TRUE(arm.active);
  arm.push({0.0, 0.0, -8.0});
  arm.loop->run(4.0);
  EXPECT_NEAR(arm.loop->state("controller/error/position.z"), 0.01, 1e-4);
  EXPECT_NEAR(arm.loop->state("controller/error/position.x"), 0.0, 1e-4);
  EXPECT_NEAR(arm.loop->state("controller/error/rotation.y"), 0.0, 1e-4);
}

}  // namespace
}  // namespace dynamics_controllers::test
