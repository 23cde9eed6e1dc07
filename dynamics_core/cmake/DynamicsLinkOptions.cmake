# SPDX-License-Identifier: Apache-2.0
include(CheckLinkerFlag)
check_linker_flag(CXX -Wl,-Bsymbolic-functions DYNAMICS_LINKER_HAS_BSYMBOLIC_FUNCTIONS)

check_linker_flag(CXX -Wl,--no-undefined DYNAMICS_LINKER_HAS_NO_UNDEFINED)

# dynamics_link_options(<target>): calls within the library do not go through the symbol table, and a
# missing symbol is an error when the library is linked.
function(dynamics_link_options target)
  if(DYNAMICS_LINKER_HAS_NO_UNDEFINED AND NOT DYNAMICS_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  if(DYNAMICS_LINKER_HAS_BSYMBOLIC_FUNCTIONS)
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
  endif()
endfunction()
