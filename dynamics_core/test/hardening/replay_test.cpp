// SPDX-License-Identifier: Apache-2.0
// Replays the seeds and former failures of the fuzzers without libFuzzer, and random mutations of
// the seeds.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "entry_points.hpp"

namespace dynamics {
namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  void (*run)(std::string_view);
};
void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

std::vector<std::string> inputs(const fs::path& folder) {
  std::vector<std::string> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    all.push_back(text.str());
  }
  return all;
}

class Replay : public testing::TestWithParam<Target> {
 protected:
  static fs::path folder(const char* kind) {
    return fs::path(DYNAMICS_FUZZ_FOLDER) / kind / GetParam().name;
  }
};

TEST_P(Replay, SeedsAndRegressionsViolateNoProperty) {
  const auto seeds = inputs(folder("corpus"));
  ASSERT_FALSE(seeds.empty());
  for (const std::string& text : seeds) GetParam().run(text);
  for (const std::string& text : inputs(folder("regressions"))) GetParam().run(text);
}

TEST_P(Replay, RandomMutationsViolateNoProperty) {
  auto seeds = inputs(folder("corpus"));
  std::erase_if(seeds, [](const std::string& text) { return text.size() > 3000; });
  ASSERT_FALSE(seeds.empty());
  std::mt19937 random(11);
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  for (int round = 0; round < 1500; ++round) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t changes = 1 + below(4); changes > 0 && !text.empty(); --changes) {
      const std::size_t at = below(text.size()), length = 1 + below(30);
      switch (below(5)) {
        case 0: text[at] = static_cast<char>(below(256)); break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(at, text.substr(below(text.size()), length)); break;
        case 3: text.resize(at); break;
        default: text.insert(at, 1, "<>\"'&/0-,. \n{}[]:"[below(17)]); break;
      }
    }
    SCOPED_TRACE(text);
    GetParam().run(text);
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay,
                         testing::Values(Target{"fuzz_urdf", fuzz::urdf},
                                         Target{"fuzz_check", fuzz::check},
                                         Target{"fuzz_dh_table", fuzz::dh_table},
                                         Target{"fuzz_trajectory", fuzz::trajectory},
                                         Target{"fuzz_trajectory_yaml", fuzz::trajectory_yaml},
                                         Target{"fuzz_base_motion", fuzz::base_motion},
                                         Target{"fuzz_mcap", fuzz::mcap}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace dynamics
