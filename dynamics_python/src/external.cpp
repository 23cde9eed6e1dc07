// SPDX-License-Identifier: Apache-2.0
#include "external.hpp"

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include "arrays.hpp"
#include "dynamics_core/error.hpp"

namespace py = pybind11;

namespace dynamics::python {

std::string text_of(PyObject* object, const char* name) {
  Py_ssize_t length = 0;
  const char* text = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &length) : nullptr;
  if (text == nullptr) {
    PyErr_Clear();
    throw ArgumentError(name, fmt::format("is a {}; a string is needed", Py_TYPE(object)->tp_name));
  }
  return {text, static_cast<std::size_t>(length)};
}

Axes axes_of(PyObject* name, const char* argument) {
  const std::string text = text_of(name, argument);
  if (text == "world") return Axes::world;
  if (text == "local") return Axes::local;
  if (text == "local_world_aligned") return Axes::local_world_aligned;
  throw ArgumentError(argument, fmt::format("'{}' is unknown: it must be one of world, local, "
                                            "local_world_aligned",
                                            text));
}

CoriolisKind coriolis_kind(PyObject* name) {
  const std::string text = text_of(name, "kind");
  if (text == "denoc") return CoriolisKind::denoc;
  if (text == "christoffel") return CoriolisKind::christoffel;
  throw ArgumentError("kind",
                      fmt::format("'{}' is unknown: it must be denoc or christoffel", text));
}

std::size_t frame_of(PyObject* name, const Model& model) {
  return name == nullptr ? model.end_effector() : model.frame(text_of(name, "frame"));
}

std::vector<LinkWrench> link_wrenches(PyObject* wrenches, PyObject* axes, const Model& model) {
  if (!PyDict_Check(wrenches)) {
    throw ArgumentError("wrenches",
                        fmt::format("is a {}; a dict {{link: [mx, my, mz, fx, fy, fz]}} "
                                    "is needed",
                                    Py_TYPE(wrenches)->tp_name));
  }
  const Axes common = axes == nullptr ? Axes::local_world_aligned : axes_of(axes, "wrench_axes");
  std::vector<LinkWrench> list;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(wrenches, &at, &key, &value) != 0;) {
    const std::string link = text_of(key, "wrenches");
    const std::string name = fmt::format("wrenches['{}']", link);
    const std::vector<double> six = numbers(value, name.c_str(), 6);
    list.push_back({model.frame(link),
                    {.moment = {six[0], six[1], six[2]}, .force = {six[3], six[4], six[5]}},
                    common});
  }
  return list;
}

BaseMotion base_motion(PyObject* base) {
  try {
    return py::handle(base).cast<BaseMotion>();
  } catch (const py::cast_error&) {
    throw ArgumentError(
        "base", fmt::format("is a {}; a dynamics.BaseMotion is needed", Py_TYPE(base)->tp_name));
  }
}

void set_algorithm(PyObject* name, Call& call) {
  const std::string text = text_of(name, "algorithm");
  const bool inverse = call.operation == Operation::inverse;
  const std::string own = inverse ? "denoc" : "udut";
  if (text == own) return;
  if (call.robot.mechanism()) {
    throw ArgumentError("algorithm", fmt::format("'{}': robots with closed loops are computed with "
                                                 "{} only",
                                                 text, own));
  }
  if (call.robot.flexible()) {
    if (!inverse && text == "cholesky") {
      call.cholesky = true;
      return;
    }
    throw ArgumentError(
        "algorithm", fmt::format("'{}': flexible links support {}; rigid=True treats the links as "
                                 "rigid",
                                 text, inverse ? "denoc only" : "udut (default) and cholesky"));
  }
  const formulations::Formulation& formulation = formulations::find(text);
  const std::string reason = formulations::not_covered(
      formulation, inverse ? formulations::Task::inverse : formulations::Task::forward,
      call.robot.model(), call.external);
  if (!reason.empty())
    throw ArgumentError(fmt::format("formulation {} {}", formulation.name, reason));
  call.algorithm = &formulation;
}

}  // namespace dynamics::python
