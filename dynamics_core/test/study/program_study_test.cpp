// SPDX-License-Identifier: Apache-2.0
// `dynamics study`: results, parts, restarts, full disks, mpirun.

#include <csignal>
#include <cstring>
#include <fstream>
#include <regex>
#include <thread>

#include "support/program.hpp"

namespace dynamics {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class StudyProgram : public test::Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    write("falls.yaml",
          "robot: puma\n"
          "run: {simulate: {duration: 0.05, rtol: 1e-6}}\n"
          "vary: [{parameter: mass, of: all, each: true, scale: {normal: [1, 0.05, 0.8, 1.2]}}]\n"
          "keep: [final q_*, energy]\n"
          "samples: 60\n"
          "seed: 1\n");
  }
  test::Result must_run(const std::string& arguments) const {
    test::Result result = run(arguments);
    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.err << result.out;
    return result;
  }
  std::string table(const std::string& name) const { return read(folder / name / "table.csv"); }
};

TEST_F(StudyProgram, WritesTableSummaryAndPage) {
  const auto result = must_run("study falls.yaml --output out --threads 2");
  EXPECT_THAT(result.out, AllOf(HasSubstr("computed 60 cases"), HasSubstr("0 were there before"),
                                HasSubstr("final_q_joint6"), HasSubstr("worst cases by"),
                                HasSubstr("dynamics study out --case")));
  for (const char* name : {"table.csv", "summary.json", "page.html", "study.yaml", "study.json"})
    EXPECT_TRUE(fs::exists(folder / "out" / name)) << name;
  const std::string csv = table("out");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 61);
  EXPECT_TRUE(csv.starts_with("case,mass_link1,mass_link2,"));
  const auto summary = nlohmann::json::parse(read(folder / "out" / "summary.json"));
  EXPECT_EQ(summary.at("run").at("computed_by_rank"), nlohmann::json({60}));
  // without HDF5 or the viewer's template it says so
  EXPECT_EQ(fs::exists(folder / "out" / "table.h5"),
            result.out.find("built without HDF5") == std::string::npos);
  EXPECT_THAT(result.out, HasSubstr("viewer.html is not installed"));
}

// read by h5dump, which shares no code with the writer
TEST_F(StudyProgram, Hdf5TableHasTheNumbersOfTheCsv) {
  if (std::system("h5dump --version >/dev/null 2>&1") != 0)  // NOLINT
    GTEST_SKIP() << "h5dump (hdf5-tools) is not installed";
  must_run("study falls.yaml --output out");
  if (!fs::exists(folder / "out/table.h5")) GTEST_SKIP() << "built without HDF5 (libhdf5-dev)";
  const std::string dump = "cd '" + folder.string() +
                           "' && h5dump -d final_q_joint2 -b LE -o column.bin out/table.h5 "
                           ">/dev/null";
  ASSERT_EQ(std::system(dump.c_str()), 0);  // NOLINT
  const std::string bytes = read(folder / "column.bin");
  std::vector<double> column(bytes.size() / sizeof(double));
  std::memcpy(column.data(), bytes.data(), bytes.size());
  std::istringstream lines(table("out"));
  std::string line;
  std::getline(lines, line);
  std::vector<double> expected;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (int i = 0; i < 9; ++i) std::getline(cells, cell, ',');  // case, six masses, q1, q2
    expected.push_back(std::strtod(cell.c_str(), nullptr));
  }
  ASSERT_EQ(expected.size(), 60U);
  EXPECT_EQ(column, expected);
}

TEST_F(StudyProgram, TheWorstRunIsOneClickAway) {
  viewer = write("viewer.html", "[__DYNAMICS_RUN__,__DYNAMICS_COMPARE__,__DYNAMICS_MESHES__]");
  must_run("study falls.yaml --output out");
  EXPECT_THAT(read(folder / "out/page.html"), HasSubstr("worst.html"));
  const auto summary = nlohmann::json::parse(read(folder / "out" / "summary.json"));
  const auto run_of_page = nlohmann::json::parse(read(folder / "out" / "worst.html")).at(0);
  EXPECT_THAT(run_of_page.at("settings").at("command"),
              HasSubstr("case " + summary.at("worst").at(0).at("case").dump()));
}

TEST_F(StudyProgram, RowOfACaseIsRepeatedByItsCommand) {
  must_run("study falls.yaml --output out");
  const auto summary = nlohmann::json::parse(read(folder / "out" / "summary.json"));
  const std::uint64_t number = summary.at("worst").at(0).at("case");
  const auto repeated = must_run("study out --case " + std::to_string(number) + " --output w.csv");
  const std::string csv = table("out");
  std::smatch line;
  ASSERT_TRUE(std::regex_search(csv, line, std::regex("\n" + std::to_string(number) + ",[^\n]*")));
  std::smatch value;
  ASSERT_TRUE(std::regex_search(repeated.out, value, std::regex("final_q_joint1 = ([-+0-9.e]+)")));
  EXPECT_THAT(line.str(), HasSubstr("," + value[1].str() + ","));
  EXPECT_TRUE(read(folder / "w.csv").starts_with("t,q_joint1"));
}

TEST_F(StudyProgram, ThreadsPartsAndRestartsGiveTheSameTable) {
  must_run("study falls.yaml --output one --threads 1");
  must_run("study falls.yaml --output three --threads 3");
  EXPECT_EQ(table("one"), table("three"));
  for (int k = 1; k <= 4; ++k)
    must_run("study falls.yaml --output parts --part " + std::to_string(k) + "/4");
  EXPECT_FALSE(fs::exists(folder / "parts/table.csv"));
  must_run("study --merge parts");
  EXPECT_EQ(table("one"), table("parts"));
}

TEST_F(StudyProgram, MissingPartIsNamed) {
  must_run("study falls.yaml --output parts --part 1/3");
  const auto result = run("study --merge parts");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("40 of 60 cases are missing (case 20, 21"));
}

TEST_F(StudyProgram, ResumeComputesOnlyWhatIsMissing) {
  must_run("study falls.yaml --output whole");
  must_run("study falls.yaml --output out --part 2/3");
  EXPECT_THAT(run("study falls.yaml --output out").err, HasSubstr("--resume"));
  const auto result = must_run("study falls.yaml --output out --resume");
  EXPECT_THAT(result.out, AllOf(HasSubstr("computed 40 cases"), HasSubstr("20 were there")));
  EXPECT_EQ(table("whole"), table("out"));
  const auto again = must_run("study falls.yaml --output out --resume");
  EXPECT_THAT(again.out, AllOf(HasSubstr("computed 0 cases"), HasSubstr("60 were there")));
  std::ofstream(folder / "falls.yaml", std::ios::app) << "# changed\n";
  expect_refused("study falls.yaml --output out --resume", "the description was changed");
  EXPECT_EQ(table("whole"), table("out"));
}

TEST_F(StudyProgram, ChangedRobotIsRefused) {
  const std::string urdf = R"(<robot name="r"><link name="base"/><link name="arm"><inertial>
    <origin xyz="0.1 0 0"/><mass value="MASS"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
    iyz="0"/></inertial></link><joint name="j" type="continuous"><parent link="base"/>
    <child link="arm"/></joint></robot>)";
  const auto with_mass = [&](const char* mass) {
    std::string text = urdf;
    return text.replace(text.find("MASS"), 4, mass);
  };
  fs::create_directories(folder / "models");
  write("models/arm.urdf", with_mass("1"));
  write("models/study.yaml",
        "robot: arm.urdf\nrun: {terms: {}}\nvary: [{parameter: mass, of: arm, scale: {list: [1, "
        "2]}}]\n");
  must_run("study models/study.yaml --output out");  // relative to the description
  must_run("study --merge out");
  write("models/arm.urdf", with_mass("1.5"));
  expect_refused("study models/study.yaml --output out --resume", "another robot");
  expect_refused("study --merge out", "another robot");
}

TEST_F(StudyProgram, KilledProcessLosesTheCasesInProgressOnly) {
  write("falls.yaml",
        "robot: puma\nrun: {simulate: {duration: 0.3, rtol: 1e-8}}\n"
        "vary: [{parameter: mass, of: all, each: true, scale: {uniform: [0.9, 1.1]}}]\n"
        "keep: [final q_*]\nsamples: 120\n");
  must_run("study falls.yaml --output whole");
  const std::string start = "cd '" + folder.string() + "' && exec '" + DYNAMICS_PROGRAM +
                            "' study falls.yaml --output out --threads 2 --resume >/dev/null 2>&1";
  std::uintmax_t before = 0;
  for (int kill_number = 0; kill_number < 3; ++kill_number) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::execl("/bin/sh", "sh", "-c", start.c_str(), nullptr);
      ::_exit(127);
    }
    const auto rows = [&] {
      std::uintmax_t bytes = 0;
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(folder / "out/rows", error))
        bytes += entry.file_size(error);
      return bytes;
    };
    int status = 0;
    while (rows() < before + 2000 && ::waitpid(child, &status, WNOHANG) == 0)
      std::this_thread::yield();
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    before = rows();
  }
  const auto result = must_run("study falls.yaml --output out --resume");
  EXPECT_THAT(result.out, testing::Not(HasSubstr("; 0 were there before")));
  EXPECT_EQ(table("whole"), table("out"));
}

// the limit of a file's size stands for a full disk: write() fails in the same way
TEST_F(StudyProgram, FullDiskIsReportedAndLosesNothing) {
  must_run("study falls.yaml --output whole");
  const std::string command = "cd '" + folder.string() + "' && trap '' XFSZ && ulimit -f 4 && '" +
                              DYNAMICS_PROGRAM +
                              "' study falls.yaml --output out --threads 1 >out.txt 2>err.txt";
  const int status = std::system(("bash -c \"" + command + "\"").c_str());  // NOLINT
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(read(folder / "err.txt"),
              AllOf(HasSubstr("rows/1of1.rank0.thread0.0001.rows"), HasSubstr("cannot be written"),
                    HasSubstr("--resume")));
  const auto result = must_run("study falls.yaml --output out --resume");
  EXPECT_THAT(result.out, testing::Not(HasSubstr("; 0 were there before")));
  EXPECT_EQ(table("whole"), table("out"));
}

TEST_F(StudyProgram, FailedCasesAreReportedByName) {
  write("masses.yaml",
        "robot: planar3\nrun: {terms: {}}\n"
        "vary: [{parameter: mass, of: link1, scale: {normal: [0.5, 0.5]}}]\n"
        "samples: 50\n");
  const auto result = must_run("study masses.yaml --output out");
  EXPECT_THAT(result.out, AllOf(HasSubstr("of 50 cases failed"), HasSubstr("link 'link1'"),
                                HasSubstr("drawn by 'mass_link1'")));
  EXPECT_THAT(table("out"), HasSubstr("must be positive"));
}

TEST_F(StudyProgram, KeepsWholeRuns) {
  std::ofstream(folder / "falls.yaml", std::ios::app) << "runs: csv\n";
  must_run("study falls.yaml --output out");
  EXPECT_TRUE(read(folder / "out/runs/case_07.csv").starts_with("t,q_joint1"));
  EXPECT_TRUE(fs::exists(folder / "out/runs/case_59.csv"));
  must_run("study out --case 7 --output again.csv");
  EXPECT_EQ(read(folder / "out/runs/case_07.csv"), read(folder / "again.csv"));
}

TEST_F(StudyProgram, RefusesMpirunWithoutMpi) {
  const auto with_ranks = [&](const std::string& variables) {
    const std::string command = "cd '" + folder.string() + "' && " + variables +
                                " DYNAMICS_STUDY_MPI=/nowhere '" + DYNAMICS_PROGRAM +
                                "' study falls.yaml --output out >out.txt 2>err.txt";
    const int status = std::system(command.c_str());  // NOLINT
    EXPECT_EQ(WEXITSTATUS(status), 2) << variables;
    EXPECT_THAT(read(folder / "err.txt"),
                AllOf(HasSubstr("8 processes"), HasSubstr("without MPI"), HasSubstr("--part")));
    EXPECT_FALSE(fs::exists(folder / "out"));
  };
  with_ranks("OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_RANK=3");
  with_ranks("PMI_SIZE=8 PMI_RANK=0");
  with_ranks("PMIX_RANK=1 SLURM_NTASKS=8");
}

TEST_F(StudyProgram, RunsUnderMpirun) {
  if (std::system("mpirun --version >/dev/null 2>&1") != 0)  // NOLINT
    GTEST_SKIP() << "mpirun (openmpi-bin) is not installed";
  if (!fs::exists(fs::path(DYNAMICS_PROGRAM).parent_path() / "dynamics_study_mpi.so"))
    GTEST_SKIP() << "built without MPI (libopenmpi-dev)";
  must_run("study falls.yaml --output one");
  const std::string command = "cd '" + folder.string() +
                              "' && mpirun --allow-run-as-root --oversubscribe -n 3 '" +
                              DYNAMICS_PROGRAM + "' study falls.yaml --output ranks ";
  ASSERT_EQ(std::system((command + ">out.txt 2>err.txt").c_str()), 0)  // NOLINT
      << read(folder / "err.txt");
  EXPECT_EQ(table("one"), table("ranks"));
  EXPECT_THAT(read(folder / "out.txt"), HasSubstr("on each of 3 ranks: "));
  // an error is reported by one rank
  EXPECT_NE(std::system((command + ">out.txt 2>err.txt").c_str()), 0);  // NOLINT
  const std::string error = read(folder / "err.txt");
  const std::size_t at = error.find("has rows already");
  ASSERT_NE(at, std::string::npos) << error;
  EXPECT_EQ(error.find("has rows already", at + 1), std::string::npos) << error;
}

/// The code blocks of docs/studies.md in a language.
std::vector<std::string> blocks(const std::string& language) {
  std::ifstream file(fs::path(DYNAMICS_DOCS) / "studies.md");
  std::vector<std::string> result;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (!inside && line == "```" + language) {
      inside = true;
      result.emplace_back();
    } else if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      result.back() += line + "\n";
    }
  }
  return result;
}

TEST_F(StudyProgram, DescriptionsOfTheDocumentationRun) {
  const auto descriptions = blocks("yaml");
  ASSERT_GE(descriptions.size(), 2U);
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    // fewer samples take less time
    const std::string text = std::regex_replace(descriptions[i], std::regex("samples: [0-9]+"),
                                                std::string("samples: 3"));
    if (text.find("robot:") == std::string::npos) continue;
    write("study.yaml", text);
    must_run("study study.yaml --output out" + std::to_string(i));
  }
}

/// Runs a job script of the documentation with the program in PATH.
TEST_F(StudyProgram, JobScriptsOfTheDocumentationRun) {
  const std::string path =
      "PATH='" + fs::path(DYNAMICS_PROGRAM).parent_path().string() + "':$PATH ";
  write("masses.yaml", read(folder / "falls.yaml"));
  must_run("study masses.yaml --output whole");
  std::string array_script;
  for (const std::string& script : blocks("bash")) {
    if (script.find("SLURM_ARRAY_TASK_ID") != std::string::npos) array_script = script;
  }
  ASSERT_NE(array_script, "");
  write("job.sh", array_script);
  // the tasks of the array, with the variables that Slurm sets
  for (int task = 1; task <= 5; ++task) {
    const std::string command = "cd '" + folder.string() + "' && " + path +
                                "SLURM_ARRAY_TASK_COUNT=5 SLURM_CPUS_PER_TASK=1 "
                                "SLURM_ARRAY_TASK_ID=" +
                                std::to_string(task) + " bash job.sh >out.txt 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << read(folder / "out.txt");  // NOLINT
  }
  must_run("study --merge masses");
  EXPECT_EQ(table("whole"), table("masses"));
}

}  // namespace
}  // namespace dynamics
