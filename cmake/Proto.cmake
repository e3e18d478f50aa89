# kefu_proto: messages and services of proto/*.proto. Generated code is not held to our warnings.
find_package(Protobuf REQUIRED)
find_package(gRPC REQUIRED CONFIG)

file(GLOB kefu_protos CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/proto/*.proto)
set(kefu_proto_dir ${CMAKE_BINARY_DIR}/proto)
file(MAKE_DIRECTORY ${kefu_proto_dir})
set(kefu_proto_sources "")
foreach(proto ${kefu_protos})
  cmake_path(GET proto STEM name)
  set(generated ${kefu_proto_dir}/${name}.pb.cc ${kefu_proto_dir}/${name}.grpc.pb.cc)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR}/proto --cpp_out=${kefu_proto_dir}
            --grpc_out=${kefu_proto_dir} --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin> ${proto}
    DEPENDS ${kefu_protos})
  list(APPEND kefu_proto_sources ${generated})
endforeach()

add_custom_target(kefu_proto_code DEPENDS ${kefu_proto_sources})  # what clang-tidy reads without building

add_library(kefu_proto STATIC ${kefu_proto_sources})
target_include_directories(kefu_proto SYSTEM PUBLIC ${kefu_proto_dir})
target_link_libraries(kefu_proto PUBLIC gRPC::grpc++ protobuf::libprotobuf)
set_target_properties(kefu_proto PROPERTIES UNITY_BUILD OFF)
target_compile_options(kefu_proto PRIVATE -w)
