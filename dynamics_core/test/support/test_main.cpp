// SPDX-License-Identifier: Apache-2.0
// main() of test programs that have several files. --file=NAME runs the tests of NAME.cpp only, so
// that each file is a CTest test of its own.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

/// The tests of a file, as --gtest_filter takes them.
std::string tests_of(std::string_view file) {
  const std::string ending = "/" + std::string(file) + ".cpp";
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  std::string filter;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (!("/" + std::string(test.file())).ends_with(ending)) continue;
      filter += std::string(suite.name()) + "." + test.name() + ":";
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with("--file=")) continue;
    const std::string filter = tests_of(argument.substr(7));
    if (filter.empty()) {
      std::fprintf(stderr, "%s: no test in this file\n", argv[i]);
      return 2;
    }
    GTEST_FLAG_SET(filter, filter);
  }
  return RUN_ALL_TESTS();
}
