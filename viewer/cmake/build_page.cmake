# SPDX-License-Identifier: Apache-2.0
# Builds the page in the folder WORK: npm ci (again only when the lock changes), type check, bundle, tests.
# If the npm registry cannot be reached, it warns and builds no page; an error in the sources is an error.

file(MAKE_DIRECTORY ${WORK})
# mirrored completely, so that files deleted from the sources are removed
file(REMOVE_RECURSE ${WORK}/src ${WORK}/test ${WORK}/build)
file(
  COPY ${SOURCE}/src
       ${SOURCE}/test
       ${SOURCE}/package.json
       ${SOURCE}/package-lock.json
       ${SOURCE}/.npmrc
       ${SOURCE}/tsconfig.json
       ${SOURCE}/build.mjs
  DESTINATION ${WORK})

file(SHA256 ${SOURCE}/package-lock.json lock)
set(installed "")
if(EXISTS ${WORK}/node_modules/.lock)
  file(READ ${WORK}/node_modules/.lock installed)
endif()
if(NOT installed STREQUAL lock)
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1
            --fetch-retry-mintimeout=1000 --fetch-timeout=60000
    WORKING_DIRECTORY ${WORK}
    RESULT_VARIABLE result
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(output MATCHES "EUSAGE")
    message(FATAL_ERROR "package.json and package-lock.json disagree:\n${output}")
  endif()
  if(NOT result EQUAL 0)
    string(REGEX MATCH "[^\n]*\n?[^\n]*\n?[^\n]*\n?[^\n]*" output "${output}")
    message(WARNING "The page that shows a run is not built: npm could not fetch its packages. "
                    "All else works without it; the next build tries again.\n${output}")
    return()
  endif()
  file(WRITE ${WORK}/node_modules/.lock ${lock})
endif()

foreach(arguments IN ITEMS "node_modules/typescript/bin/tsc;--noEmit" "build.mjs"
                           "build.mjs;--tests")
  execute_process(COMMAND ${NODE} ${arguments} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    file(REMOVE_RECURSE ${WORK}/build)
    message(FATAL_ERROR "node ${arguments} failed")
  endif()
endforeach()
file(TOUCH ${STAMP})
