// SPDX-License-Identifier: Apache-2.0
// Full disks, unwritable files, interrupts at random times, closed pipes: the program reports the
// error, and an output file is either complete or unchanged.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <random>

#include "process.hpp"
#include "support/arm_urdf.hpp"

namespace dynamics::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

class Faults : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) / fmt::format("dynamics_faults_{}", getpid());
    fs::create_directories(folder);
    options.folder = folder;
  }
  void TearDown() override { fs::remove_all(folder); }

  ExitStatus run(const std::vector<std::string>& arguments) const {
    return Process(DYNAMICS_PROGRAM, arguments, options).wait();
  }
  std::string read(const fs::path& path) const {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
  }
  /// Names of the files in the folder except the captured output.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (name != "out.txt" && name != "err.txt") names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder;
  Process::Options options;
};

const std::vector<std::string> short_run = {"simulate", "planar3", "--duration", "0.2"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_F(Faults, FullDeviceIsReported) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "/dev/full does not exist";
  fs::create_symlink("/dev/full", folder / "full.csv");
  const ExitStatus status = run(with(short_run, {"--output", "full.csv"}));
  EXPECT_EQ(status.code, 2);
  EXPECT_THAT(status.err, AllOf(HasSubstr("full.csv"), HasSubstr("No space left")));
  options.out = "/dev/full";
  for (const auto& arguments : {std::vector<std::string>{"inverse", "puma"},
                                {"terms", "puma", "--json"},
                                {"--help"},
                                {"check", "puma"},
                                {"urdf", "puma"}}) {
    const ExitStatus answer = run(arguments);
    EXPECT_EQ(answer.code, 1) << arguments[0];
    EXPECT_THAT(answer.err, HasSubstr("No space left")) << arguments[0];
  }
}

TEST_F(Faults, DiskFullDuringWriteKeepsTheOldFile) {
  // a limit of the file size makes a write fail in the middle, like a full disk
  write("run.csv", "old contents");
  options.file_size = 4096;
  const ExitStatus status = run({"simulate", "planar3", "--duration", "2", "--output", "run.csv"});
  EXPECT_EQ(status.code, 2);
  EXPECT_THAT(status.err, AllOf(HasSubstr("run.csv"), HasSubstr("cannot be written")));
  EXPECT_EQ(read(folder / "run.csv"), "old contents");
  EXPECT_THAT(files(), testing::ElementsAre("run.csv"));
}

TEST_F(Faults, FullFileSystemKeepsTheOldFile) {
  const fs::path disk = folder / "disk";
  fs::create_directories(disk);
  if (mount("none", disk.c_str(), "tmpfs", 0, "size=16k") != 0) {
    GTEST_SKIP() << "root is required to mount a file system";
  }
  std::ofstream(disk / "run.json") << "before";
  const ExitStatus status =
      run({"simulate", "planar3", "--duration", "2", "--output", "disk/run.json"});
  EXPECT_EQ(status.code, 2);
  EXPECT_THAT(status.err, HasSubstr("No space left"));
  EXPECT_EQ(read(disk / "run.json"), "before");
  EXPECT_EQ(std::distance(fs::directory_iterator(disk), fs::directory_iterator{}), 1);
  umount(disk.c_str());
}

TEST_F(Faults, UnwritablePathsAreReported) {
  fs::create_directories(folder / "folder.csv");
  ExitStatus status = run(with(short_run, {"--output", "folder.csv"}));
  EXPECT_EQ(status.code, 2);
  EXPECT_THAT(status.err, AllOf(HasSubstr("folder.csv"), HasSubstr("folder")));
  status = run(with(short_run, {"--output", "missing/run.csv"}));
  EXPECT_EQ(status.code, 2);
  EXPECT_THAT(status.err, HasSubstr("missing"));
  status = run(with(short_run, {"--output", "/proc/run.csv"}));
  EXPECT_EQ(status.code, 2);
  EXPECT_THAT(status.err, HasSubstr("/proc/run.csv"));
}

TEST_F(Faults, WriteProtectedFileIsReported) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write every file";
  write("locked.csv", "before");
  chmod((folder / "locked.csv").c_str(), 0400);
  const ExitStatus status = run(with(short_run, {"--output", "locked.csv"}));
  EXPECT_EQ(status.code, 2);
  EXPECT_THAT(status.err, HasSubstr("Permission denied"));
  EXPECT_EQ(read(folder / "locked.csv"), "before");
}

TEST_F(Faults, SymbolicLinkIsFollowed) {
  write("target.urdf", "before");
  fs::create_symlink("target.urdf", folder / "link.urdf");
  EXPECT_EQ(run({"urdf", "planar3", "--output", "link.urdf"}).code, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link.urdf"));
  EXPECT_THAT(read(folder / "target.urdf"), HasSubstr("<robot"));
}

TEST_F(Faults, UnreadablePathsAreReported) {
  fs::create_directories(folder / "folder.urdf");
  EXPECT_EQ(run({"inverse", "folder.urdf"}).code, 2);
  EXPECT_EQ(run({"inverse", "planar3", "--trajectory", "folder.urdf"}).code, 2);
  fs::create_symlink("loop.urdf", folder / "loop.urdf");
  EXPECT_EQ(run({"inverse", "loop.urdf"}).code, 2);
}

TEST_F(Faults, ReadProtectedFileIsReported) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read every file";
  write("locked.urdf", arm_urdf());
  chmod((folder / "locked.urdf").c_str(), 0);
  const ExitStatus status = run({"inverse", "locked.urdf"});
  EXPECT_EQ(status.code, 2);
  EXPECT_THAT(status.err, HasSubstr("permission"));
}

TEST_F(Faults, ClosedPipeDoesNotCrash) {
  options.close_output = true;
  for (const auto& arguments : {std::vector<std::string>{"inverse", "puma"},
                                {"terms", "puma", "--json"},
                                {"check", "puma"}}) {
    const ExitStatus status = run(arguments);
    // SIGPIPE or an error, as usual for a closed pipe; never a crash
    EXPECT_TRUE(status.signal == SIGPIPE || status.code == 1) << status.code << status.signal;
  }
  // files are written before the summary is printed
  const ExitStatus status = run(with(short_run, {"--output", "run.csv"}));
  EXPECT_TRUE(status.signal == SIGPIPE || status.code == 1) << status.code << status.signal;
  EXPECT_THAT(read(folder / "run.csv"), HasSubstr("t,q_joint1"));
}

TEST_F(Faults, InterruptLeavesCompleteRows) {
  // one complete run, then the same run interrupted at random times
  const std::vector<std::string> arguments = {"simulate", "planar3", "--duration", "20",
                                              "--rtol",   "1e-12",   "--output",   "run.csv"};
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(run(arguments).code, 0);
  const std::chrono::duration<double> duration = std::chrono::steady_clock::now() - start;
  const std::string complete = read(folder / "run.csv");
  std::mt19937 random(3);
  int early = 0;
  for (int i = 0; i < 60; ++i) {
    const bool before = i % 2 == 0;
    if (before) {
      write("run.csv", "before");
    } else {
      fs::remove(folder / "run.csv");
    }
    Process process(DYNAMICS_PROGRAM, arguments, options);
    std::this_thread::sleep_for(std::chrono::duration<double>(
        std::uniform_real_distribution<double>(0.0, 1.1 * duration.count())(random)));
    process.send(i % 3 == 0 ? SIGTERM : SIGINT);
    const ExitStatus status = process.wait();
    ASSERT_FALSE(status.hung);
    EXPECT_TRUE(status.signal == SIGINT || status.signal == SIGTERM || status.code == 130 ||
                status.code == 0)
        << status.signal << " " << status.code << status.err;
    early += status.code == 0 ? 0 : 1;
    // no file, the old file, or complete rows from the start; no other files
    const std::string now = read(folder / "run.csv");
    EXPECT_TRUE(now.empty() || now == "before" || now.ends_with('\n')) << now.size();
    EXPECT_TRUE(now.empty() || now == "before" || now.starts_with("t,q_joint1"));
    for (const std::string& name : files()) EXPECT_EQ(name, "run.csv");
  }
  EXPECT_GT(early, 0);
  EXPECT_THAT(complete, HasSubstr("\n20,"));
}

TEST_F(Faults, SigkillLeavesACompleteFile) {
  write("run.json", "before");
  for (int i = 0; i < 20; ++i) {
    Process process(DYNAMICS_PROGRAM,
                    {"simulate", "planar3", "--duration", "5", "--output", "run.json"}, options);
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * i));
    process.send(SIGKILL);
    process.wait();
    const std::string now = read(folder / "run.json");
    EXPECT_TRUE(now == "before" || (now.starts_with("{") && now.ends_with("}\n"))) << now.size();
  }
}

TEST_F(Faults, ConcurrentWritersLeaveAValidFile) {
  std::vector<std::unique_ptr<Process>> all;
  for (int i = 0; i < 8; ++i) {
    Process::Options own = options;
    own.out = fmt::format("out{}.txt", i);
    own.err = fmt::format("err{}.txt", i);
    all.push_back(std::make_unique<Process>(
        DYNAMICS_PROGRAM, std::vector<std::string>{"urdf", "puma", "--output", "same.urdf"}, own));
  }
  for (auto& process : all) EXPECT_EQ(process->wait().code, 0);
  EXPECT_EQ(run({"check", "same.urdf"}).code, run({"check", "puma"}).code);
}

TEST_F(Faults, OutOfMemoryIsReported) {
  if (DYNAMICS_TEST_SANITIZED) GTEST_SKIP() << "sanitizers need more memory themselves";
  options.memory = rlim_t{200} << 20;
  std::string text = "<robot name='r'><link name='l0'/>";
  for (int i = 1; i < 100'000; ++i) {
    text += fmt::format(
        "<link name='l{0}'/><joint name='j{0}' type='fixed'><parent link='l{1}'/><child "
        "link='l{0}'/></joint>",
        i, i - 1);
  }
  write("large.urdf", text + "</robot>");
  const ExitStatus status = run({"inverse", "large.urdf"});
  EXPECT_TRUE(status.exited) << status.signal;
  EXPECT_EQ(status.code, 1);
  EXPECT_THAT(status.err, HasSubstr("out of memory"));
}

}  // namespace
}  // namespace dynamics::test
