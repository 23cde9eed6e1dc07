// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "convert.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/study.hpp"
#include "robot.hpp"

namespace py = pybind11;

namespace dynamics::python {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

/// A study with the texts of all files that it names: a worker on another machine needs no files.
struct StudyObject {
  StudyObject(std::string description, std::string name, std::string folder, Files given)
      : text(std::move(description)),
        file(std::move(name)),
        directory(std::move(folder)),
        files(std::move(given)),
        study(text, file, sources()) {}

  std::string text, file, directory;
  Files files;
  Study study;

 private:
  std::string read(const std::string& name) {
    const auto found = files.find(name);
    if (found != files.end()) return found->second;
    const std::string path = fs::path(name).is_absolute()
                                 ? name
                                 : (fs::path(directory) / name).lexically_normal().string();
    return files.emplace(name, read_file(path)).first->second;
  }
  StudyRobot load(const std::string& name) {
    RobotSource source;
    const fs::path extension = fs::path(name).extension();
    if (built_in_table(name)) {
      source = find_source(name);
    } else {
      source.text = read(name);
      source.is_table = extension == ".yaml" || extension == ".yml";
      source.name = name;
    }
    const Robot robot(std::move(source));
    StudyRobot result{.description = robot.mechanism() ? robot.mechanism()->description()
                                                       : robot.model().description(),
                      .gravity = robot.model().gravity()};
    if (robot.table()) result.forced = robot.table()->forced;
    if (robot.table() && !robot.mechanism()) {
      if (!robot.table()->q0.empty()) result.q0 = robot.table()->q0;
      result.qd0 = robot.table()->qd0;
      if (!result.q0.empty()) result.q0.resize(robot.joints(), 0.0);
      result.qd0.resize(robot.joints(), 0.0);
    }
    return result;
  }
  StudySources sources() {
    return {[this](const std::string& name) { return load(name); },
            [this](const std::string& name) { return read(name); }};
  }
};

/// Values, one row per case, and the errors of failed cases by their index.
py::tuple run_cases(const StudyObject& self, const std::vector<std::uint64_t>& numbers) {
  std::vector<double> values;
  std::map<std::size_t, std::string> errors;
  {
    const py::gil_scoped_release release;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const StudyRow row = self.study.run(numbers[i]);
      values.insert(values.end(), row.values.begin(), row.values.end());
      if (!row.error.empty()) errors[i] = row.error;
    }
  }
  const auto width = self.study.parameters().size() + self.study.results().size();
  return py::make_tuple(steal(new_array(values.data(), {static_cast<npy_intp>(numbers.size()),
                                                        static_cast<npy_intp>(width)})),
                        errors);
}

/// Rows that one front end appends. Results arrive in any order, a log is in case order: each row
/// goes to a log whose last case is before it.
class FolderObject {
 public:
  FolderObject(std::string path, const StudyObject& study, bool resume)
      : study_(study.study),
        folder_(std::move(path), study_,
                {.rows = resume ? StudyFolderOptions::Rows::keep : StudyFolderOptions::Rows::refuse,
                 .directory = study.directory}) {}

  std::vector<std::uint64_t> missing() const {
    const std::vector<bool> done = folder_.done(0, study_.cases());
    std::vector<std::uint64_t> result;
    for (std::uint64_t k = 0; k < done.size(); ++k) {
      if (!done[k]) result.push_back(k);
    }
    return result;
  }

  void append(const std::vector<std::uint64_t>& numbers, const std::vector<double>& values,
              const std::map<std::size_t, std::string>& errors) {
    const std::size_t width = study_.parameters().size() + study_.results().size();
    if (values.size() != numbers.size() * width)
      throw ArgumentError("values", fmt::format("has {} numbers; {} are needed", values.size(),
                                                numbers.size() * width));
    if (numbers.empty()) return;
    OrderedLog& ordered = log_before(numbers.front());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto error = errors.find(i);
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * width);
      ordered.log.append({numbers[i],
                          {first, first + static_cast<std::ptrdiff_t>(width)},
                          error == errors.end() ? "" : error->second});
    }
    ordered.next = numbers.back() + 1;
  }

  void write_results(const std::string& run) const {
    folder_.write_summary(folder_.write_table(), run);
  }

 private:
  struct OrderedLog {
    StudyLog log;
    std::uint64_t next;
  };
  OrderedLog& log_before(std::uint64_t number) {
    for (OrderedLog& ordered : logs_) {
      if (ordered.next <= number) return ordered;
    }
    logs_.push_back({folder_.open_log("python"), 0});
    return logs_.back();
  }

  Study study_;
  StudyFolder folder_;
  std::vector<OrderedLog> logs_;
};

}  // namespace

void bind_study(py::module_& module) {
  py::class_<StudyObject>(module, "Study", "A study: many independent cases of one description.")
      .def(py::init<std::string, std::string, std::string, Files>(), py::arg("text"),
           py::arg("file"), py::arg("directory"), py::arg("files") = Files())
      .def_property_readonly(
          "cases", [](const StudyObject& s) { return s.study.cases(); }, "Number of cases.")
      .def_property_readonly(
          "parameters", [](const StudyObject& s) { return s.study.parameters(); },
          "Names of what varies.")
      .def_property_readonly(
          "results", [](const StudyObject& s) { return s.study.results(); },
          "Names of what is kept.")
      .def_property_readonly(
          "runs", [](const StudyObject& s) { return s.study.runs(); },
          "Format of the runs to keep, or \"\".")
      .def("draw", [](const StudyObject& s,
                      std::uint64_t number) { return array_of(s.study.draw(number)); })
      .def("run", run_cases, py::arg("numbers"),
           "(values, errors) of some cases: parameters and results, one row per case.")
      .def(py::pickle(
          [](const StudyObject& s) { return py::make_tuple(s.text, s.file, s.directory, s.files); },
          [](const py::tuple& state) {
            return std::make_unique<StudyObject>(
                state[0].cast<std::string>(), state[1].cast<std::string>(),
                state[2].cast<std::string>(), state[3].cast<Files>());
          }));
  py::class_<FolderObject>(module, "StudyFolder", "The folder of a study.")
      .def(py::init<std::string, const StudyObject&, bool>(), py::arg("path"), py::arg("study"),
           py::arg("resume"))
      .def("missing", &FolderObject::missing, "Numbers of the cases without rows.")
      .def(
          "append",
          [](FolderObject& self, const std::vector<std::uint64_t>& cases, const py::object& values,
             const std::map<std::size_t, std::string>& errors) {
            const auto rows = rows_of(values, "values");
            std::vector<double> flat;
            for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
            self.append(cases, flat, errors);
          },
          py::arg("numbers"), py::arg("values"), py::arg("errors"),
          "Appends the rows of Study.run().")
      .def("write_results", &FolderObject::write_results, py::arg("run"),
           "Writes table.csv, summary.json and page.html. `run`: JSON about this execution.");
}

}  // namespace dynamics::python
