# SPDX-License-Identifier: Apache-2.0
# Runs one test file with Node.js; skipped if the page could not be built.

if(NOT EXISTS ${TEST})
  message("# SKIP the page is not built: npm could not fetch its packages")
  return()
endif()
execute_process(COMMAND ${NODE} --test --test-reporter=tap ${TEST} RESULT_VARIABLE result
                OUTPUT_VARIABLE output)
if(NOT result EQUAL 0)
  # CTest would report a file with one skipped test as skipped, even if another test failed
  string(REPLACE "# SKIP " "# skipped: " output "${output}")
  message("${output}")
  message(FATAL_ERROR "failed")
endif()
message("${output}")
