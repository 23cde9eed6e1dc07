// SPDX-License-Identifier: Apache-2.0
// The extension module dynamics._core; the package dynamics adds what is written in Python.
#define DYNAMICS_IMPORT_NUMPY
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "bindings.hpp"
#include "dynamics_core/controllers.hpp"
#include "dynamics_core/formulations.hpp"
#include "dynamics_core/integrators.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/version.hpp"
#include "dynamics_core/workspace.hpp"
#include "errors.hpp"
#include "numpy_api.hpp"

namespace py = pybind11;
using namespace dynamics;  // NOLINT(google-build-using-namespace): the macro below is global

namespace {

/// Imports NumPy's C API: a macro that returns where it fails.
void* import_numpy() {
  import_array();
  return nullptr;
}

template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.emplace_back(entry.name);
  return names;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "Robot dynamics: the extension module of the package dynamics.";
  import_numpy();
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  python::add_exceptions(module);
  module.attr("__version__") = DYNAMICS_CORE_VERSION;
  module.def(
      "built_in_robots",
      [] {
        std::vector<std::string> names;
        for (const std::string_view name : built_in_robots()) names.emplace_back(name);
        return names;
      },
      "Names of the built-in robots.");
  module.def(
      "algorithms",
      [](const std::string& task) {
        std::vector<std::string> names;
        for (const auto& formulation : formulations::all()) {
          if ((task != "forward" && formulation.inverse) ||
              (task != "inverse" && formulation.forward))
            names.emplace_back(formulation.name);
        }
        return names;
      },
      py::arg("task") = "",
      "Names of the published algorithms: of task 'inverse', 'forward', or all.");
  module.def(
      "controllers", [] { return names_of(controller_names()); },
      "Names of the stock controllers.");
  module.def(
      "integrators", [] { return names_of(ode::integrator_names()); }, "Names of the integrators.");
  module.def(
      "instruction_set", [] { return std::string(name(instruction_set())); },
      "The instruction set in use: 'baseline', 'avx2' or 'avx512'.");
  python::bind_check(module);
  python::bind_trajectory(module);
  python::bind_robot(module);
  python::bind_simulation(module);
  python::bind_study(module);
  python::bind_benchmark(module);
}
