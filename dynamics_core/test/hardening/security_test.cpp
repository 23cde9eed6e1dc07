// SPDX-License-Identifier: Apache-2.0
// The guarantees of SECURITY.md: the program opens only the files given to it, starts no other
// program and uses no network. Checked with strace if it is installed.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "process.hpp"
#include "support/arm_urdf.hpp"

namespace dynamics::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Security : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) / fmt::format("dynamics_security_{}", getpid());
    fs::create_directories(folder);
    options.folder = folder;
  }
  void TearDown() override { fs::remove_all(folder); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
  }
  /// The URDF of the arm with meshes and textures of these names.
  static std::string with_meshes(const std::vector<std::string>& names) {
    std::string meshes = "</inertial>";
    for (const std::string& name : names) {
      for (const char* kind : {"visual", "collision"}) {
        meshes +=
            fmt::format("<{0}><geometry><mesh filename=\"{1}\"/></geometry></{0}>", kind, name);
      }
      meshes += fmt::format(
          "<visual><geometry><sphere radius=\"1\"/></geometry><material name=\"m\"><texture "
          "filename=\"{}\"/></material></visual>",
          name);
    }
    return replaced(arm_urdf(), "</inertial>", meshes);
  }

  fs::path folder;
  Process::Options options;
};

TEST_F(Security, MeshesAreNeverOpened) {
  // opening a FIFO for reading blocks until there is a writer: the program would hang
  ASSERT_EQ(mkfifo((folder / "pipe.stl").c_str(), 0600), 0);
  const std::string pipe = (folder / "pipe.stl").string();
  write("robot.urdf", with_meshes({"file://" + pipe, pipe, "package://pipe.stl", "pipe.stl",
                                   "../../../../../../../etc/passwd", "http://127.0.0.1:1/x"}));
  options.seconds = 20;
  for (const char* command : {"inverse", "check", "terms"}) {
    const ExitStatus status = Process(DYNAMICS_PROGRAM, {command, "robot.urdf"}, options).wait();
    EXPECT_FALSE(status.hung) << command;
    EXPECT_NE(status.code, 2) << command << status.err;
  }
  const ExitStatus run =
      Process(DYNAMICS_PROGRAM,
              {"simulate", "robot.urdf", "--duration", "0.1", "--output", "a.json"}, options)
          .wait();
  EXPECT_FALSE(run.hung);
  EXPECT_EQ(run.code, 0) << run.err;
}

TEST_F(Security, OpensOnlyGivenFilesAndNoSocket) {
  const std::string strace = "/usr/bin/strace";
  if (!fs::exists(strace)) GTEST_SKIP() << "strace is not installed";
  if (DYNAMICS_TEST_SANITIZED) GTEST_SKIP() << "sanitizers do not run under strace";
  write("robot.urdf", with_meshes({"file:///etc/passwd", "package://secret/x.stl", "$(touch owned)",
                                   "http://example.org/x.stl"}));
  write("path.csv", "t,q_shoulder,q_elbow\n0,0,0\n1,1,1\n");
  const std::vector<std::vector<std::string>> calls = {
      {"check", "robot.urdf", "--fix"},
      {"inverse", "robot.urdf", "--trajectory", "path.csv", "--duration", "1", "--output", "t.csv"},
      {"simulate", "robot.urdf", "--duration", "0.1", "--output", "s.json"},
      {"compare", "puma", "--samples", "2"},
      {"urdf", "puma", "--output", "p.urdf"}};
  bool traced = false;
  for (const auto& call : calls) {
    std::vector<std::string> arguments = {"-f",
                                          "-qq",
                                          "-o",
                                          "trace.txt",
                                          "-e",
                                          "trace=open,openat,execve,fork,vfork,socket,connect",
                                          DYNAMICS_PROGRAM};
    arguments.insert(arguments.end(), call.begin(), call.end());
    const ExitStatus status = Process(strace, arguments, options).wait();
    if (status.code != 0 && status.err.find("ptrace") != std::string::npos) {
      GTEST_SKIP() << "strace is not allowed to trace";
    }
    ASSERT_TRUE(status.exited);
    EXPECT_NE(status.code, 2) << status.err;
    std::ifstream trace(folder / "trace.txt");
    std::string program;
    const std::regex opened("open(at)?\\([^\"]*\"([^\"]*)\"");
    for (std::string line; std::getline(trace, line);) {
      traced = true;
      EXPECT_EQ(line.find("socket("), std::string::npos) << line;
      EXPECT_EQ(line.find("connect("), std::string::npos) << line;
      EXPECT_EQ(line.find("fork("), std::string::npos) << line;
      if (line.find("execve(") != std::string::npos) {
        EXPECT_TRUE(program.empty()) << "started another program: " << line;
        program = line;
      }
      std::smatch match;
      if (!std::regex_search(line, match, opened)) continue;
      // allowed: shared libraries, system information, and the files of this test
      const std::string path = match[2];
      const bool system = path.find(".so") != std::string::npos || path.starts_with("/proc/") ||
                          path.starts_with("/sys/") || path.starts_with("/etc/ld.so") ||
                          path.ends_with(".gcda");
      const bool ours = path == "robot.urdf" || path == "path.csv" || path.starts_with("t.csv") ||
                        path.starts_with("s.json") || path.starts_with("p.urdf") ||
                        path.starts_with("robot.fixed.urdf") || path.find(folder.string()) == 0;
      EXPECT_TRUE(system || ours) << line;
      EXPECT_THAT(path, Not(HasSubstr("passwd")));
      EXPECT_THAT(path, Not(HasSubstr("secret")));
    }
  }
  EXPECT_TRUE(traced);
  EXPECT_FALSE(fs::exists(folder / "owned"));
}

TEST_F(Security, MeshesAreOpenedOnlyInsidePackages) {
  const std::string strace = "/usr/bin/strace";
  if (!fs::exists(strace)) GTEST_SKIP() << "strace is not installed";
  if (DYNAMICS_TEST_SANITIZED) GTEST_SKIP() << "sanitizers do not run under strace";
  fs::create_directories(folder / "arm/meshes");
  fs::create_directories(folder / "secret");
  write("secret/x.stl", "solid secret\n");
  write("secret/x.mtl", "newmtl secret\n");
  write("arm/meshes/a.obj", "mtllib ../../secret/x.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  fs::create_symlink(folder / "secret/x.stl", folder / "arm/meshes/link.stl");
  fs::create_directory_symlink(folder / "secret", folder / "arm/folder");
  ASSERT_EQ(mkfifo((folder / "arm/meshes/pipe.stl").c_str(), 0600), 0);
  write("arm/meshes/huge.stl", "");
  fs::resize_file(folder / "arm/meshes/huge.stl", std::uintmax_t{1} << 40);
  write("viewer.html", "__DYNAMICS_RUN__ __DYNAMICS_COMPARE__ __DYNAMICS_MESHES__");
  const std::vector<std::string> names = {"package://arm/meshes/a.obj",
                                          "package://arm/meshes/link.stl",
                                          "package://arm/folder/x.stl",
                                          "package://arm/meshes/../../secret/x.stl",
                                          "package://arm/%2e%2e/secret/x.stl",
                                          "package://arm/meshes/pipe.stl",
                                          "package://arm/meshes/huge.stl",
                                          "package://secret/x.stl",
                                          "file://" + (folder / "secret/x.stl").string(),
                                          (folder / "secret/x.stl").string(),
                                          "secret/x.stl",
                                          "../../../../../../../etc/passwd",
                                          "file:///etc/passwd.stl",
                                          "http://127.0.0.1:1/x.stl"};
  write("robot.urdf", with_meshes(names));
  const std::vector<std::string> arguments = {
      "-f",
      "-qq",
      "-o",
      "trace.txt",
      "-e",
      "trace=open,openat,socket",
      "-E",
      "DYNAMICS_VIEWER=" + (folder / "viewer.html").string(),
      DYNAMICS_PROGRAM,
      "simulate",
      "robot.urdf",
      "--duration",
      "0.1",
      "--output",
      "a.html",
      "--meshes",
      "--package",
      "arm=arm",
      "--json"};
  const ExitStatus status = Process(strace, arguments, options).wait();
  if (status.code != 0 && status.err.find("ptrace") != std::string::npos)
    GTEST_SKIP() << "strace is not allowed to trace";
  ASSERT_EQ(status.code, 0) << status.err;
  EXPECT_FALSE(status.hung);
  // one warning per name, and one about the materials of a.obj
  const auto warnings = nlohmann::json::parse(status.out)["warnings"];
  EXPECT_EQ(warnings.size(), names.size()) << warnings.dump(1);
  bool opened_mesh = false;
  std::ifstream trace(folder / "trace.txt");
  for (std::string line; std::getline(trace, line);) {
    EXPECT_EQ(line.find("socket("), std::string::npos) << line;
    EXPECT_EQ(line.find("secret"), std::string::npos) << line;
    EXPECT_EQ(line.find("passwd"), std::string::npos) << line;
    EXPECT_EQ(line.find("pipe.stl"), std::string::npos) << line;
    EXPECT_EQ(line.find("x.stl"), std::string::npos) << line;
    opened_mesh = opened_mesh || line.find("\"a.obj\"") != std::string::npos;
  }
  EXPECT_TRUE(opened_mesh);
  std::ifstream page(folder / "a.html");
  std::stringstream text;
  text << page.rdbuf();
  EXPECT_LT(text.str().size(), 100'000);
  EXPECT_EQ(text.str().find("newmtl"), std::string::npos);
}

}  // namespace
}  // namespace dynamics::test
