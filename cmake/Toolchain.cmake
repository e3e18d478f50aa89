# Warnings, CPU baseline, sanitizers, ccache and the linker.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -march=${KEFU_ARCH})
if(KEFU_WERROR)
  # gcc 12 reports these two inside its own library's strings at -O3: shown, not fatal.
  add_compile_options(-Werror -Wno-error=restrict -Wno-error=maybe-uninitialized)
endif()

if(KEFU_SANITIZE)
  add_compile_options(-fsanitize=${KEFU_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KEFU_SANITIZE})
endif()
if(KEFU_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()
