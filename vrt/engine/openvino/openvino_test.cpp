// The OpenVINO module through vrt's own interface: CenterFace, and small networks written here in OpenVINO's IR and
// in ONNX.
#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/location.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/testing/fake_world.h"
#include "vrt/engine/testing/session_values.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::expect_identity;
using testing::fill_with_pattern;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::outputs_of;

const std::filesystem::path kCenterFace = testing::location("VRT_TEST_CENTERFACE", VRT_TEST_CENTERFACE);

Engine open_centerface(std::int64_t height, std::int64_t width, EngineOptions options = {}) {
  options.input_shapes = {{"input.1", {1, 3, height, width}}};
  return Engine::open(kCenterFace, Device::cpu(), options);
}

/// The path of OpenVINO's library.
std::string openvino_library() {
  for (const BackendInfo& info : list_backends())
    if (info.name == "openvino") return info.location.substr(info.location.rfind(", ") + 2);
  return {};
}

std::vector<float> golden() {
  const std::string folder = testing::location("VRT_SOURCE_DIR", VRT_SOURCE_DIR);
  std::ifstream file(folder + "/vrt/engine/openvino/golden/centerface_64x96.f32", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

TEST(OpenVinoTest, IsListedWithVersionAndPlace) {
  const std::vector<BackendInfo> backends = list_backends();
  const auto found = std::find_if(backends.begin(), backends.end(), [](const auto& b) { return b.name == "openvino"; });
  ASSERT_NE(found, backends.end());
  EXPECT_TRUE(found->available) << found->problem;
  EXPECT_THAT(found->version, ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(found->location, AllOf(HasSubstr("libvrt_backend_openvino.so"), HasSubstr("libopenvino.so")));
}

TEST(OpenVinoTest, TakesAnotherShapeThanTheFileDeclares) {
  EXPECT_EQ(Engine::open(kCenterFace, Device::cpu()).inputs()[0].shape, Shape({10, 3, 32, 32}));
  const Engine engine = open_centerface(64, 96);
  EXPECT_EQ(engine.backend_name(), "openvino");
  ASSERT_EQ(engine.inputs().size(), 1U);  // Its initialisers, listed among the inputs, are none.
  EXPECT_EQ(engine.inputs()[0].name, "input.1");
  EXPECT_EQ(engine.inputs()[0].shape, Shape({1, 3, 64, 96}));
  std::vector<Shape> shapes;
  for (const TensorInfo& info : engine.outputs()) {
    EXPECT_EQ(info.type, DType::kFloat32);
    shapes.push_back(info.shape);
  }
  EXPECT_THAT(shapes,
              ElementsAre(Shape({1, 1, 16, 24}), Shape({1, 2, 16, 24}), Shape({1, 2, 16, 24}), Shape({1, 10, 16, 24})));
}

TEST(OpenVinoTest, TheEmptyNameStandsForTheOnlyInput) {
  const EngineOptions options{.input_shapes = {{"", {1, 3, 32, 64}}}};
  EXPECT_EQ(Engine::open(kCenterFace, Device::cpu(), options).inputs()[0].shape, Shape({1, 3, 32, 64}));
}

TEST(OpenVinoTest, OutputsEqualOpenCvs) {
  const Stream stream(Device::cpu());
  Session session(open_centerface(64, 96), stream);
  fill_with_pattern(session);
  session.submit();
  const std::vector<float> found = outputs_of(session);
  const std::vector<float> expected = golden();
  ASSERT_EQ(expected.size(), 5760U);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-4) << "element " << i;
}

TEST(OpenVinoTest, EqualInputsGiveEqualBits) {
  const Stream stream(Device::cpu());
  Session session(open_centerface(64, 96), stream);
  fill_with_pattern(session);
  session.submit();
  const std::vector<float> first = outputs_of(session);
  fill_with_pattern(session, 1);
  session.submit();
  EXPECT_NE(outputs_of(session), first);
  fill_with_pattern(session);
  session.submit();
  EXPECT_EQ(outputs_of(session), first);
}

TEST(OpenVinoTest, TwoSessionsOfOneEngineDoNotDisturbEachOther) {
  const Engine engine = open_centerface(64, 96);
  const Stream one(Device::cpu());
  const Stream two(Device::cpu());
  Session first(engine, one);
  Session second(engine, two);
  EXPECT_NE(first.input(0).data(), second.input(0).data());
  fill_with_pattern(first);
  fill_with_pattern(second, 1);
  first.submit();
  second.submit();
  const std::vector<float> a = outputs_of(first);
  const std::vector<float> b = outputs_of(second);
  EXPECT_NE(a, b);
  fill_with_pattern(second);
  second.submit();
  EXPECT_EQ(outputs_of(second), a);
}

TEST(OpenVinoTest, TakesTheThreadsAndStreamsThatItIsGiven) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  const std::string all = std::to_string(CPU_COUNT(&allowed));
  const testing::ScopedLog log;
  static_cast<void>(open_centerface(32, 32, {.threads = 1, .use_cache = false}));
  static_cast<void>(open_centerface(32, 32, {.use_cache = false}));
  static_cast<void>(
      open_centerface(32, 32, {.hint = PerformanceHint::kThroughput, .concurrent_sessions = 2, .use_cache = false}));
  EXPECT_EQ(log.count("OpenVINO runs the network in 1 streams on 1 threads"), 1 + (all == "1" ? 1 : 0));
  EXPECT_EQ(log.count("OpenVINO runs the network in 1 streams on " + all + " threads"), 1 + (all == "1" ? 1 : 0));
  EXPECT_EQ(log.count("OpenVINO runs the network in 2 streams on " + all + " threads"), all == "1" ? 0 : 1);
}

TEST(OpenVinoTest, WhatOpenVinoLogsComesIntoOursWhileAnEngineLives) {
  // The function that all of OpenVINO's own messages go through.
  using LogMessage = void (*)(std::string_view);
  const Engine engine = open_centerface(32, 32);
  const std::string location = openvino_library();
  void* const library = dlopen(location.c_str(), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr) << location;
  const auto log_message = reinterpret_cast<LogMessage>(
      dlsym(library, "_ZN2ov4util11log_messageESt17basic_string_viewIcSt11char_traitsIcEE"));
  ASSERT_NE(log_message, nullptr) << "this version of OpenVINO logs in another way";
  const testing::ScopedLog log;
  log_message("a plugin has something to say\n");
  EXPECT_THAT(log.lines(), ElementsAre("a plugin has something to say"));
  dlclose(library);
}

TEST(OpenVinoTest, FourSessionsRunAtOnceUnderEitherHint) {
  for (const PerformanceHint hint : {PerformanceHint::kLatency, PerformanceHint::kThroughput}) {
    const Engine engine = open_centerface(64, 96, {.hint = hint, .concurrent_sessions = 4});
    const std::vector<float> expected = golden();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const Stream stream(Device::cpu());
        Session session(engine, stream);
        fill_with_pattern(session);
        for (int run = 0; run < 3; ++run) session.submit();
        EXPECT_THAT(outputs_of(session), ::testing::Pointwise(::testing::FloatNear(1e-4F), expected));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(OpenVinoTest, AnEngineOutlivesItsHandle) {
  const Stream stream(Device::cpu());
  Session session = [&] { return Session(open_centerface(32, 32), stream); }();
  session.submit();
  EXPECT_EQ(outputs_of(session).size(), 15U * 8 * 8);
}

TEST(OpenVinoTest, ShapesThatCannotWorkAreRefusedWithTheReason) {
  const auto refusal = [](const std::string& name, const Shape& shape) {
    const EngineOptions options{.input_shapes = {{name, shape}}};
    const Error error = error_of([&] { static_cast<void>(Engine::open(kCenterFace, Device::cpu(), options)); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("centerface.onnx"), Not(HasSubstr("\n")), Not(HasSubstr(".cpp:"))));
    return std::string(error.what());
  };
  EXPECT_THAT(refusal("image", {1, 3, 64, 64}), AllOf(HasSubstr("'image'"), HasSubstr("'input.1' [10,3,32,32]")));
  EXPECT_THAT(refusal("input.1", {3, 64, 64}), AllOf(HasSubstr("[10,3,32,32]"), HasSubstr("another rank")));
  EXPECT_THAT(refusal("input.1", {1, 3, 33, 33}), HasSubstr("shapes are inconsistent"));
  EXPECT_THAT(refusal("input.1", {1, 4, 32, 32}), HasSubstr("channel count"));
}

/// The text of a network in OpenVINO's IR: one operation between inputs and one output.
struct Ir {
  std::string type = "f32";
  std::vector<std::int64_t> extents = {2, 3};
  std::string operation = R"(type="ReLU" version="opset1")";
  std::string data = {};
  std::string result_type = {};           // As `type` where empty.
  std::vector<std::int64_t> result = {};  // As `extents` where empty.
  std::size_t inputs = 1;

  static std::string port(std::size_t id, const std::string& name, const std::string& type,
                          const std::vector<std::int64_t>& extents) {
    static const std::vector<std::pair<std::string, std::string>> precisions = {
        {"f32", "FP32"}, {"f16", "FP16"}, {"f64", "FP64"}, {"i64", "I64"},
        {"i32", "I32"},  {"i8", "I8"},    {"u8", "U8"},    {"boolean", "BOOL"}};
    const auto found =
        std::find_if(precisions.begin(), precisions.end(), [&](const auto& p) { return p.first == type; });
    std::string text = "<port id=\"" + std::to_string(id) + "\" precision=\"" + found->second + "\"";
    if (!name.empty()) text += " names=\"" + name + "\"";
    text += ">";
    for (const std::int64_t extent : extents) text += "<dim>" + std::to_string(extent) + "</dim>";
    return text + "</port>";
  }

  [[nodiscard]] std::string parameter(std::size_t id) const {
    std::string shape;
    for (const auto extent : extents) shape += (shape.empty() ? "" : ",") + (extent < 0 ? "?" : std::to_string(extent));
    const std::string name = "x" + std::to_string(id);
    return "<layer id=\"" + std::to_string(id) + "\" name=\"" + name +
           "\" type=\"Parameter\" version=\"opset1\"><data shape=\"" + shape + "\" element_type=\"" + type +
           "\"/><output>" + port(0, name, type, extents) + "</output></layer>";
  }

  [[nodiscard]] std::string text() const {
    const std::string out_type = result_type.empty() ? type : result_type;
    const auto& out_extents = result.empty() ? extents : result;
    const std::string op = std::to_string(inputs);
    const std::string end = std::to_string(inputs + 1);
    std::string layers;
    std::string ports;
    std::string edges;
    for (std::size_t i = 0; i < inputs; ++i) {
      layers += parameter(i);
      ports += port(i, "", type, extents);
      edges += "<edge from-layer=\"" + std::to_string(i) + "\" from-port=\"0\" to-layer=\"" + op + "\" to-port=\"" +
               std::to_string(i) + "\"/>";
    }
    layers += "<layer id=\"" + op + "\" name=\"y\" " + operation + ">" + data + "<input>" + ports + "</input><output>" +
              port(inputs, "y", out_type, out_extents) + "</output></layer>";
    layers += "<layer id=\"" + end + "\" name=\"end\" type=\"Result\" version=\"opset1\"><input>" +
              port(0, "", out_type, out_extents) + "</input></layer>";
    edges += "<edge from-layer=\"" + op + "\" from-port=\"" + op + "\" to-layer=\"" + end + "\" to-port=\"0\"/>";
    return R"(<?xml version="1.0"?><net name="small" version="11"><layers>)" + layers + "</layers><edges>" + edges +
           "</edges></net>";
  }
};

class OpenVinoFileTest : public ::testing::Test {
 protected:
  Engine open(const Ir& ir, const EngineOptions& options = {}) const {
    return Engine::open(folder_.write("small.xml", ir.text()), Device::cpu(), options);
  }
  Error refusal_of(const std::string& file, std::string_view bytes) const {
    const auto path = folder_.write(file, bytes);
    const Error error = error_of([&] { static_cast<void>(Engine::open(path, Device::cpu())); });
    EXPECT_THAT(error.what(), AllOf(HasSubstr(path.string()), Not(HasSubstr("\n")), Not(HasSubstr(".cpp"))));
    return error;
  }

  testing::ScopedFolder folder_;
};

TEST_F(OpenVinoFileTest, WhatIsNoModelIsCorrupt) {
  std::ifstream file(kCenterFace, std::ios::binary);
  std::string half(100'000, '\0');
  file.read(half.data(), static_cast<std::streamsize>(half.size()));
  EXPECT_EQ(refusal_of("half.onnx", half).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(refusal_of("text.onnx", "hello world, not a model").code(), ErrorCode::kCorrupt);
  EXPECT_EQ(refusal_of("text.xml", "hello world, not a model").code(), ErrorCode::kCorrupt);
  EXPECT_EQ(refusal_of("picture.jpg", "hello world, not a model").code(), ErrorCode::kCorrupt);
  EXPECT_THAT(refusal_of("empty.onnx", "").what(), HasSubstr("the file is empty"));
}

TEST_F(OpenVinoFileTest, ReadingWhatIsNoModelPrintsNothing) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  refusal_of("text.onnx", "hello world, not a model");
  refusal_of("text.xml", "hello world, not a model");
  refusal_of("noise.onnx", std::string("\x08\x07\x12\xff\xff\x01garbage", 13));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(OpenVinoFileTest, AnUnknownDimensionIsRefusedByNameUnlessAShapeIsGiven) {
  const Ir ir{.extents = {-1, 3, -1}};
  const Error error = error_of([&] { open(ir); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("'x0'"), HasSubstr("dimension 0, 2 is not known")));
  const Engine engine = open(ir, {.input_shapes = {{"x0", {4, 3, 5}}}});
  EXPECT_EQ(engine.outputs()[0].shape, Shape({4, 3, 5}));
}

TEST_F(OpenVinoFileTest, AnOutputWhoseSizeDependsOnDataIsRefusedByName) {
  const Ir ir{.operation = R"(type="NonZero" version="opset3")",
              .data = R"(<data output_type="i64"/>)",
              .result_type = "i64",
              .result = {2, -1}};
  const Error error = error_of([&] { open(ir); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("output 'y'"), HasSubstr("depends on data")));
}

TEST_F(OpenVinoFileTest, TheEmptyNameIsRefusedWhereThereAreSeveralInputs) {
  const Ir ir{.operation = R"(type="Add" version="opset1")", .data = R"(<data auto_broadcast="numpy"/>)", .inputs = 2};
  const Error error = error_of([&] { open(ir, {.input_shapes = {{"", {2, 3}}}}); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("'x0'"), HasSubstr("'x1'")));
}

TEST_F(OpenVinoFileTest, ElementTypesStayAsTheModelSays) {
  const auto identity = [&](const std::string& type) {
    return open({.type = type, .operation = R"(type="Squeeze" version="opset15")", .data = "<data/>"});
  };
  expect_identity<float>(identity("f32"), DType::kFloat32, {1.5F, -2, 0, 1e30F, -1e-30F, 5});
  expect_identity<std::uint16_t>(identity("f16"), DType::kFloat16, {0x3c00, 0xc000, 0, 0x7bff, 1, 2});
  expect_identity<std::int64_t>(identity("i64"), DType::kInt64, {1, -2, 3, 2'000'000'000, -2'000'000'000, 6});
  expect_identity<std::int32_t>(identity("i32"), DType::kInt32, {1, -2, 3, 2'000'000'000, 5, 6});
  expect_identity<std::int8_t>(identity("i8"), DType::kInt8, {1, -2, 127, -128, 5, 6});
  expect_identity<std::uint8_t>(identity("u8"), DType::kUInt8, {0, 1, 127, 128, 254, 255});
}

TEST_F(OpenVinoFileTest, BooleansAreBytes) {
  const Engine engine = open({.operation = R"(type="IsNaN" version="opset10")", .result_type = "boolean"});
  const Stream stream(Device::cpu());
  Session session(engine, stream);
  upload_blocking<float>(stream, std::vector<float>{1, std::nanf(""), 0, std::nanf(""), 2, 3},
                         session.input(0).as<float>());
  session.submit();
  ASSERT_EQ(session.output(0).type(), DType::kBool);
  std::vector<int> found(6);
  stream.synchronize();
  std::copy_n(static_cast<const std::uint8_t*>(session.output(0).data()), 6, found.begin());
  EXPECT_THAT(found, ElementsAre(0, 1, 0, 1, 0, 0));
}

TEST_F(OpenVinoFileTest, AnElementTypeThatVrtHasNotIsRefusedByName) {
  const Error error = error_of([&] { open({.type = "f64"}); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("'x0'"), HasSubstr("f64")));
}

/// A field of a protobuf message: text or a message inside, shorter than 128 bytes.
std::string field(int number, const std::string& content) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} + content;
}
std::string field(int number, char value) { return {static_cast<char>(number << 3), value}; }

/// An ONNX file of one operator, from float [2] "x" to float [2] "y".
std::string onnx_of(const std::string& domain, const std::string& op) {
  const std::string type = field(2, field(1, field(1, '\1') + field(2, field(1, field(1, '\2')))));
  const std::string node = field(1, "x") + field(2, "y") + field(4, op) + field(7, domain);
  const std::string graph =
      field(1, node) + field(2, "g") + field(11, field(1, "x") + type) + field(12, field(1, "y") + type);
  return field(1, '\x8') + field(7, graph) + field(8, field(1, domain) + field(2, '\x0d')) + field(8, field(2, '\x0d'));
}

TEST_F(OpenVinoFileTest, OnnxOfOneOperatorRuns) {
  const Engine engine = Engine::open(folder_.write("relu.ONNX", onnx_of("", "Relu")), Device::cpu());
  EXPECT_EQ(engine.inputs()[0].name, "x");
  EXPECT_EQ(engine.outputs()[0].name, "y");
  const Stream stream(Device::cpu());
  Session session(engine, stream);
  upload_blocking<float>(stream, std::vector<float>{-3, 4}, session.input(0).as<float>());
  session.submit();
  EXPECT_THAT(read_back_blocking(stream, session.output(0).as<float>()), ElementsAre(0, 4));
}

TEST_F(OpenVinoFileTest, AnUnknownOperatorIsUnsupportedByName) {
  const Error error = refusal_of("acme.onnx", onnx_of("acme", "Frobnicate"));
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("Frobnicate"));
}

TEST_F(OpenVinoFileTest, AChangingBatchRunsFromOneToTheLargest) {
  const Ir ir{.extents = {-1, 3}};
  EngineOptions options;
  options.batch.largest = 4;
  const Engine engine = open(ir, options);
  EXPECT_EQ(engine.inputs()[0].shape, Shape({4, 3}));
  EXPECT_TRUE(engine.inputs()[0].batched);
  EXPECT_TRUE(engine.outputs()[0].batched);
  const Stream stream(Device::cpu());
  Session session(engine, stream);
  upload_blocking<float>(stream, std::vector<float>{-1, 2, -3, 4, -5, 6, -7, 8, -9, 10, -11, 12},
                         session.input(0).as<float>());
  for (const std::int64_t batch : {1, 4, 0, 2}) {
    fill_bytes(stream, session.output(0).as<float>(), 0);
    session.set_batch(batch);
    session.submit();
    std::vector<float> expected{0, 2, 0, 4, 0, 6, 0, 8, 0, 10, 0, 12};
    std::fill(expected.begin() + batch * 3, expected.end(), 0.F);
    EXPECT_EQ(read_back_blocking(stream, session.output(0).as<float>()), expected) << batch;
  }
}

TEST_F(OpenVinoFileTest, AChangingBatchNeedsAnOpenFirstDimension) {
  EngineOptions options;
  options.batch.largest = 4;
  const Error error = error_of([&] { open(Ir{}, options); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("'x0' [2,3]"));
}

TEST_F(OpenVinoFileTest, TellsItsLayersAndWhatTheyComputeIn) {
  const EngineDetails details = open(Ir{}).details();
  const auto relu = std::find_if(details.layers.begin(), details.layers.end(),
                                 [](const EngineLayer& layer) { return layer.name.rfind("y", 0) == 0; });
  ASSERT_NE(relu, details.layers.end());
  EXPECT_EQ(relu->precision, "float32");
}

TEST(OpenVinoTest, Float16IsComputedInOrRefused) {
  EngineOptions options{.input_shapes = {{"", {1, 3, 64, 64}}}};
  options.precision = Precision::kFloat16;
  options.accuracy = {.samples = {}, .least_cosine = 0.9, .largest_difference = 1};  // Not what is tested here.
  try {
    const EngineDetails details = Engine::open(kCenterFace, Device::cpu(), options).details();
    EXPECT_THAT(details.layers, ::testing::Contains(::testing::Field(&EngineLayer::precision, "float16")));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("f16 was asked for, the network was compiled to f32"));
  }
}

}  // namespace
}  // namespace vrt
