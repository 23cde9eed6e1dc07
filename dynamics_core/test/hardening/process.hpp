// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a program without a shell, with limits of time and memory:
//
//   const ExitStatus status = Process("/bin/true", {}, {}).wait();
//   EXPECT_EQ(status.code, 0);

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DYNAMICS_TEST_SANITIZED 1
#else
#define DYNAMICS_TEST_SANITIZED 0
#endif

namespace dynamics::test {

struct ExitStatus {
  bool exited = false;  ///< not killed by a signal
  int code = -1;        ///< exit code
  int signal = 0;       ///< signal that killed it, or 0
  bool hung = false;    ///< killed because of the time limit
  std::string out, err;
};

class Process {
 public:
  struct Options {
    std::filesystem::path folder = ".";
    rlim_t memory = rlim_t{3} << 30;  ///< limit in bytes, not applied with sanitizers
    rlim_t seconds =
        DYNAMICS_TEST_SANITIZED ? 600 : 60;        ///< limit of CPU time; wall time: 10 times
    std::string out = "out.txt", err = "err.txt";  ///< relative to the folder, or absolute
    bool close_output = false;                     ///< stdout is a pipe without a reader
    rlim_t file_size = RLIM_INFINITY;              ///< limit of a file in bytes
  };

  /// Starts `program`; the arguments are passed unchanged.
  Process(const std::string& program, std::vector<std::string> arguments, Options options)
      : options_(std::move(options)), start_(std::chrono::steady_clock::now()) {
    arguments.insert(arguments.begin(), program);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int pipes[2] = {-1, -1};
    if (options_.close_output && pipe2(pipes, O_CLOEXEC) != 0) std::abort();
    // before the program starts: it must never find a reader
    if (pipes[0] >= 0) close(pipes[0]);
    id_ = fork();
    if (id_ == 0) run(argv, pipes[1]);
    if (pipes[1] >= 0) close(pipes[1]);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (id_ > 0 && !done_) {
      kill(id_, SIGKILL);
      waitpid(id_, nullptr, 0);
    }
  }

  void send(int signal) const { kill(id_, signal); }

  ExitStatus wait() {
    ExitStatus result;
    int status = 0;
    while (waitpid(id_, &status, WNOHANG) == 0) {
      const std::chrono::duration<double> age = std::chrono::steady_clock::now() - start_;
      if (age.count() > 10.0 * static_cast<double>(options_.seconds)) {
        result.hung = true;
        kill(id_, SIGKILL);
        waitpid(id_, &status, 0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(age.count() < 0.1 ? 1 : 5));
    }
    done_ = true;
    result.exited = WIFEXITED(status);
    if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    if (result.signal == SIGXCPU) result.hung = true;
    result.out = read(options_.out);
    result.err = read(options_.err);
    return result;
  }

 private:
  [[noreturn]] void run(const std::vector<char*>& argv, int pipe) const {
    if (chdir(options_.folder.c_str()) != 0) _exit(125);
    const auto limit = [](auto what, rlim_t value) {
      const rlimit bound{value, value};
      setrlimit(what, &bound);
    };
    if (!DYNAMICS_TEST_SANITIZED) limit(RLIMIT_AS, options_.memory);
    limit(RLIMIT_CPU, options_.seconds);
    if (options_.file_size != RLIM_INFINITY) {
      limit(RLIMIT_FSIZE, options_.file_size);
      ::signal(SIGXFSZ, SIG_IGN);
    }
    limit(RLIMIT_CORE, 0);
    const int in = open("/dev/null", O_RDONLY);
    const int out = options_.close_output
                        ? pipe
                        : open(options_.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err = open(options_.err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    execv(argv[0], argv.data());
    _exit(126);
  }

  std::string read(const std::string& name) const {
    if (!std::filesystem::is_regular_file(options_.folder / name)) return "";  // a device
    std::ifstream file(options_.folder / name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  Options options_;
  std::chrono::steady_clock::time_point start_;
  pid_t id_ = -1;
  bool done_ = false;
};

}  // namespace dynamics::test
