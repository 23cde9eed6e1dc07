// SPDX-License-Identifier: Apache-2.0
// `dynamics count`: the format of its JSON, its tables, and bad arguments.

#include "papers/counting/algorithms.hpp"
#include "papers/counting/paper_claims.hpp"
#include "papers/counting/paper_tables.hpp"
#include "support/program.hpp"

namespace dynamics {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Count : public test::Program {
 protected:
  static const json& algorithm(const json& report, const std::string& name,
                               const std::string& task) {
    for (const json& one : report["algorithms"]) {
      if (one["name"] == name && one["task"] == task) return one;
    }
    throw std::runtime_error(name + " " + task);
  }
};

TEST_F(Count, JsonHasEveryAlgorithmAndEveryRow) {
  const json report = run_json("count --json");
  EXPECT_EQ(report["links"], 6);
  EXPECT_TRUE(report["robot"].is_null());
  const json& newton = algorithm(report, "newton-euler", "inverse");
  EXPECT_EQ(newton["M"], 620);
  EXPECT_EQ(newton["A"], 508);
  EXPECT_EQ(newton["formula"]["M"], "107n - 22");
  EXPECT_EQ(newton["counts"]["sines"], 6);
  EXPECT_EQ(newton["counts"]["divisions"], 0);
  for (const counting::Computation computation : counting::all_computations()) {
    const json& own = algorithm(report, "rigid", std::string(counting::name(computation)));
    const auto expected = counting::count(computation, counting::general_arm(6)).counts;
    EXPECT_EQ(own["M"], expected.products());
    EXPECT_EQ(own["A"], expected.additions);
    EXPECT_FALSE(own["formula"].is_null()) << own;
  }
  ASSERT_EQ(report["papers"].size(), counting::paper_rows().size());
  for (std::size_t i = 0; i < counting::paper_rows().size(); ++i) {
    const counting::PaperRow& row = counting::paper_rows()[i];
    const json& one = report["papers"][i];
    EXPECT_EQ(one["algorithm"], row.algorithm);
    EXPECT_EQ(one["M"], row.multiplications(6));
    EXPECT_EQ(one["formula"]["A"], row.additions.text());
    const bool complete_algorithm = one["kind"] != "line" && one["kind"] != "steps";
    EXPECT_EQ(one["ours"].is_object(), complete_algorithm) << one;
    EXPECT_EQ(one["implemented"].is_object(), !row.formulation.empty() && one["kind"] != "steps");
  }
  ASSERT_EQ(report["by_links"].size(), 30U);
  EXPECT_EQ(report["by_links"][5]["links"], 6);
  EXPECT_EQ(report["by_links"][5]["inverse"]["M"], algorithm(report, "rigid", "inverse")["M"]);
  // six links and the example of Mohan and Saha's Table 1
  ASSERT_EQ(report["flexible"].size(), 6U);
  const json& example = report["flexible"][4];
  EXPECT_EQ(example["links"], 8);
  EXPECT_EQ(example["modes"], 2);
  EXPECT_NEAR(example["paper"]["M"], 9874.0, 0.5);
  EXPECT_LT(example["ours"]["M"], example["paper"]["M"]);
  EXPECT_LT(example["ours"]["A"], example["paper"]["A"]);
  // judged rows and claims
  EXPECT_EQ(report["tables"].size(), counting::table_claims().size());
  ASSERT_EQ(report["claims"].size(), counting::count_claims().size());
  EXPECT_EQ(report["claims"][0]["computed"], counting::count_claims()[0].computed);
  EXPECT_EQ(report["claims"][0]["verdict"], "holds");
}

TEST_F(Count, TakesLinksOrRobot) {
  EXPECT_EQ(algorithm(run_json("count --links 17 --json"), "newton-euler", "inverse")["M"],
            107 * 17 - 22);
  EXPECT_EQ(run_json("count --links 1 --json")["links"], 1);
  const json puma = run_json("count --links puma --json");
  EXPECT_EQ(puma["robot"], "puma");
  EXPECT_EQ(puma["links"], 6);
  EXPECT_TRUE(puma["tables"].empty() && puma["claims"].empty());
  EXPECT_TRUE(algorithm(puma, "rigid", "inverse")["formula"].is_null());
  EXPECT_LE(algorithm(puma, "rigid", "inverse")["M"].get<int>(),
            algorithm(puma, "newton-euler", "inverse")["M"].get<int>());
  EXPECT_EQ(puma, run_json("count puma --json"));
}

TEST_F(Count, ReportsFormulationsThatDoNotCoverTrees) {
  const std::string fork = write("fork.urdf", R"(<robot name="fork">
    <link name="base"/>
    <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="ja" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
    <joint name="jb" type="continuous"><parent link="base"/><child link="b"/><axis xyz="0 1 0"/></joint>
  </robot>)");
  const json report = run_json("count '" + fork + "' --json");
  ASSERT_FALSE(report["not_covered"].empty());
  EXPECT_EQ(report["not_covered"][0]["name"], "lagrange");
  EXPECT_THAT(report["not_covered"][0]["reason"].get<std::string>(), HasSubstr("serial"));
}

TEST_F(Count, PrintsTablesOfAllPapers) {
  const test::Result result = run("count");
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* part :
       {"Saha 1999, Table 1", "Saha 1999, Table 2", "Saha 2003, Table I", "Turney 1980, Table 1",
        "Turney 1980, Table 2", "Turney 1980, Table 3", "Turney 1980, Table 4",
        "Turney 1980, Table 5", "Nasser 1990", "Balafoutis et al. (1988)", "93n - 69", "258n - 119",
        "Saha 2003, section 3", "27n + 42 M, 27n + 41 A steps", "Claims of the papers",
        "printed n >= 10; computed n >= 12: differs"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
}

TEST_F(Count, RejectsBadArguments) {
  expect_refused("count --links 0", "expected a number of links from 1 to 100");
  expect_refused("count --links 101", "expected a number of links from 1 to 100");
  expect_refused("count --links 99999999999999999999", "expected a number of links from 1 to 100");
  expect_refused("count --links=-3", "expected a number of links from 1 to 100");
  expect_refused("count --links nobody", "nobody");
  expect_refused("count puma --links 6", "give one of them, not both");
}

}  // namespace
}  // namespace dynamics
