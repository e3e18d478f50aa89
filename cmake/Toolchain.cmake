# Warnings, CPU baseline, sanitizers, ccache and the linker.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -march=${KEFU_ARCH})
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # std::stable_sort of libstdc++ 12 uses what C++17 deprecates.
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(KEFU_WERROR)
  # gcc 12 reports these two inside its own library's strings at -O3: shown, not fatal.
  add_compile_options(-Werror -Wno-error=restrict -Wno-error=maybe-uninitialized)
endif()

# Instrumented trees have no build type: optimised to run fast enough, asserts on, line tables for the stacks.
if(KEFU_SANITIZE)
  add_compile_options(-O1 -g1 -fsanitize=${KEFU_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    -fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/tests/sanitizers.ignore)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=${KEFU_SANITIZE})
endif()
if(KEFU_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # Two clones of one commit share what they compile. ccache 4.7 does not know that the list of exceptions matters.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_EXTRAFILES=${CMAKE_SOURCE_DIR}/tests/sanitizers.ignore ${CCACHE})
endif()

find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()
