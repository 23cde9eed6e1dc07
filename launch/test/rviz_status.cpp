// SPDX-License-Identifier: Apache-2.0

// Runs RViz with a configuration and prints the status of its displays:
//
//   rviz_status CONFIGURATION SECONDS
//
// Runs until every display is OK and has received messages, and one has loaded a robot, or until
// the timeout; then prints one line per status and exits with 0, or with 1 after the timeout.

#include <QApplication>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <rviz_common/display_group.hpp>
#include <rviz_common/logging.hpp>
#include <rviz_common/properties/status_property.hpp>
#include <rviz_common/ros_integration/ros_client_abstraction.hpp>
#include <rviz_common/visualization_frame.hpp>
#include <rviz_common/visualization_manager.hpp>
#include <string>
#include <vector>

namespace {

using rviz_common::properties::Property;
using rviz_common::properties::StatusProperty;

struct Status {
  std::string display, name, text;
  StatusProperty::Level level;
};

/// Statuses without children, depth first.
void collect(const Property& property, const std::string& display, std::vector<Status>& found) {
  for (int i = 0; i < property.numChildren(); ++i) {
    const Property* child = property.childAt(i);
    const auto* status = dynamic_cast<const StatusProperty*>(child);
    if (status != nullptr && status->numChildren() == 0) {
      found.push_back({display, status->getName().toStdString(),
                       status->getValue().toString().toStdString(), status->getLevel()});
    }
    const bool named = dynamic_cast<const rviz_common::Display*>(child) != nullptr;
    collect(*child, named ? child->getName().toStdString() : display, found);
  }
}

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const std::vector<std::string> words = rclcpp::remove_ros_arguments(argc, argv);
  if (words.size() != 3) {
    std::fprintf(stderr, "usage: rviz_status CONFIGURATION SECONDS\n");
    return 2;
  }
  const auto quiet = [](const std::string&, const std::string&, std::size_t) {};
  const auto loud = [](const std::string& message, const std::string&, std::size_t) {
    std::fprintf(stderr, "%s\n", message.c_str());
  };
  rviz_common::set_logging_handlers(quiet, quiet, loud, loud);
  rviz_common::ros_integration::RosClientAbstraction client;
  const auto node = client.init(argc, argv, "rviz_status", false);
  auto frame = std::make_unique<rviz_common::VisualizationFrame>(node);
  frame->setApp(&application);
  frame->setSplashPath("");
  frame->initialize(node, QString::fromStdString(words[1]));
  frame->show();

  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::stoi(words[2]));
  std::vector<Status> found;
  bool well = false;
  while (!well && std::chrono::steady_clock::now() < end) {
    application.processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 100);
    found.clear();
    collect(*frame->getManager()->getRootDisplayGroup(), "", found);
    bool robot = false, bad = false;
    for (const Status& status : found) {
      robot = robot || status.text == "URDF parsed OK";
      // RViz does not report a topic without messages as an error
      const bool silent =
          status.name == "Topic" && status.text.find("messages received") == std::string::npos;
      bad = bad || silent || status.level != StatusProperty::Ok;
    }
    well = robot && !bad;
  }
  for (const Status& status : found) {
    std::printf("%s: %s, %s: %s\n", status.level == StatusProperty::Ok ? "ok" : "NOT OK",
                status.display.c_str(), status.name.c_str(), status.text.c_str());
  }
  std::fflush(stdout);
  client.shutdown();
  std::_Exit(well ? 0 : 1);  // the render system cannot be destroyed in parts
}
