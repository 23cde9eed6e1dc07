// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "log_file.hpp"
#include "mcap/reader.hpp"
#include "mesh_arguments.hpp"
#include "page.hpp"
#include "report.hpp"
#include "robot.hpp"

namespace dynamics::tools {
namespace {

struct ViewArguments {
  std::string file, robot, topic, gravity;
  std::vector<std::string> outputs;
  bool no_friction = false, json = false;
  MeshArguments meshes;
};

bool has_extension(const std::string& path, const char* extension) {
  return std::filesystem::path(path).extension() == extension;
}

/// A run that was written with --output F.json.
void view_run(const ViewArguments& args) {
  for (const auto& [given, option] :
       {std::pair{!args.robot.empty(), "--robot"}, std::pair{!args.topic.empty(), "--topic"},
        std::pair{!args.gravity.empty(), "--gravity"}, std::pair{args.no_friction, "--no-friction"},
        std::pair{args.json, "--json"}, std::pair{args.meshes.meshes, "--meshes"}}) {
    if (given)
      throw InputError(fmt::format("{} has no effect on a recorded run (JSON): remove it", option));
  }
  const RunOutputs outputs(args.outputs, "");
  const std::string text = read_file(args.file);
  const auto run = nlohmann::json::parse(text, nullptr, false);
  if (run.is_discarded() || !run.is_object() || run.value("format", "") != "dynamics-run")
    throw InputError(fmt::format("{}: is not a run written with --output F.json", args.file));
  outputs.write_pages(text, "null");
  for (const std::string& path : outputs.paths()) fmt::print("wrote {}\n", path);
}

/// The gravity of a run that write_mcap() wrote: its settings are before its messages.
class GravityVisitor final : public mcap::Visitor {
 public:
  bool wants(const mcap::Channel&, const mcap::Schema*) override { return true; }
  void message(const mcap::ReadMessage&) override { done_ = true; }
  void metadata(const mcap::Metadata& metadata) override {
    const auto found = metadata.entries.find("gravity");
    if (metadata.name != "dynamics_run" || found == metadata.entries.end()) return;
    const auto list = nlohmann::json::parse(found->second, nullptr, false);
    if (!list.is_array() || list.size() != 3) return;
    for (const auto& entry : list) {
      if (!entry.is_number()) return;
    }
    gravity = Eigen::Vector3d(list[0], list[1], list[2]);
    done_ = true;
  }
  bool done() const override { return done_; }

  std::optional<Eigen::Vector3d> gravity;

 private:
  bool done_ = false;
};

/// The robot that the log describes.
Robot described_robot(const ViewArguments& args) {
  if (!is_log_file(args.file))
    throw InputError(fmt::format("{}: give the robot of this file: --robot F.urdf", args.file));
  const std::string path = log_file(args.file);
  std::string urdf = read_robot_description(path);
  if (urdf.empty()) {
    throw InputError(fmt::format(
        "{}: has no robot description (topic /robot_description): give --robot F.urdf", path));
  }
  mcap::FileSource source(path);
  GravityVisitor settings;
  mcap::read(source, path, settings);
  ModelOptions options;
  if (settings.gravity) options.gravity = *settings.gravity;
  Model model = model_from_urdf(urdf, options, path + ": /robot_description");
  const std::vector<double> zero(model.size(), 0.0);
  Robot robot{std::move(model), path, std::nullopt, zero, zero, {}, std::move(urdf)};
  report_warnings(robot, robot.model.notes());
  return robot;
}

/// The robot of --robot, or the one that the log describes.
Robot robot_of(const ViewArguments& args) {
  Robot robot = args.robot.empty() ? described_robot(args) : load_robot(args.robot);
  if (!args.gravity.empty()) {
    const auto g = parse_vector("--gravity", args.gravity, 3, {}, "x,y,z in m/s^2");
    robot.model = robot.model.with_gravity({g[0], g[1], g[2]});
  }
  return robot;
}

JointLog log_of(const ViewArguments& args, Robot& robot) {
  check_topic(args.topic, args.file);
  if (is_log_file(args.file))
    return read_log(robot, args.file, args.topic, JointLogOptions::Required::positions);
  const std::string text = read_file(args.file);
  const Knots motion = read_trajectory_csv(text, args.file, robot.model);
  JointLog log;
  log.topic = args.file;
  log.type = "CSV";
  log.t = motion.t;
  log.q = motion.q;
  log.qd = motion.qd;
  log.qdd = motion.qdd;
  const std::string names = text.substr(0, text.find('\n'));
  if (names.starts_with("tau_") || names.find(",tau_") != std::string::npos)
    log.tau = read_torques_csv(text, args.file, robot.model).q;
  return log;
}

/// RMS over the samples of computed and measured torques and of their difference.
struct TorqueComparison {
  std::vector<double> computed, measured, difference;
};

TorqueComparison compare_torques(const Recording& computed, const Recording* measured) {
  const auto rms = [](const Column& a, const Column* b) {
    double sum = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const double x = a[k] - (b != nullptr ? (*b)[k] : 0.0);
      sum += x * x;
    }
    return std::sqrt(sum / static_cast<double>(a.size()));
  };
  TorqueComparison result;
  for (std::size_t i = 0; i < computed.tau.size(); ++i) {
    result.computed.push_back(rms(computed.tau[i], nullptr));
    if (measured == nullptr) continue;
    result.measured.push_back(rms(measured->tau[i], nullptr));
    result.difference.push_back(rms(measured->tau[i], &computed.tau[i]));
  }
  return result;
}

void view_log(const ViewArguments& args) {
  Robot robot = robot_of(args);
  const RunOutputs outputs(args.outputs, "", args.meshes.load(robot, args.outputs));
  const JointLog log = log_of(args, robot);
  const auto recording = [&](LogTorques torques) {
    Recording run = torques_along(robot.model, log, torques, !args.no_friction);
    run.settings.robot = robot.argument;
    run.settings.source = args.file;
    run.settings.reference = log.topic;
    for (const Column& column : run.tau) require_finite("tau along the log", column);
    return run;
  };
  const Recording computed = recording(LogTorques::computed);
  std::optional<Recording> measured;
  if (!log.tau.empty()) measured = recording(LogTorques::measured);
  if (measured) {
    outputs.write_pages(to_json(*measured, true), to_json(computed, true));
  } else {
    outputs.write_pages(to_json(computed, true), "null");
  }
  const TorqueComparison torques = compare_torques(computed, measured ? &*measured : nullptr);
  if (args.json) {
    auto object = with_joints(robot);
    object["topic"] = log.topic;
    object["samples"] = log.t.size();
    object["duration"] = log.t.back();
    object["rms_computed"] = torques.computed;
    if (measured) {
      object["rms_measured"] = torques.measured;
      object["rms_difference"] = torques.difference;
    }
    print_json(object);
    return;
  }
  fmt::print("{}: {} samples in {:.6g} s of {}\n\n", args.file, log.t.size(), log.t.back(),
             robot.model.name());
  std::vector<TableColumn> columns = {{"computed RMS", torques.computed, "N m", "N  "}};
  if (measured) {
    columns.insert(columns.begin(), {"measured RMS", torques.measured, "N m", "N  "});
    columns.push_back({"difference RMS", torques.difference, "N m", "N  "});
  }
  print_table(robot.model, columns);
  if (!measured) fmt::print("\nthe log has no measured torques: the page has the computed ones\n");
  for (const std::string& path : outputs.paths()) fmt::print("wrote {}\n", path);
}

}  // namespace

void add_view(CLI::App& app, Outcome&) {
  auto args = std::make_shared<ViewArguments>();
  CLI::App* command = app.add_subcommand(
      "view", "Page of a log: the motion, measured torques and those of inverse dynamics");
  command
      ->add_option(
          "FILE", args->file,
          "MCAP file or rosbag2 folder, CSV file with t, q_JOINT and tau_JOINT columns, or "
          "run written with --output F.json")
      ->required();
  command->add_option(
      "--robot", args->robot,
      "URDF file, DH table or built-in robot (default: the robot description in the "
      "MCAP file)");
  command->add_option("--topic", args->topic, topic_option_help);
  command->add_option("--gravity", args->gravity,
                      "gravity x,y,z in m/s^2 (default: that of the run or the DH table, otherwise "
                      "0,0,-9.81)");
  command->add_option("--output", args->outputs, "F.html; may be repeated")->required()->take_all();
  command->add_flag("--no-friction", args->no_friction, no_friction_flag_help);
  command->add_flag("--json", args->json, json_flag_help);
  args->meshes.add_to(*command);
  command->callback([args] {
    for (const std::string& path : args->outputs) {
      if (!has_extension(path, ".html"))
        throw InputError(fmt::format("--output {}: the name must end in .html", path));
    }
    if (has_extension(args->file, ".json")) {
      view_run(*args);
    } else {
      view_log(*args);
    }
  });
}

}  // namespace dynamics::tools
