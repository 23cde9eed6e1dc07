// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "bindings.hpp"
#include "dynamics_core/check.hpp"

namespace py = pybind11;

namespace dynamics::python {

void bind_check(py::module_& module) {
  py::class_<Finding>(module, "Finding", "An error, warning or remark about a description.")
      .def_property_readonly("severity",
                             [](const Finding& f) { return std::string(to_string(f.severity)); })
      .def_property_readonly("kind",
                             [](const Finding& f) { return std::string(to_string(f.kind)); })
      .def_readonly("name", &Finding::name)
      .def_readonly("code", &Finding::code)
      .def_readonly("message", &Finding::message)
      .def_readonly("repair", &Finding::repair)
      .def_readonly("fixable", &Finding::fixable)
      .def_readonly("line", &Finding::line)
      .def("__repr__", [](const Finding& f) {
        return "<" + std::string(to_string(f.severity)) + ": " + to_string(f.kind) + " '" + f.name +
               "': " + f.message + ">";
      });
  module.def(
      "check",
      [](const std::string& text, const std::string& source, bool is_table) {
        const py::gil_scoped_release release;
        return (is_table ? check_dh_table(text, source) : check_urdf(text, source)).findings;
      },
      py::arg("text"), py::arg("source"), py::arg("is_table"));
  module.def(
      "repair", [](const std::string& text) { return repair_urdf(text); }, py::arg("text"),
      "The text of a URDF with every fixable finding repaired.");
}

}  // namespace dynamics::python
