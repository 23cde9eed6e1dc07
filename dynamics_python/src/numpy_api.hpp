// SPDX-License-Identifier: Apache-2.0
#pragma once

// NumPy's C API. One source file, module.cpp, imports it (DYNAMICS_IMPORT_NUMPY).

#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_19_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL dynamics_numpy_api
#ifndef DYNAMICS_IMPORT_NUMPY
#define NO_IMPORT_ARRAY
#endif

#include <Python.h>
//
#include <numpy/arrayobject.h>
