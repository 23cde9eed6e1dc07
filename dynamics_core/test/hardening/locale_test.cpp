// SPDX-License-Identifier: Apache-2.0
// Numbers have decimal points in every locale, of C and of C++.

#include <gtest/gtest.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <string>

#include "dynamics_core/check.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/recording.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/trajectory.hpp"
#include "model/tree.hpp"
#include "support/arm_urdf.hpp"

namespace dynamics {
namespace {

class Comma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// Output of all functions that read or write numbers.
std::string all_output() {
  const Model arm = model_from_urdf(test::arm_urdf());
  std::string text = std::to_string(arm.tree()[0].first_moment[2] * 1e6);
  const DhTable table = built_in_robot("puma");
  const std::string urdf = to_urdf(table);
  const Model puma = model_from_urdf(urdf);
  text += urdf;
  SimulationOptions options;
  options.duration = 0.05;
  options.q0.assign(6, 0.25);
  options.qd0.assign(6, 0.0);
  Recording run = simulate(puma, options);
  run.statistics.wall_seconds = 0.0;
  const std::string csv = to_csv(run);
  text += csv + to_json(run);
  const Knots knots = read_trajectory_csv(csv, "run.csv", puma);
  text += std::to_string(knots.q.back()[1] * 1e9);
  for (const Finding& finding : check_urdf(test::arm_urdf()).findings) text += finding.message;
  return text;
}

class Locale : public testing::Test {
 protected:
  void TearDown() override {
    std::locale::global(std::locale::classic());
    std::setlocale(LC_ALL, "C");  // NOLINT(concurrency-mt-unsafe)
  }
};

TEST_F(Locale, StreamLocaleDoesNotChangeNumbers) {
  const std::string plain = all_output();
  std::locale::global(std::locale(std::locale::classic(), new Comma));  // owned by the locale
  EXPECT_EQ(all_output(), plain);
}

TEST_F(Locale, PlatformLocaleDoesNotChangeNumbers) {
  // created here if it is not installed
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("dynamics_locale_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) {  // NOLINT(concurrency-mt-unsafe)
    const std::string make =
        "localedef -i de_DE -f UTF-8 '" + folder.string() + "/de_DE.UTF-8' >/dev/null 2>&1";
    std::system(make.c_str());             // NOLINT(cert-env33-c,concurrency-mt-unsafe)
    setenv("LOCPATH", folder.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    const char* made = std::setlocale(LC_ALL, "de_DE.UTF-8");  // NOLINT(concurrency-mt-unsafe)
    if (made == nullptr) {
      std::filesystem::remove_all(folder);
      GTEST_SKIP() << "the locale de_DE.UTF-8 (decimal comma) is not installed and localedef "
                      "cannot create it";
    }
  }
  ASSERT_STREQ(std::localeconv()->decimal_point, ",");  // NOLINT(concurrency-mt-unsafe)
  const std::string comma = all_output();
  std::setlocale(LC_ALL, "C");  // NOLINT(concurrency-mt-unsafe)
  // std::to_string depends on the locale: compare only the output of the library
  std::string plain = all_output(), of_comma = comma;
  EXPECT_EQ(plain.size(), of_comma.size());
  const std::size_t urdf = plain.find("<?xml"), rest = plain.rfind('}');
  EXPECT_EQ(plain.substr(urdf, rest - urdf), of_comma.substr(urdf, rest - urdf));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dynamics
