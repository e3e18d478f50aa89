#include "oip/infer_proto.h"

#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <inference.pb.h>

namespace kefu::oip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

inference::ModelInferRequest message_of(const char* datatype, std::initializer_list<std::int64_t> shape) {
  inference::ModelInferRequest message;
  message.set_model_name("m");
  auto& input = *message.add_inputs();
  input.set_name("IN");
  input.set_datatype(datatype);
  for (const std::int64_t dimension : shape) input.add_shape(dimension);
  return message;
}

std::string refusal(inference::ModelInferRequest message) {
  const auto request = read_infer_proto(message, {});
  return request ? "" : request.error().message;
}

TEST(InferProto, TypedContentsBecomeBinary) {
  auto message = message_of("INT8", {2, 1});
  message.mutable_inputs(0)->mutable_contents()->add_int_contents(-128);
  message.mutable_inputs(0)->mutable_contents()->add_int_contents(127);
  EXPECT_EQ(read_infer_proto(message, {})->inputs[0].data, "\x80\x7f");

  message = message_of("BYTES", {2});
  message.mutable_inputs(0)->mutable_contents()->add_bytes_contents("a");
  message.mutable_inputs(0)->mutable_contents()->add_bytes_contents("");
  EXPECT_THAT(bytes_elements(read_infer_proto(message, {})->inputs[0]), ElementsAre("a", ""));

  message = message_of("FP32", {1});
  message.mutable_inputs(0)->mutable_contents()->add_fp32_contents(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(read_infer_proto(message, {})->inputs[0].data.size(), 4U);
}

TEST(InferProto, ElementsOutOfRangeAreRefused) {
  auto message = message_of("UINT8", {1});
  message.mutable_inputs(0)->mutable_contents()->add_uint_contents(256);
  EXPECT_THAT(refusal(message), HasSubstr("out of the range"));
  message = message_of("INT16", {1});
  message.mutable_inputs(0)->mutable_contents()->add_int_contents(-40000);
  EXPECT_THAT(refusal(message), HasSubstr("out of the range"));
}

TEST(InferProto, RawContentsAreForAllInputsOrNone) {
  auto message = message_of("INT32", {1});
  message.add_raw_input_contents("1234");
  EXPECT_EQ(read_infer_proto(message, {})->inputs[0].data, "1234");
  message = message_of("INT32", {1});
  message.add_raw_input_contents("1234");
  message.add_raw_input_contents("5678");
  EXPECT_THAT(refusal(message), HasSubstr("2 entries for 1 inputs"));
  message = message_of("INT32", {1});
  message.add_raw_input_contents("1234");
  message.mutable_inputs(0)->mutable_contents()->add_int_contents(1);
  EXPECT_THAT(refusal(message), HasSubstr("use one of the two"));
}

TEST(InferProto, SizesMustFitTheShape) {
  auto message = message_of("INT32", {3});
  message.mutable_inputs(0)->mutable_contents()->add_int_contents(1);
  EXPECT_THAT(refusal(message), HasSubstr("1 elements in its contents; its shape needs 3"));
  message = message_of("INT32", {1});
  message.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1);
  EXPECT_THAT(refusal(message), HasSubstr("0 bytes"));
  EXPECT_THAT(refusal(message_of("FP16", {1})), HasSubstr("raw_input_contents"));
  EXPECT_THAT(refusal(message_of("INT33", {1})), HasSubstr("unknown datatype"));
  EXPECT_THAT(refusal(message_of("INT32", {-1})), HasSubstr("negative"));
  EXPECT_THAT(refusal(message_of("INT32", {std::int64_t{1} << 40, std::int64_t{1} << 40})),
              HasSubstr("more than"));
}

TEST(InferProto, EveryKindOfParameterComesThrough) {
  auto message = message_of("INT32", {0});
  auto& parameters = *message.mutable_parameters();
  parameters["b"].set_bool_param(true);
  parameters["i"].set_int64_param(-1);
  parameters["s"].set_string_param("x");
  parameters["d"].set_double_param(0.5);
  parameters["u"].set_uint64_param(std::numeric_limits<std::uint64_t>::max());
  const auto request = read_infer_proto(message, {});
  ASSERT_TRUE(request.has_value()) << request.error().message;
  inference::ModelInferResponse response;
  write_infer_proto({"m", "1", "7", request->parameters, {{"OUT", DataType::kFp16, {1}, {}, "ab"}}},
                    response);
  EXPECT_EQ(response.parameters().size(), 5U);
  EXPECT_EQ(response.parameters().at("u").uint64_param(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(response.parameters().at("d").double_param(), 0.5);
  EXPECT_EQ(response.raw_output_contents(0), "ab");
  EXPECT_EQ(response.outputs(0).datatype(), "FP16");
  parameters["none"];
  EXPECT_THAT(refusal(message), HasSubstr("'none' has no value"));
}

}  // namespace
}  // namespace kefu::oip
