# SPDX-License-Identifier: Apache-2.0
include(CheckLinkerFlag)
check_linker_flag(CXX -Wl,-Bsymbolic-functions DYNAMICS_LINKER_HAS_BSYMBOLIC_FUNCTIONS)

# dynamics_link_options(<target>): calls within the library do not go through the symbol table.
function(dynamics_link_options target)
  if(DYNAMICS_LINKER_HAS_BSYMBOLIC_FUNCTIONS)
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
  endif()
endfunction()
