// SPDX-License-Identifier: Apache-2.0
// What holds for every controller: no allocation in update(), loaded and unloaded a hundred times,
// deactivated and activated again.
#include <dynamics_msgs/srv/set_named_payload.hpp>

#include "plugins.hpp"
#include "ros_environment.hpp"
#include "support/allocation_counter.hpp"

namespace dynamics_controllers::test {
namespace {

/// Of this thread; always 0 with a sanitizer.
std::size_t allocations() { return dynamics::test::allocation_counter::of_this_thread(); }

bool is_broadcaster(const std::string& name) {
  return name.find("Broadcaster") != std::string::npos;
}

TEST(AllControllers, NothingAllocatesInAMillionCycles) {
  for (const auto& name : all()) {
    for (const bool chained : {false, true}) {
      if (chained && is_broadcaster(name)) continue;
      Loop loop(load(name), urdf("panda"));
      ASSERT_TRUE(loop.activate(start_of("panda"), chained)) << name;
      for (int k = 0; k < 5; ++k) ASSERT_EQ(loop.update(), return_type::OK) << name;
      const std::size_t before = allocations();
      bool well = true;
      for (int k = 0; k < 100'000; ++k) well = well && loop.update() == return_type::OK;
      EXPECT_EQ(allocations() - before, 0U) << name << (chained ? " chained" : "");
      EXPECT_TRUE(well) << name;
    }
  }
}

TEST(AllControllers, NothingAllocatesWhileThePayloadChangesAndTheStateIsLost) {
  for (const auto& name : all()) {
    Loop loop(load(name), urdf("panda"), {{"payload_ramp_time", 0.005}});
    ASSERT_TRUE(loop.activate(start_of("panda"))) << name;
    Spinner spinner(loop);
    using SetPayload = dynamics_msgs::srv::SetNamedPayload;
    for (int k = 0; k < 5; ++k) ASSERT_EQ(loop.update(), return_type::OK) << name;
    std::size_t count = 0;
    for (int k = 1; k <= 3; ++k) {
      SetPayload::Request request;
      request.name = "load";
      request.payload.frame_id = "panda_link8";
      request.payload.inertia.m = 0.1 * k;
      ASSERT_TRUE(spinner.call<SetPayload>("/controller/set_payload", request)) << name;
      const std::size_t before = allocations();
      for (int c = 0; c < 20; ++c) ASSERT_EQ(loop.update(), return_type::OK) << name;
      count += allocations() - before;
    }
    loop.set_state("panda_joint1", "position", std::nan(""));
    const std::size_t before = allocations();
    for (int c = 0; c < 1000; ++c) std::ignore = loop.update();
    count += allocations() - before;
    EXPECT_EQ(count, 0U) << name;
    EXPECT_EQ(loop.update(), return_type::ERROR) << name;
  }
}

TEST(AllControllers, AreLoadedAndUnloadedAHundredTimes) {
  for (const auto& name : all()) {
    for (int k = 0; k < 100; ++k) {
      Loop loop(load(name), urdf("puma"));
      ASSERT_TRUE(loop.activate(start_of("puma"))) << name << " " << k;
      ASSERT_EQ(loop.update(), return_type::OK) << name << " " << k;
    }
  }
}

TEST(AllControllers, AreConfiguredAgain) {
  for (const auto& name : all()) {
    Loop loop(load(name), urdf("puma"));
    for (int k = 0; k < 3; ++k) {
      ASSERT_TRUE(loop.activate(start_of("puma"))) << name;
      ASSERT_EQ(loop.update(), return_type::OK) << name;
      EXPECT_EQ(loop.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
      EXPECT_EQ(loop.controller->get_node()->cleanup().id(), State::PRIMARY_STATE_UNCONFIGURED);
    }
  }
}

TEST(AllControllers, StartFromTheStateAtEachActivation) {
  for (const auto& name : all()) {
    if (is_broadcaster(name)) continue;
    Loop loop(load(name), urdf("panda"));
    ASSERT_TRUE(loop.activate(start_of("panda"), true)) << name;
    // a reference away from the start, which is forgotten
    if (loop.references.contains("controller/panda_joint2/position"))
      loop.refer("controller/panda_joint2/position", 0.3);
    ASSERT_NO_FATAL_FAILURE(loop.run(0.3)) << name;
    EXPECT_EQ(loop.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
    // moved by others meanwhile, and held there
    auto q = start_of("panda");
    for (double& x : q) x += 0.2;
    loop.reset(q);
    ASSERT_TRUE(loop.robot->step());
    loop.write_states();
    const std::vector<double> held(loop.robot->efforts().begin(), loop.robot->efforts().end());
    ASSERT_EQ(loop.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE) << name;
    ASSERT_EQ(loop.update(), return_type::OK);
    for (std::size_t i = 0; i < 7; ++i)
      EXPECT_NEAR(loop.command(i), held[i], 1e-6) << name << " " << i << ": a jump";
    ASSERT_NO_FATAL_FAILURE(loop.run(2.0));
    for (std::size_t i = 0; i < 7; ++i)
      EXPECT_NEAR(loop.robot->positions()[i], q[i], 1e-3) << name << " " << i << ": stays";
  }
}

}  // namespace
}  // namespace dynamics_controllers::test
