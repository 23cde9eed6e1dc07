// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <new>
#include <string>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/error.hpp"

namespace py = pybind11;

namespace dynamics::python {
namespace {

// they live as long as the interpreter
PyObject* error_class = nullptr;
PyObject* parse_error = nullptr;
PyObject* model_error = nullptr;
PyObject* argument_error = nullptr;
PyObject* state_error = nullptr;
PyObject* batch_error = nullptr;

PyObject* new_class(py::module_& module, const char* name, const char* documentation,
                    py::handle bases) {
  const std::string full = std::string("dynamics.") + name;
  const py::dict members;
  members["element"] = "";
  PyObject* made =
      PyErr_NewExceptionWithDoc(full.c_str(), documentation, bases.ptr(), members.ptr());
  if (made == nullptr) throw py::error_already_set();
  module.add_object(name, made);
  return made;
}

/// Sets an exception with the members of the C++ error.
void set(PyObject* type, const Error& error, const BatchError* batch = nullptr) {
  const py::object made =
      py::reinterpret_steal<py::object>(PyObject_CallFunction(type, "s", error.what()));
  if (!made) return;
  py::setattr(made, "element", py::str(error.element()));
  if (batch != nullptr) {
    py::setattr(made, "state", py::int_(batch->state()));
    py::setattr(made, "count", py::int_(batch->count()));
  }
  PyErr_SetObject(type, made.ptr());
}

}  // namespace

void add_exceptions(py::module_& module) {
  error_class = new_class(module, "Error", "Base of the errors of this module.", PyExc_Exception);
  const py::handle error(error_class);
  parse_error = new_class(
      module, "ParseError",
      "A text or file that cannot be read: missing, malformed, an unknown key, a wrong value.",
      error);
  model_error =
      new_class(module, "ModelError", "A robot that cannot exist or is not supported.", error);
  argument_error =
      new_class(module, "ArgumentError",
                "An argument that cannot be used; the message names it. Also a ValueError.",
                py::make_tuple(error, py::handle(PyExc_ValueError)));
  state_error = new_class(
      module, "StateError",
      "A state without an answer: a singular inertia matrix, a file that cannot be written.",
      error);
  batch_error = new_class(
      module, "BatchError",
      "Some states of a batch have no answer; an `out` array has NaN there and all other results.\n"
      "\n`state`: the first such state; `count`: how many.",
      py::handle(state_error));
  py::setattr(batch_error, "state", py::int_(0));
  py::setattr(batch_error, "count", py::int_(0));
  // the signature is pybind11's
  // NOLINTNEXTLINE(performance-unnecessary-value-param)
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const PythonError&) {
      // set already
    } catch (const Error&) {
      set_python_error();
    }
  });
}

void set_python_error() noexcept {
  try {
    throw;
  } catch (const PythonError&) {
    // set already
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const BatchError& error) {
    set(batch_error, error, &error);
  } catch (const ParseError& error) {
    set(parse_error, error);
  } catch (const ModelError& error) {
    set(model_error, error);
  } catch (const ArgumentError& error) {
    set(argument_error, error);
  } catch (const StateError& error) {
    set(state_error, error);
  } catch (const Error& error) {
    set(error_class, error);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace dynamics::python
