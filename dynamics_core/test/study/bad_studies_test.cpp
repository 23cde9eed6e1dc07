// SPDX-License-Identifier: Apache-2.0
// Bad studies: each is refused with exit code 2 and a message that names the place.

#include "support/program.hpp"

namespace dynamics {
namespace {

class BadStudy : public test::Program {
 protected:
  /// A study with one line replaced by another.
  static std::string with(const std::string& line, const std::string& replacement) {
    std::string text =
        "robot: planar3\n"                                                  // 1
        "run: {simulate: {duration: 0.05}}\n"                               // 2
        "vary:\n"                                                           // 3
        "  - {parameter: mass, of: link1, scale: {uniform: [0.9, 1.1]}}\n"  // 4
        "keep: [peak tau_*, final q_*]\n"                                   // 5
        "samples: 4\n";                                                     // 6
    const std::size_t at = text.find(line);
    EXPECT_NE(at, std::string::npos) << line;
    return text.replace(at, line.size(), replacement);
  }
};

struct Bad {
  const char* line;
  const char* replacement;
  const char* message;
};

constexpr const char* entry = "{parameter: mass, of: link1, scale: {uniform: [0.9, 1.1]}}";
constexpr const char* run_line = "{simulate: {duration: 0.05}}";

constexpr Bad bad_studies[] = {
    {"robot: planar3", "robot: puma3", "no robot"},
    {"robot: planar3\n", "", "study.yaml:1: key 'robot' is missing"},
    {"samples: 4", "samples: 4\nsample: 3", "study.yaml:7: unknown key 'sample'"},
    {"parameter: mass", "parameter: weight", "study.yaml:4: vary[1].parameter: unknown parameter"},
    {"of: link1", "of: link9", "the robot has no link with mass 'link9'; it has link1"},
    {"[0.9, 1.1]", "[1.1, 0.9]", "study.yaml:4: vary[1].scale.uniform: empty range: 1.1"},
    {"[0.9, 1.1]", "[-1, 1.1]", "mass scaled by -1: must be positive"},
    {"scale: {uniform: [0.9, 1.1]}", "set: {list: []}", "vary[1].set.list: must not be empty"},
    {"scale: {uniform: [0.9, 1.1]}", "set: {list: [2, -3]}", "mass of -3: must be positive"},
    {"scale: {uniform: [0.9, 1.1]}", "scale: {triangle: [0.9, 1.1]}", "unknown key 'triangle'"},
    {"scale: {uniform: [0.9, 1.1]}", "scale: {normal: [1, 0]}", "the deviation must be positive"},
    {"scale: {uniform: [0.9, 1.1]}", "scale: {grid: [1, 2, 1]}", "must be an integer from 2"},
    {"uniform: [0.9, 1.1]", "uniform: [0.9, .nan]", "'.nan'"},
    {"scale: {uniform: [0.9, 1.1]}", "", "needs one of set, scale, add"},
    {entry, "{parameter: inertia, of: link1, add: {list: [1]}}", "inertia can only be scaled"},
    {entry, "{parameter: kp, of: all, set: {list: [1]}}", "kp has no effect without `controller`"},
    {entry, "{parameter: gravity, of: link1, scale: {list: [1]}}", "belongs to the robot"},
    {"samples: 4", "samples: 0", "study.yaml:6: samples: must be a whole number from 1"},
    {"samples: 4\n", "", "`samples` is missing"},
    {"samples: 4", "samples: 4\nsampling: halton", "sampling: must be random, sobol or latin"},
    {run_line, "{fly: {}}", "unknown key 'fly'"},
    {run_line, "{simulate: {controller: magic}}", "unknown controller 'magic'"},
    {run_line, "{simulate: {controller: pd, kp: [1, 2]}}", "kp"},
    {run_line, "{simulate: {duration: -1}}", "duration: must be positive"},
    {run_line, "{simulate: {bandwidth: 5}}", "bandwidth: has no effect without `controller`"},
    {run_line, "{simulate: {controller: pd, reference: path.csv}}", "path.csv: cannot be read"},
    {run_line, "{natural_frequencies: {}}", "natural frequencies need a robot with flexible"},
    {"peak tau_*", "peek tau_*", "unknown statistic 'peek': it must be one of initial"},
    {"peak tau_*", "peak torque_*", "no column matches 'torque_*'; there are t, q_joint1"},
    {"peak tau_*", "tracking_error", "need a controller that follows a reference"},
    {"peak tau_*", "final q_joint1", "'final_q_joint1' is kept twice"},
    {"samples: 4", "samples: 4\nworst: largest peak_tau", "worst: 'peak_tau' is not kept"},
    {"samples: 4", "samples: 4\nruns: excel", "runs: must be csv, json or mcap"},
    {"vary:\n  - ", "vary: []\n#", "vary: must not be empty"},
    {"samples: 4", "samples: [", "invalid YAML"},
};

TEST_F(BadStudy, IsReportedByName) {
  static_assert(std::size(bad_studies) >= 25);
  for (const Bad& bad : bad_studies) {
    write("study.yaml", with(bad.line, bad.replacement));
    expect_refused("study study.yaml --output out", bad.message);
    EXPECT_FALSE(std::filesystem::exists(folder / "out")) << bad.message;
  }
  write("study.yaml", with("samples", "samples"));
  EXPECT_EQ(run("study study.yaml --output out").code, 0);  // none of the above: it runs
}

TEST_F(BadStudy, CommandLinesAreRefused) {
  write("study.yaml", with("samples", "samples"));
  const std::pair<const char*, const char*> cases[] = {
      {"study", "STUDY.yaml is missing"},
      {"study study.yaml", "--output FOLDER is missing"},
      {"study nothing.yaml --output out", "nothing.yaml: cannot be read"},
      {"study . --output out", "is a folder"},
      {"study study.yaml --output out --part 3", "--part 3: must be K/N"},
      {"study study.yaml --output out --part 0/2", "--part 0/2: must be K/N"},
      {"study study.yaml --output out --part 3/2", "K from 1 to N"},
      {"study study.yaml --output out --threads 0", "--threads 0"},
      {"study study.yaml --output study.yaml", "is a file: name a folder"},
      {"study study.yaml --output .", "holds no study"},
      {"study --merge .", "not the folder of a study"},
      {"study --merge . --part 1/2", "takes no other option"},
      {"study study.yaml --case 4", "the study has the cases 0 to 3"},
      {"study study.yaml --case 1 --resume", "--case repeats one case"},
  };
  expect_all_refused("", cases);
}

}  // namespace
}  // namespace dynamics
