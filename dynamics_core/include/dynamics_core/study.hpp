// SPDX-License-Identifier: Apache-2.0
#pragma once

// Studies: many independent evaluations of one robot, described by one YAML text (docs/studies.md).
//
//   const dynamics::Study study(text, "masses.yaml", sources);
//   dynamics::StudyFolder folder("out", study, {});          // out/ has a log of rows per writer
//   auto log = folder.open_log("1of1");
//   for (std::uint64_t k = 0; k < study.cases(); ++k) log.append(study.run(k));
//   folder.write_table();                                    // out/table.csv, in case order
//
// Cases are numbered from 0. The random numbers of a case depend on seed, case and parameter only:
// the rows are the same, bit for bit, in any order, on any number of threads and processes, on one
// instruction set (Study::instruction_set()).

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/description.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/recording.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// The robot of a study as its caller loads it.
struct StudyRobot {
  RobotDescription description;
  Eigen::Vector3d gravity = {0.0, 0.0, -9.81};  ///< (m/s^2)
  std::vector<double> q0 = {}, qd0 = {};  ///< start; empty: default_start(), or that of the loops
  std::optional<ForcedMotion> forced = std::nullopt;  ///< of a DH table
};

/// How a study reaches what it names. The study itself opens no file.
struct StudySources {
  std::function<StudyRobot(const std::string& name)> load_robot;
  std::function<std::string(const std::string& path)> read_file;
};

/// A row of the table: the result of one case.
struct StudyRow {
  std::uint64_t number = 0;
  std::vector<double> values = {};  ///< of parameters(), then of results(); NaN if the case failed
  std::string error = {};           ///< empty: the case is complete
};

/// A study: immutable, shared by threads.
class Study {
 public:
  /// Throws ParseError with file, line and key, and what the sources throw. Evaluates the robot
  /// once without variation, so that a study that no case of which can run is refused here.
  Study(std::string_view text, std::string_view file_name, const StudySources& sources);

  std::uint64_t cases() const;                         ///< number of cases
  const std::vector<std::string>& parameters() const;  ///< names of what varies
  const std::vector<std::string>& results() const;     ///< names of what is kept
  const std::string& text() const;                     ///< the description
  const std::string& robot() const;                    ///< its robot, as named in the description
  /// Hash of the description, the robot and the files that it names, and the library's version.
  std::uint64_t fingerprint() const;
  static std::string instruction_set();  ///< name of the one in use

  /// The values of the parameters. Throws ArgumentError for a number that is not below cases().
  std::vector<double> draw(std::uint64_t number) const;
  /// Evaluates one case. A case that fails is a row with an error. Different threads may call it.
  StudyRow run(std::uint64_t number) const;
  /// The samples of one case, of `run: simulate` and `run: inverse`. Throws what the case throws,
  /// and ArgumentError for studies whose cases have no samples.
  Recording record(std::uint64_t number) const;

  /// Format of the runs to keep: "csv", "json", "mcap", or "" for none.
  const std::string& runs() const;
  /// run(), and the samples for the format of runs().
  StudyRow run(std::uint64_t number, std::optional<Recording>& samples) const;
  /// Whether cases have samples.
  bool has_samples() const;
  /// The result that ranks the cases, and whether its largest value is the worst.
  std::size_t worst_result() const;
  bool largest_is_worst() const;

  struct [[gnu::visibility("hidden")]] Data;

 private:
  std::shared_ptr<const Data> data_;
};

/// The rows that one thread of one process appends. Each row is on its way to the disk when
/// append() returns: a killed process loses the cases in progress only.
class StudyLog {
 public:
  StudyLog(StudyLog&& other) noexcept;
  StudyLog& operator=(StudyLog&&) = delete;
  StudyLog(const StudyLog&) = delete;
  StudyLog& operator=(const StudyLog&) = delete;
  ~StudyLog();
  /// Throws StateError naming the file if the disk is full; the file then ends with the row before.
  void append(const StudyRow& row);

 private:
  friend class StudyFolder;
  StudyLog(std::string path, const Study& study);
  std::string path_;
  int file_ = -1;
  std::uint64_t end_ = 0;
  std::size_t width_ = 0;
};

/// What to do with a folder that has rows.
struct StudyFolderOptions {
  /// Rows of the same part that are there before.
  enum class Rows {
    refuse,  ///< an error: the folder has rows of the same part
    keep     ///< they count as computed
  };
  Rows rows = Rows::refuse;
  /// Rows of this part are those of `refuse`: "1of5"; empty: of all parts.
  std::string part = {};
  /// Folder of the description, to which its file names are relative; recorded in study.json.
  std::string directory = {};
};

/// Quantiles, sensitivities and worst cases of a table.
struct StudySummary {
  /// One result.
  struct Result {
    std::string name;
    std::uint64_t count = 0;                                           ///< of finite values
    double minimum = 0.0, maximum = 0.0, mean = 0.0, deviation = 0.0;  ///< of all rows
    std::vector<double> quantiles = {};                                ///< at levels()
    /// Per parameter: Spearman's rank correlation, and the coefficient of the linear regression of
    /// the ranks on all parameters.
    std::vector<double> rank_correlation = {}, rank_regression = {};
    double determination = 0.0;  ///< R^2 of that regression
  };
  /// A case that ranks among the worst.
  struct Worst {
    std::uint64_t number = 0;
    double value = 0.0;
  };
  std::uint64_t cases = 0, failed = 0;
  std::uint64_t analyzed = 0;  ///< rows that quantiles and sensitivities are from
  std::vector<Result> results;
  std::vector<Worst> worst;                 ///< of Study::worst_result(), the worst first
  std::vector<StudyRow> failures;           ///< the first failed cases
  static std::span<const double> levels();  ///< 0, 0.01, 0.05, 0.25, 0.5, ...
};

/// The folder of a study: its description, the logs of rows and the results.
class StudyFolder {
 public:
  /// Creates the folder or opens that of the same study. Throws ArgumentError for the folder of
  /// another or of a changed study, for rows of another instruction set, and for a folder with rows
  /// (StudyFolderOptions).
  StudyFolder(std::string path, const Study& study, const StudyFolderOptions& options);

  /// The folder.
  const std::string& path() const { return path_; }
  /// The description in a folder, and the folder that it came from. They throw ArgumentError if
  /// the folder holds no study.
  static std::string description(const std::string& path);
  static std::string directory(const std::string& path);

  /// Which cases have rows, one entry per case in [first, last).
  std::vector<bool> done(std::uint64_t first, std::uint64_t last) const;
  /// A new log: `part` is its name. Each thread has its own. Throws StateError.
  StudyLog open_log(const std::string& part) const;

  /// Calls row(StudyRow) for all rows in case order. Returns the number of cases without row; stops
  /// at the first of them and reports it in `missing` if that is given. Memory: one row per log.
  std::uint64_t read_rows(const std::function<void(const StudyRow&)>& row,
                          std::vector<std::uint64_t>* missing = nullptr) const;

  /// Writes table.csv, in case order, with 17 digits, and returns its summary. Throws StateError
  /// listing missing cases.
  StudySummary write_table() const;
  /// Writes summary.json, with the command that repeats each of the worst cases, and page.html.
  /// `run`: JSON about this execution; `links`: (text, file name) pairs for the page.
  void write_summary(const StudySummary& summary, const std::string& run,
                     std::span<const std::pair<std::string, std::string>> links = {}) const;

 private:
  std::vector<std::string> logs() const;
  std::string path_;
  Study study_;
};

/// A row of table.csv, and its first line. Both end with a newline.
std::string study_csv_header(const Study& study);
std::string study_csv_row(const StudyRow& row, std::string_view instruction_set);

/// The command that repeats a case as a run with the page of dynamics_viewer.
std::string study_repeat_command(std::string_view folder, std::uint64_t number);

/// The cases [first, last).
struct StudyRange {
  std::uint64_t first = 0, last = 0;
};
/// The cases of part k of n, counted from 1. Throws ArgumentError unless 1 <= k <= n.
StudyRange study_part(std::uint64_t cases, std::uint64_t k, std::uint64_t n);

}  // namespace dynamics
#pragma GCC visibility pop
