#include "oip/infer_json.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kefu::oip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename Value>
std::vector<Value> values(const Tensor& tensor) {
  std::vector<Value> out(tensor.data.size() / sizeof(Value));
  std::memcpy(out.data(), tensor.data.data(), tensor.data.size());
  return out;
}

std::string input(std::string_view datatype, std::string_view shape, std::string_view data) {
  return fmt::format(R"({{"inputs":[{{"name":"x","datatype":"{}","shape":{},"data":{}}}]}})", datatype, shape,
                     data);
}

Result<InferRequest> read(std::string_view body) {
  return read_infer_json(body, std::nullopt, {});
}

std::string complaint(std::string_view body) {
  const auto request = read(body);
  return request ? std::string() : request.error().message;
}

TEST(InferJson, ReadsEverythingOfARequest) {
  const auto request =
      read(R"({"id":"7","parameters":{"a":true,"b":-1,"c":"text","d":0.5,"e":18446744073709551615},
    "inputs":[{"name":"x","datatype":"INT32","shape":[2,2],"data":[[1,2],[3,4]],"parameters":{"p":1}},
              {"name":"y","datatype":"BYTES","shape":[2],"data":["","é"]}],
    "outputs":[{"name":"z","parameters":{"classification":3}}],"unknown":[]})");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->id, "7");
  EXPECT_EQ(request->parameters.at("a"), Parameter(true));
  EXPECT_EQ(request->parameters.at("b"), Parameter(std::int64_t{-1}));
  EXPECT_EQ(request->parameters.at("c"), Parameter(std::string("text")));
  EXPECT_EQ(request->parameters.at("d"), Parameter(0.5));
  EXPECT_EQ(request->parameters.at("e"), Parameter(std::uint64_t{18446744073709551615U}));
  ASSERT_EQ(request->inputs.size(), 2U);
  EXPECT_THAT(values<std::int32_t>(request->inputs[0]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(bytes_elements(request->inputs[1]), ElementsAre("", "é"));
  EXPECT_EQ(request->outputs.at(0).name, "z");
}

TEST(InferJson, NestedOrFlatIsTheSame) {
  EXPECT_EQ(read(input("FP32", "[2,2]", "[[1,2.5],[3,4]]"))->inputs[0].data,
            read(input("FP32", "[2,2]", "[1,2.5,3,4]"))->inputs[0].data);
  EXPECT_THAT(values<double>(read(input("FP64", "[1,1,2]", "[[[0.1,-2]]]"))->inputs[0]),
              ElementsAre(0.1, -2));
  EXPECT_TRUE(read(input("FP32", "[0]", "[]")));
  EXPECT_TRUE(read(input("FP32", "[2,0]", "[[],[]]")));
}

TEST(InferJson, RangesAreThoseOfTheDatatype) {
  const auto fits = [](std::string_view datatype, std::string_view value) {
    return read(input(datatype, "[1]", fmt::format("[{}]", value))).has_value();
  };
  EXPECT_TRUE(fits("INT8", "-128"));
  EXPECT_FALSE(fits("INT8", "128"));
  EXPECT_TRUE(fits("UINT64", "18446744073709551615"));
  EXPECT_FALSE(fits("INT64", "9223372036854775808"));
  EXPECT_FALSE(fits("UINT32", "-1"));
  EXPECT_FALSE(fits("INT32", "1.0"));
  EXPECT_FALSE(fits("INT32", "true"));
  EXPECT_FALSE(fits("BOOL", "1"));
  EXPECT_TRUE(fits("BOOL", "true"));
  EXPECT_TRUE(fits("FP32", "3.4e38"));
  EXPECT_FALSE(fits("FP32", "3.5e38"));
  EXPECT_FALSE(fits("FP16", "1"));
  EXPECT_FALSE(fits("BYTES", "1"));
}

TEST(InferJson, ComplaintsNameTheFault) {
  EXPECT_THAT(complaint(""), HasSubstr("empty"));
  EXPECT_THAT(complaint("[]"), HasSubstr("the body must be an object, not an array"));
  EXPECT_THAT(complaint("{}"), HasSubstr("no \"inputs\""));
  EXPECT_THAT(complaint(R"({"inputs":[],"inputs":[]})"), HasSubstr("\"inputs\" twice"));
  EXPECT_THAT(complaint(R"({"inputs":[{"name":"x"}]})"), HasSubstr("no \"datatype\""));
  EXPECT_THAT(complaint(input("FP33", "[1]", "[1]")), HasSubstr("no datatype \"FP33\""));
  EXPECT_THAT(complaint(input("FP32", "[-1]", "[1]")), HasSubstr("negative dimension, -1"));
  EXPECT_THAT(complaint(input("FP32", "[9223372036854775807,9223372036854775807]", "[1]")),
              HasSubstr("more than"));
  EXPECT_THAT(complaint(input("FP32", "[1,1,1,1,1,1,1,1,1]", "[1]")), HasSubstr("9 dimensions"));
  EXPECT_THAT(complaint(input("FP32", "[2]", "[1]")), HasSubstr("has 1 elements, the shape says 2"));
  EXPECT_THAT(complaint(input("FP32", "[2,2]", "[[1,2],[3]]")), HasSubstr("dimension 1 has 1 elements"));
  EXPECT_THAT(complaint(input("FP32", "[1]", "1")), HasSubstr("must be an array, not a number"));
  EXPECT_THAT(complaint(input("FP32", "[2,2]", "[[1,2],3]")), HasSubstr("bytes of data"));
  EXPECT_THAT(complaint(R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1]}]})"), HasSubstr("either"));
}

/// A JSON header for tensors of these sizes, and the bytes.
std::string binary_body(std::string_view datatype, std::string_view shape, std::string_view size,
                        std::string_view bytes, std::size_t& json_bytes) {
  std::string json = fmt::format(
      R"({{"inputs":[{{"name":"x","datatype":"{}","shape":{},"parameters":{{"binary_data_size":{}}}}}]}})",
      datatype, shape, size);
  json_bytes = json.size();
  return json.append(bytes);
}

TEST(InferJson, BinaryTensorsFollowTheJson) {
  const auto read_binary = [](std::string_view datatype, std::string_view shape, std::string_view size,
                              std::string_view bytes) {
    std::size_t json_bytes = 0;
    const std::string body = binary_body(datatype, shape, size, bytes, json_bytes);
    return read_infer_json(body, json_bytes, {});
  };
  const auto request = read_binary("INT16", "[2]", "4", std::string_view("\1\0\2\0", 4));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_THAT(values<std::int16_t>(request->inputs[0]), ElementsAre(1, 2));
  EXPECT_THAT(
      bytes_elements(read_binary("BYTES", "[2]", "9", std::string_view("\1\0\0\0a\0\0\0\0", 9))->inputs[0]),
      ElementsAre("a", ""));
  EXPECT_THAT(read_binary("INT16", "[2]", "5", "12345").error().message, HasSubstr("need 4"));
  EXPECT_THAT(read_binary("INT16", "[2]", "4", "123").error().message, HasSubstr("only 3 bytes are left"));
  EXPECT_THAT(read_binary("INT16", "[2]", "4", "12345").error().message, HasSubstr("1 bytes follow"));
  EXPECT_THAT(read_binary("INT16", "[2]", "-4", "1234").error().message, HasSubstr("0 or more"));
  EXPECT_THAT(read_binary("INT16", "[2]", "\"4\"", "1234").error().message, HasSubstr("integer"));
  EXPECT_THAT(read_binary("BYTES", "[1]", "8", std::string_view("\377\377\377\377abcd", 8)).error().message,
              HasSubstr("cut short"));
  EXPECT_THAT(read_binary("BYTES", "[1]", "6", std::string_view("\1\0\0\0ab", 6)).error().message,
              HasSubstr("1 bytes behind"));
  EXPECT_THAT(read_infer_json("{}", 3, {}).error().message,
              HasSubstr("Inference-Header-Content-Length is 3"));
}

Tensor floats(std::string name, const std::vector<float>& numbers) {
  Tensor tensor{std::move(name), DataType::kFp32, {static_cast<std::int64_t>(numbers.size())}, {}, {}};
  tensor.data.assign(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  return tensor;
}

TEST(InferJson, WritesOutputsAsAsked) {
  InferReply reply{"m", "3", "7", {}, {floats("p", {0.5F, -1}), floats("q", {2})}};
  InferRequest request;
  request.outputs = {{"p", {}}, {"q", {{"binary_data", true}}}};
  const auto body = write_infer_json(reply, request);
  ASSERT_TRUE(body);
  const std::string json =
      R"({"id":"7","model_name":"m","model_version":"3","outputs":[)"
      R"({"name":"p","datatype":"FP32","shape":[2],"data":[0.5,-1.0]},)"
      R"({"name":"q","datatype":"FP32","shape":[1],"parameters":{"binary_data_size":4}}]})";
  EXPECT_EQ(body->json_bytes, json.size());
  EXPECT_EQ(body->bytes, json + reply.outputs[1].data);
  request.outputs.clear();
  EXPECT_FALSE(write_infer_json(reply, request)->json_bytes);
  request.parameters["binary_data_output"] = true;
  EXPECT_EQ(write_infer_json(reply, request)->bytes.size(),
            *write_infer_json(reply, request)->json_bytes + 12);
}

TEST(InferJson, WhatJsonCannotSayIsAnErrorAndGoesInBinary) {
  InferReply reply{"m", "1", "", {}, {floats("p", {NAN})}};
  EXPECT_THAT(write_infer_json(reply, {}).error().message, HasSubstr("output 'p' (FP32)"));
  reply.outputs[0] = {"p", DataType::kBytes, {1}, {}, {}};
  append_bytes_element("\xFF", reply.outputs[0].data);
  EXPECT_FALSE(write_infer_json(reply, {}));
  InferRequest binary;
  binary.parameters["binary_data_output"] = true;
  EXPECT_TRUE(write_infer_json(reply, binary));
}

/// What is written is read back as it was.
TEST(InferJson, RoundTripOfEveryDatatype) {
  for (const char* datatype : {"BOOL", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32",
                               "UINT64", "FP32", "FP64", "BYTES"}) {
    const std::string text = datatype == std::string_view("BOOL")    ? "[true,false]"
                             : datatype == std::string_view("BYTES") ? R"(["客服","\n\u0000"])"
                                                                     : "[1,100]";
    const auto request = read(input(datatype, "[2]", text));
    ASSERT_TRUE(request) << datatype << ": " << request.error().message;
    for (const bool binary : {false, true}) {
      InferRequest how;
      how.parameters["binary_data_output"] = binary;
      auto body = *write_infer_json({"m", "1", "", {}, request->inputs}, how);
      body.bytes.replace(body.bytes.find("outputs"), 7, "inputs");
      if (body.json_bytes) --*body.json_bytes;
      const auto again = read_infer_json(body.bytes, body.json_bytes, {});
      ASSERT_TRUE(again) << datatype << ": " << again.error().message;
      EXPECT_EQ(again->inputs[0].data, request->inputs[0].data) << datatype;
    }
  }
}

}  // namespace
}  // namespace kefu::oip
