# SPDX-License-Identifier: Apache-2.0
include(CheckLinkerFlag)
check_linker_flag(CXX -Wl,-Bsymbolic-functions DYNAMICS_LINKER_HAS_BSYMBOLIC_FUNCTIONS)

check_linker_flag(CXX -Wl,--no-undefined DYNAMICS_LINKER_HAS_NO_UNDEFINED)
set(DYNAMICS_HIDDEN_SYMBOLS ${CMAKE_CURRENT_LIST_DIR}/hidden_symbols.map)
check_linker_flag(CXX -Wl,--version-script=${DYNAMICS_HIDDEN_SYMBOLS}
                  DYNAMICS_LINKER_HAS_VERSION_SCRIPT)

# dynamics_link_options(<target>): calls within the library do not go through the symbol table, and a
# missing symbol is an error when the library is linked. Symbols of header-only libraries are hidden.
function(dynamics_link_options target)
  # a sanitized library leaves the symbols of the sanitizer to the program
  if(DYNAMICS_LINKER_HAS_NO_UNDEFINED AND NOT DYNAMICS_SANITIZE AND NOT DYNAMICS_BUILD_FUZZERS)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  if(DYNAMICS_LINKER_HAS_BSYMBOLIC_FUNCTIONS)
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
  endif()
  if(DYNAMICS_LINKER_HAS_VERSION_SCRIPT)
    target_link_options(${target} PRIVATE -Wl,--version-script=${DYNAMICS_HIDDEN_SYMBOLS})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${DYNAMICS_HIDDEN_SYMBOLS})
  endif()
endfunction()
