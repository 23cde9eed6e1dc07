# SPDX-License-Identifier: Apache-2.0
dynamics_core_test(model_refusals_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/refusals_test.cpp")
dynamics_core_test(model_suspicious_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/suspicious_test.cpp")
