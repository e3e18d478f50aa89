# Every library the project links, gathered in the target kefu_deps.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED CONFIG COMPONENTS headers)
find_package(absl REQUIRED CONFIG)
find_package(tl-expected REQUIRED CONFIG)
find_package(fmt REQUIRED CONFIG)
find_package(spdlog REQUIRED CONFIG)
find_package(simdjson REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(RapidJSON REQUIRED CONFIG)
find_package(yaml-cpp REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(Eigen3 REQUIRED CONFIG)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_package(ZLIB REQUIRED)
find_package(GTest REQUIRED CONFIG)
find_package(benchmark REQUIRED CONFIG)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
find_library(FASTTEXT_LIBRARY fasttext REQUIRED)
find_library(LBFGS_LIBRARY lbfgs REQUIRED)
find_path(FASTTEXT_INCLUDE fasttext/fasttext.h REQUIRED)

# OpenVINO comes from the wheel in the project's .venv (scripts/setup).
file(GLOB openvino_wheel ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/openvino/cmake)
find_package(OpenVINO CONFIG COMPONENTS Runtime HINTS ${openvino_wheel})
if(NOT OpenVINO_FOUND)
  message(FATAL_ERROR "OpenVINO was not found: run scripts/setup (it installs the wheel into .venv)")
endif()

# Third-party headers are system headers, so that our warnings are about our code.
add_library(kefu_deps INTERFACE)
target_include_directories(kefu_deps SYSTEM INTERFACE ${FASTTEXT_INCLUDE} ${RapidJSON_INCLUDE_DIRS})
target_compile_definitions(kefu_deps INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)
target_link_libraries(kefu_deps INTERFACE
  Threads::Threads absl::flat_hash_map absl::function_ref absl::inlined_vector Boost::headers tl::expected
  fmt::fmt spdlog::spdlog simdjson::simdjson nlohmann_json::nlohmann_json yaml-cpp CLI11::CLI11 Eigen3::Eigen OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB
  PkgConfig::UTF8PROC PkgConfig::RE2 ${FASTTEXT_LIBRARY} ${LBFGS_LIBRARY} openvino::runtime)
