// SPDX-License-Identifier: Apache-2.0
#include "methods.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "arrays.hpp"
#include "dynamics_core/batch.hpp"
#include "dynamics_core/error.hpp"
#include "errors.hpp"
#include "external.hpp"
#include "method_table.hpp"
#include "operation.hpp"

namespace py = pybind11;

namespace dynamics::python {
namespace {

/// States with fewer numbers keep the GIL: passing it on takes longer than computing them.
constexpr std::size_t least_numbers_to_release = 512;

const Robot& robot_of(PyObject* self) {
  // the type is checked by the method descriptor
  auto* instance = reinterpret_cast<py::detail::instance*>(self);
  void* const robot = instance->simple_layout ? instance->simple_value_holder[0]
                                              : instance->nonsimple.values_and_holders[0];
  if (robot == nullptr)
    throw ArgumentError("this Robot was never initialized: use dynamics.load()");
  return *static_cast<const Robot*>(robot);
}

/// The arguments of a call as they are given; null: left out, or None.
struct Arguments {
  std::array<PyObject*, largest_inputs> inputs = {};
  std::array<PyObject*, keyword_count> keywords = {};
  PyObject* keyword(Keyword which) const { return keywords[static_cast<std::size_t>(which)]; }
};

PyObject* given(PyObject* object) { return object == Py_None ? nullptr : object; }

Arguments take_arguments(const Method& method, PyObject* const* args, Py_ssize_t count,
                         PyObject* names) {
  Arguments arguments;
  if (count > static_cast<Py_ssize_t>(method.input_count())) {
    throw ArgumentError(fmt::format(
        "{}() takes {} arrays ({}), {} were given; options are given by "
        "name",
        method.name, method.input_count(),
        fmt::join(method.inputs.begin(), method.inputs.begin() + method.input_count(), ", "),
        count));
  }
  for (Py_ssize_t i = 0; i < count; ++i)
    arguments.inputs[static_cast<std::size_t>(i)] = given(args[i]);
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject* const value = args[count + i];
    Py_ssize_t length = 0;
    const char* text = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(names, i), &length);
    if (text == nullptr) throw PythonError();
    const std::string_view name(text, static_cast<std::size_t>(length));
    bool found = false;
    for (std::size_t k = 0; k < method.input_count() && !found; ++k) {
      if (name != method.inputs[k]) continue;
      if (static_cast<Py_ssize_t>(k) < count)
        throw ArgumentError(fmt::format("{}(): {} is given twice", method.name, name));
      arguments.inputs[k] = given(value);
      found = true;
    }
    for (std::size_t k = 0; k < keyword_count && !found; ++k) {
      if (name != keyword_names[k] || !method.takes(static_cast<Keyword>(k))) continue;
      arguments.keywords[k] = given(value);
      found = true;
    }
    if (!found) {
      throw ArgumentError(fmt::format("{}() has no argument '{}': it takes {}", method.name, name,
                                      method.argument_list()));
    }
  }
  if (arguments.inputs[0] == nullptr)
    throw ArgumentError(method.inputs[0], fmt::format("is missing: {}() needs it", method.name));
  return arguments;
}

std::size_t thread_argument(PyObject* object) {
  if (object == nullptr) return 0;
  const Py_ssize_t threads = PyNumber_AsSsize_t(object, PyExc_OverflowError);
  if (threads == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw ArgumentError("threads", "is not an integer");
  }
  if (threads < 0) throw ArgumentError("threads", "is negative; 0 stands for one per processor");
  return static_cast<std::size_t>(threads);
}

void read_options(const Arguments& arguments, Call& call) {
  if (PyObject* friction = arguments.keyword(Keyword::friction)) {
    const int truth = PyObject_IsTrue(friction);
    if (truth < 0) throw PythonError();
    call.external.friction = truth != 0;
  }
  if (PyObject* base = arguments.keyword(Keyword::base)) call.external.base = base_motion(base);
  if (PyObject* wrenches = arguments.keyword(Keyword::wrenches)) {
    call.wrenches =
        link_wrenches(wrenches, arguments.keyword(Keyword::wrench_axes), call.robot.model());
    call.external.wrenches = call.wrenches;
  }
  if (PyObject* name = arguments.keyword(Keyword::algorithm)) set_algorithm(name, call);
  if (PyObject* kind = arguments.keyword(Keyword::kind)) call.coriolis = coriolis_kind(kind);
  if (PyObject* axes = arguments.keyword(Keyword::axes)) call.axes = axes_of(axes, "axes");
}

[[noreturn]] void refuse_states(const char* name, const InputArray& array, const char* first_name,
                                const InputArray& first) {
  const auto text = [](const InputArray& input) {
    return input.is_batch() ? fmt::format("{} states", input.states()) : std::string("one state");
  };
  throw ArgumentError(name, fmt::format("has {}, {} has {}", text(array), first_name, text(first)));
}

/// The `out` arrays of a call: one, or a tuple of as many as there are results.
std::array<PyObject*, largest_outputs> out_arrays(PyObject* out, std::size_t count) {
  std::array<PyObject*, largest_outputs> arrays = {};
  if (out == nullptr) return arrays;
  if (count == 1) {
    arrays[0] = out;
    return arrays;
  }
  if (!PyTuple_Check(out) || PyTuple_GET_SIZE(out) != static_cast<Py_ssize_t>(count))
    throw ArgumentError("out", fmt::format("must be a tuple of {} arrays", count));
  for (std::size_t i = 0; i < count; ++i)
    arrays[i] = PyTuple_GET_ITEM(out, static_cast<Py_ssize_t>(i));
  return arrays;
}

/// Computes without the GIL if that is worth it.
void run(const Call& call, const InputArray& q, const State& state, const ResultShapes& results,
         std::size_t threads) {
  const auto compute_all = [&] {
    if (q.is_batch()) {
      compute_batch(call, q.states(), state, results, threads);
    } else {
      const Robot::Lease scratch(call.robot);
      compute(call, *scratch, state);
    }
  };
  if (q.states() * call.robot.size() < least_numbers_to_release) {
    compute_all();
    return;
  }
  const py::gil_scoped_release release;
  compute_all();
}

PyObject* evaluate(const Method& method, PyObject* self, PyObject* const* args, Py_ssize_t count,
                   PyObject* names) {
  const Robot& robot = robot_of(self);
  const Arguments arguments = take_arguments(method, args, count, names);
  Call call = {.robot = robot, .operation = method.operation};
  if (names != nullptr) read_options(arguments, call);
  if (method.takes(Keyword::frame))
    call.frame = frame_of(arguments.keyword(Keyword::frame), robot.model());

  std::array<InputArray, largest_inputs> inputs;
  std::array<MemoryRange, largest_inputs> read = {};
  State state;
  for (std::size_t i = 0; i < method.input_count(); ++i) {
    if (arguments.inputs[i] == nullptr) {
      state.in[i] = inputs[0].is_batch() ? nullptr : robot.zeros();
      continue;
    }
    inputs[i] = InputArray(arguments.inputs[i], method.inputs[i]);
    if (inputs[i].is_batch() != inputs[0].is_batch() || inputs[i].states() != inputs[0].states())
      refuse_states(method.inputs[i], inputs[i], method.inputs[0], inputs[0]);
    if (inputs[i].width() == 0 && robot.size() > 0)
      throw ArgumentError(method.inputs[i], "is empty");
    call.widths[i] = inputs[i].width();
    state.in[i] = inputs[i].data();
    read[i] = range_of(inputs[i].data(), inputs[i].states() * inputs[i].width());
  }
  for (std::size_t i = method.input_count(); i < largest_inputs; ++i)
    state.in[i] = inputs[0].is_batch() ? nullptr : robot.zeros();

  const ResultShapes results = result_shapes(call, method.inputs);
  const std::size_t threads = thread_argument(arguments.keyword(Keyword::threads));
  const auto out = out_arrays(arguments.keyword(Keyword::out), results.count);
  std::array<std::optional<OutputArray>, largest_outputs> outputs;
  for (std::size_t i = 0; i < results.count; ++i) {
    std::array<npy_intp, 3> shape = {};
    std::size_t dimensions = 0;
    if (inputs[0].is_batch()) shape[dimensions++] = static_cast<npy_intp>(inputs[0].states());
    for (std::size_t k = 0; k < results.shapes[i].dimensions; ++k)
      shape[dimensions++] = results.shapes[i].sizes[k];
    outputs[i].emplace(out[i], "out", std::span<const npy_intp>(shape.data(), dimensions), read);
    state.out[i] = outputs[i]->data();
    for (std::size_t k = 0; k < i; ++k) {
      if (outputs[i]->memory().overlaps(outputs[k]->memory()))
        throw ArgumentError("out", fmt::format("arrays {} and {} overlap in memory", k, i));
    }
  }
  try {
    run(call, inputs[0], state, results, threads);
  } catch (const BatchError&) {  // the other states are computed
    for (std::size_t i = 0; i < results.count; ++i) Py_XDECREF(outputs[i]->finish());
    throw;
  }
  if (results.count == 1) return outputs[0]->finish();
  Reference tuple(PyTuple_New(static_cast<Py_ssize_t>(results.count)));
  if (!tuple) throw PythonError();
  for (std::size_t i = 0; i < results.count; ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), outputs[i]->finish());
  return tuple.release();
}

template <std::size_t Index>
PyObject* call_method(PyObject* self, PyObject* const* args, Py_ssize_t count,
                      PyObject* names) noexcept {
  try {
    return evaluate(method_table[Index], self, args, count, names);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

template <std::size_t... Index>
auto definitions(std::index_sequence<Index...>) {
  return std::array<PyMethodDef, sizeof...(Index)>{
      {{method_table[Index].name,
        // CPython's own way to pass a function with keywords
        reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_method<Index>)),
        METH_FASTCALL | METH_KEYWORDS, method_table[Index].documentation}...}};
}

}  // namespace

void add_methods(py::handle robot_class) {
  static auto methods = definitions(std::make_index_sequence<method_table.size()>());
  for (PyMethodDef& method : methods) {
    const py::object descriptor = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(robot_class.ptr()), &method));
    if (!descriptor) throw py::error_already_set();
    py::setattr(robot_class, method.ml_name, descriptor);
  }
}

}  // namespace dynamics::python
