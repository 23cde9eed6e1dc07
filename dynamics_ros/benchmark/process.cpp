// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace dynamics_ros::benchmark {

Process::Process(const std::vector<std::string>& command) : id_(-1) {
  if (access(command.front().c_str(), X_OK) != 0) {
    throw std::runtime_error("cannot run " + command.front());
  }
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  id_ = fork();
  if (id_ < 0) throw std::runtime_error("cannot start " + command.front());
  if (id_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing stays behind
    static_cast<void>(std::signal(SIGINT, SIG_DFL));
    execv(arguments.front(), arguments.data());
    _exit(127);
  }
}

Process::~Process() {
  kill(id_, SIGINT);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (running() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (running()) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
}

bool Process::running() const {
  if (!ended_) ended_ = waitpid(id_, nullptr, WNOHANG) != 0;
  return !ended_;
}

std::size_t Process::memory() const {
  std::ifstream file("/proc/" + std::to_string(id_) + "/statm");
  std::size_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::string own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

}  // namespace dynamics_ros::benchmark
