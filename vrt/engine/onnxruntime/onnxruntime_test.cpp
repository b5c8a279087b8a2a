// The ONNX Runtime module through vrt's own interface: CenterFace beside OpenVINO, small networks written here, and libraries
// that cannot be used.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/location.h"
#include "vrt/engine/backend_context.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/engine_build.h"
#include "vrt/engine/engine_cache.h"
#include "vrt/engine/engine_state.h"
#include "vrt/engine/onnxruntime/testing/onnx_file.h"
#include "vrt/engine/testing/fake_world.h"
#include "vrt/engine/testing/session_values.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::expect_identity;
using ::testing::Field;
using testing::fill_with_pattern;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::OnnxFile;
using testing::OnnxNode;
using testing::OnnxTensor;
using testing::OnnxType;
using testing::outputs_of;
using testing::ScopedVariable;

const std::filesystem::path kCenterFace = testing::location("VRT_TEST_CENTERFACE", VRT_TEST_CENTERFACE);

EngineOptions on_onnxruntime(EngineOptions options = {}) {
  options.backend = "onnxruntime";
  options.use_cache = false;
  return options;
}

/// The module on a file as it is: Engine::open would write shapes into it first, and say itself what it cannot read.
Engine open_as_it_is(const std::filesystem::path& file, const EngineOptions& options = {}) {
  const auto context = detail::open_backend("onnxruntime");
  const detail::BuildRequest request{file, file, Device::cpu(), &options, false, {}};
  detail::EngineHandle handle = detail::build_engine(*context, request);
  return detail::EngineMaker::make(
      std::make_shared<detail::EngineState>(context, file, options.batch, std::move(handle)));
}

Engine open_centerface(const EngineOptions& options = {}) { return open_as_it_is(kCenterFace, options); }

std::vector<float> centerface_outputs(const Engine& engine, std::size_t offset = 0) {
  const Stream stream(Device::cpu());
  Session session(engine, stream);
  fill_with_pattern(session, offset);
  session.submit();
  return outputs_of(session);
}

BackendInfo info_of_onnxruntime() {
  const std::vector<BackendInfo> backends = list_backends();
  const auto found =
      std::find_if(backends.begin(), backends.end(), [](const auto& backend) { return backend.name == "onnxruntime"; });
  return found != backends.end() ? *found : BackendInfo{};
}

TEST(OnnxRuntimeTest, IsListedWithVersionAndPlace) {
  const BackendInfo found = info_of_onnxruntime();
  ASSERT_TRUE(found.available) << found.problem;
  EXPECT_THAT(found.version, ::testing::MatchesRegex("1\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(found.location, AllOf(HasSubstr("libvrt_backend_onnxruntime.so"), HasSubstr("libonnxruntime.so")));
}

TEST(OnnxRuntimeTest, CenterFaceGivesWhatOpenVinoGives) {
  const Engine engine = open_centerface();
  ASSERT_EQ(engine.inputs().size(), 1U);  // Its initialisers, listed among the inputs, are none.
  EXPECT_EQ(engine.inputs()[0].name, "input.1");
  EXPECT_EQ(engine.inputs()[0].shape, Shape({10, 3, 32, 32}));
  const Engine other = Engine::open(kCenterFace, Device::cpu(), {.backend = "openvino"});
  ASSERT_EQ(engine.outputs().size(), other.outputs().size());
  for (std::size_t i = 0; i < engine.outputs().size(); ++i) {
    EXPECT_EQ(engine.outputs()[i].name, other.outputs()[i].name);
    EXPECT_EQ(engine.outputs()[i].shape, other.outputs()[i].shape);
  }
  const std::vector<float> found = centerface_outputs(engine);
  const std::vector<float> expected = centerface_outputs(other);
  ASSERT_EQ(found.size(), 10U * 15 * 8 * 8);
  EXPECT_THAT(found, ::testing::Pointwise(::testing::FloatNear(1e-4F), expected));
}

TEST(OnnxRuntimeTest, ThroughEngineOpenItTakesOtherShapesThanTheFileDeclares) {
  const EngineOptions options{.input_shapes = {{"", {1, 3, 64, 96}}}};
  const Engine engine = Engine::open(kCenterFace, Device::cpu(), on_onnxruntime(options));
  EXPECT_EQ(engine.backend_name(), "onnxruntime");
  EXPECT_EQ(engine.inputs()[0].shape, Shape({1, 3, 64, 96}));
  EXPECT_EQ(engine.outputs()[3].shape, Shape({1, 10, 16, 24}));
  EngineOptions others = options;
  others.backend = "openvino";
  const std::vector<float> expected = centerface_outputs(Engine::open(kCenterFace, Device::cpu(), others));
  EXPECT_THAT(centerface_outputs(engine), ::testing::Pointwise(::testing::FloatNear(1e-4F), expected));
}

TEST(OnnxRuntimeTest, TheNextStartTakesThePreparedModelAndGivesTheSameBits) {
  const testing::ScopedFolder folder;
  const ScopedVariable place("VRT_CACHE", folder.path().string());
  const ScopedVariable on("VRT_ENGINE_CACHE", "on");
  EngineOptions options = on_onnxruntime({.input_shapes = {{"", {1, 3, 64, 96}}}});
  options.use_cache = true;
  const testing::ScopedLog log;
  const std::vector<float> first = centerface_outputs(Engine::open(kCenterFace, Device::cpu(), options));
  EXPECT_THAT(log.lines(), Not(Contains(HasSubstr("loaded from cache entry"))));
  EXPECT_EQ(centerface_outputs(Engine::open(kCenterFace, Device::cpu(), options)), first);
  EXPECT_THAT(log.lines(), Contains(HasSubstr("loaded from cache entry")));
}

TEST(OnnxRuntimeTest, EqualInputsGiveEqualBitsInEverySession) {
  const Engine engine = open_centerface();
  const std::vector<float> first = centerface_outputs(engine);
  EXPECT_NE(centerface_outputs(engine, 1), first);
  EXPECT_EQ(centerface_outputs(engine), first);
  EXPECT_EQ(centerface_outputs(open_centerface()), first);
}

TEST(OnnxRuntimeTest, FourSessionsRunAtOnceUnderEitherHint) {
  const std::vector<float> expected = centerface_outputs(open_centerface());
  for (const PerformanceHint hint : {PerformanceHint::kLatency, PerformanceHint::kThroughput}) {
    const Engine engine = open_centerface({.hint = hint, .concurrent_sessions = 4, .threads = 2});
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

TEST(OnnxRuntimeTest, AnEngineOutlivesItsHandleAndItsFile) {
  const testing::ScopedFolder folder;
  const Stream stream(Device::cpu());
  const std::filesystem::path copy = folder.path() / "copy.onnx";
  std::filesystem::copy_file(kCenterFace, copy);
  const auto open_and_forget = [&] {
    const Engine engine = open_as_it_is(copy);
    std::filesystem::remove(copy);
    EXPECT_FALSE(engine.details().layers.empty());
    return Session(engine, stream);
  };
  Session session = open_and_forget();
  session.submit();
  EXPECT_EQ(outputs_of(session).size(), 10U * 15 * 8 * 8);
}

TEST(OnnxRuntimeTest, EveryOptimizationLevelComputesTheSame) {
  const std::vector<float> expected = centerface_outputs(open_centerface());
  std::size_t layers_before = SIZE_MAX;
  for (const std::int32_t level : {0, 1, 2, 5}) {
    EngineOptions options;
    options.optimization_level = level;
    const Engine engine = open_centerface(options);
    EXPECT_THAT(centerface_outputs(engine), ::testing::Pointwise(::testing::FloatNear(1e-4F), expected)) << level;
    const std::size_t layers = engine.details().layers.size();
    EXPECT_LE(layers, layers_before) << level;
    layers_before = layers;
  }
}

TEST(OnnxRuntimeTest, TellsItsLayersAndWhatTheyComputeIn) {
  const EngineDetails details = open_centerface().details();
  EXPECT_GT(details.layers.size(), 50U);
  EXPECT_THAT(details.layers, Each(Field(&EngineLayer::precision, "float32")));
  EXPECT_THAT(details.layers, Contains(Field(&EngineLayer::type, HasSubstr("Conv"))));
}

TEST(OnnxRuntimeTest, ShapesThatTheFileHasNotAreRefused) {
  const auto refusal = [](const std::string& name, const Shape& shape) {
    const Error error = error_of([&] { static_cast<void>(open_centerface({.input_shapes = {{name, shape}}})); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return std::string(error.what());
  };
  EXPECT_THAT(refusal("image", {1, 3, 64, 64}), AllOf(HasSubstr("'image'"), HasSubstr("'input.1' [10,3,32,32]")));
  EXPECT_THAT(refusal("input.1", {1, 3, 64, 64}),
              AllOf(HasSubstr("'input.1' is [10,3,32,32]"), HasSubstr("[1,3,64,64]")));
  EXPECT_THAT(refusal("", {3, 64, 64}), HasSubstr("[3,64,64]"));
  EXPECT_EQ(open_centerface({.input_shapes = {{"", {10, 3, 32, 32}}}}).inputs()[0].shape, Shape({10, 3, 32, 32}));
}

TEST(OnnxRuntimeTest, Float16OnACpuIsRefused) {
  EngineOptions options;
  options.precision = Precision::kFloat16;
  const Error error = error_of([&] { static_cast<void>(open_centerface(options)); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("computes float16 layers in float32 on a CPU"));
}

TEST(OnnxRuntimeTest, AStoppedBuildIsCancelled) {
  for (const int last : {1, 2}) {
    int calls = 0;
    EngineOptions options;
    options.progress = [&](const BuildProgress& progress) {
      EXPECT_EQ(progress.step, calls);
      EXPECT_EQ(progress.steps, 2);
      return ++calls < last;
    };
    EXPECT_EQ(error_of([&] { static_cast<void>(open_centerface(options)); }).code(), ErrorCode::kCancelled);
    EXPECT_EQ(calls, last);
  }
}

/// Two float tensors [2,3], from "x" to "y".
OnnxFile one_node(OnnxNode node, OnnxType type = OnnxType::kFloat) {
  return {{{"x", type, {2, 3}}}, {std::move(node)}, {{"y", type, {2, 3}}}};
}

class OnnxRuntimeFileTest : public ::testing::Test {
 protected:
  Engine open(const OnnxFile& file, const EngineOptions& options = {}) const {
    return open_as_it_is(folder_.write("small.onnx", file.bytes()), options);
  }
  Error refusal_of(const OnnxFile& file, const EngineOptions& options = {}) const {
    return refusal_of("small.onnx", file.bytes(), options);
  }
  Error refusal_of(const std::string& name, std::string_view bytes, const EngineOptions& options = {}) const {
    const auto path = folder_.write(name, bytes);
    const Error error = error_of([&] { static_cast<void>(open_as_it_is(path, options)); });
    EXPECT_THAT(error.what(), AllOf(HasSubstr(path.string()), Not(HasSubstr("\n")), Not(HasSubstr(".cc")),
                                    Not(HasSubstr("onnxruntime_src")), Not(HasSubstr("ONNXRuntimeError"))));
    return error;
  }

  testing::ScopedFolder folder_;
};

TEST_F(OnnxRuntimeFileTest, WhatIsNoModelIsCorrupt) {
  std::ifstream file(kCenterFace, std::ios::binary);
  std::string half(100'000, '\0');
  file.read(half.data(), static_cast<std::streamsize>(half.size()));
  EXPECT_EQ(refusal_of("half.onnx", half).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(refusal_of("text.onnx", "hello world, not a model").code(), ErrorCode::kCorrupt);
  EXPECT_EQ(refusal_of("version.onnx", "\x08\x07").code(), ErrorCode::kCorrupt);
  EXPECT_THAT(refusal_of("empty.onnx", "").what(), HasSubstr("the file is empty"));
  EXPECT_EQ(refusal_of(one_node({"Relu", {"nothing"}, {"y"}})).code(), ErrorCode::kCorrupt);
}

TEST_F(OnnxRuntimeFileTest, NothingIsPrinted) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  static_cast<void>(centerface_outputs(open_centerface()));
  static_cast<void>(open_centerface().details());
  refusal_of("text.onnx", "hello world, not a model");
  refusal_of("noise.onnx", std::string("\x08\x07\x12\xff\xff\x01garbage", 13));
  refusal_of(one_node({"Frobnicate", {"x"}, {"y"}}));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(OnnxRuntimeFileTest, ItsLogGoesThroughVrts) {
  const testing::ScopedLog log;
  // A constant that is an input, too, may be overridden: ONNX Runtime warns that it then folds nothing.
  OnnxFile file{{{"x", OnnxType::kFloat, {2}}, {"w", OnnxType::kFloat, {2}}},
                {{"Add", {"x", "w"}, {"y"}}},
                {{"y", OnnxType::kFloat, {2}}},
                {{"w", OnnxType::kFloat, {2}, std::string(8, '\0')}}};
  EXPECT_EQ(open(file).inputs().size(), 1U);
  EXPECT_THAT(log.lines(), Contains(HasSubstr("Initializer w appears in graph inputs")));
}

TEST_F(OnnxRuntimeFileTest, OperatorsThatAreNotKnownAreUnsupportedByName) {
  for (const char* domain : {"", "acme"}) {
    const Error error = refusal_of(one_node({"Frobnicate", {"x"}, {"y"}, "n", domain}));
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("Frobnicate"));
  }
  const Error no_kernel = refusal_of(one_node({"Relu", {"x"}, {"y"}, "r"}, OnnxType::kBFloat16));
  EXPECT_EQ(no_kernel.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(no_kernel.what(), HasSubstr("Relu(14) node with name 'r'"));
  OnnxFile future = one_node({"Relu", {"x"}, {"y"}});
  future.ir_version = 99;
  EXPECT_EQ(refusal_of(future).code(), ErrorCode::kUnsupported);
  future = one_node({"Relu", {"x"}, {"y"}});
  future.opset = 99;
  EXPECT_EQ(refusal_of(future).code(), ErrorCode::kUnsupported);
}

TEST_F(OnnxRuntimeFileTest, ShapesThatDoNotGoTogetherAreInvalid) {
  const Error error = refusal_of(one_node({"MatMul", {"x", "x"}, {"y"}}));
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("Incompatible dimensions"));
}

TEST_F(OnnxRuntimeFileTest, AnOpenDimensionIsRefusedByNameUnlessAShapeIsGiven) {
  const OnnxFile file{
      {{"x", OnnxType::kFloat, {-1, 3, -1}}}, {{"Relu", {"x"}, {"y"}}}, {{"y", OnnxType::kFloat, {-1, 3, -1}}}};
  const Error error = refusal_of(file);
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("'x' is [?,3,?]"), HasSubstr("dimension 0, 2 is not known")));
  const Engine engine = open(file, {.input_shapes = {{"x", {4, 3, 5}}}});
  EXPECT_EQ(engine.outputs()[0].shape, Shape({4, 3, 5}));
  EXPECT_FALSE(engine.outputs()[0].batched);
}

TEST_F(OnnxRuntimeFileTest, TheEmptyNameIsRefusedWhereThereAreSeveralInputs) {
  const OnnxFile file{{{"x0", OnnxType::kFloat, {2, 3}}, {"x1", OnnxType::kFloat, {2, 3}}},
                      {{"Add", {"x0", "x1"}, {"y"}}},
                      {{"y", OnnxType::kFloat, {2, 3}}}};
  const Error error = refusal_of(file, {.input_shapes = {{"", {2, 3}}}});
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("'x0'"), HasSubstr("'x1'")));
}

TEST_F(OnnxRuntimeFileTest, AnOutputWhoseSizeDependsOnDataIsRefusedByName) {
  OnnxFile file = one_node({"NonZero", {"x"}, {"y"}});
  file.outputs = {{"y", OnnxType::kInt64, {2, -1}}};
  const Error error = refusal_of(file);
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("output 'y' is [2,?]"), HasSubstr("depends on data")));
}

TEST_F(OnnxRuntimeFileTest, AnOutputWhoseSizeNoTrialFindsIsRefusedByName) {
  // Its shape is an input: ones make no six elements.
  const OnnxFile file{{{"x", OnnxType::kFloat, {2, 3}}, {"s", OnnxType::kInt64, {2}}},
                      {{"Reshape", {"x", "s"}, {"y"}}},
                      {{"y", OnnxType::kFloat, {-1, -1}}}};
  const Error error = refusal_of(file);
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("output 'y'"), HasSubstr("trial run")));
}

TEST_F(OnnxRuntimeFileTest, AnOutputsShapeThatOnlyARunTellsIsFound) {
  const OnnxFile file{{{"x", OnnxType::kFloat, {-1, 3}}},
                      {{"Shape", {"x"}, {"s"}}, {"Reshape", {"x", "s"}, {"y"}}},
                      {{"y", OnnxType::kFloat, {-1, -1}}}};
  EXPECT_EQ(open(file, {.input_shapes = {{"x", {4, 3}}}}).outputs()[0].shape, Shape({4, 3}));
}

TEST_F(OnnxRuntimeFileTest, ElementTypesThatVrtHasNotAreRefusedByName) {
  for (const OnnxType type : {OnnxType::kDouble, OnnxType::kString}) {
    const Error error = refusal_of(one_node({"Identity", {"x"}, {"y"}}, type));
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("'x'"));
  }
}

TEST_F(OnnxRuntimeFileTest, ElementTypesStayAsTheModelSays) {
  const auto identity = [&](OnnxType type) { return open(one_node({"Identity", {"x"}, {"y"}}, type)); };
  expect_identity<float>(identity(OnnxType::kFloat), DType::kFloat32, {1.5F, -2, 0, 1e30F, -1e-30F, 5});
  expect_identity<std::uint16_t>(identity(OnnxType::kFloat16), DType::kFloat16, {0x3c00, 0xc000, 0, 0x7bff, 1, 2});
  expect_identity<std::int64_t>(identity(OnnxType::kInt64), DType::kInt64, {1, -2, 3, INT64_MAX, INT64_MIN, 6});
  expect_identity<std::int32_t>(identity(OnnxType::kInt32), DType::kInt32, {1, -2, 3, INT32_MAX, INT32_MIN, 6});
  expect_identity<std::int8_t>(identity(OnnxType::kInt8), DType::kInt8, {1, -2, 127, -128, 5, 6});
  expect_identity<std::uint8_t>(identity(OnnxType::kUInt8), DType::kUInt8, {0, 1, 127, 128, 254, 255});
}

TEST_F(OnnxRuntimeFileTest, BooleansAreBytes) {
  OnnxFile file = one_node({"IsNaN", {"x"}, {"y"}});
  file.outputs = {{"y", OnnxType::kBool, {2, 3}}};
  const Stream stream(Device::cpu());
  Session session(open(file), stream);
  upload_blocking<float>(stream, std::vector<float>{1, std::nanf(""), 0, std::nanf(""), 2, 3},
                         session.input(0).as<float>());
  session.submit();
  ASSERT_EQ(session.output(0).type(), DType::kBool);
  std::vector<int> found(6);
  stream.synchronize();
  std::copy_n(static_cast<const std::uint8_t*>(session.output(0).data()), 6, found.begin());
  EXPECT_THAT(found, ElementsAre(0, 1, 0, 1, 0, 0));
}

TEST_F(OnnxRuntimeFileTest, Float16LayersOfAModelAreSeenToRunInFloat32) {
  const OnnxFile file = one_node({"Sigmoid", {"x"}, {"y"}, "s"}, OnnxType::kFloat16);
  const EngineDetails details = open(file).details();
  EXPECT_THAT(details.layers,
              Contains(AllOf(Field(&EngineLayer::type, "Cast"), Field(&EngineLayer::precision, "float16"))));
  EXPECT_THAT(details.layers,
              Contains(AllOf(Field(&EngineLayer::type, "Sigmoid"), Field(&EngineLayer::precision, "float32"))));
}

TEST_F(OnnxRuntimeFileTest, ExternalDataIsFoundBesideTheFile) {
  OnnxFile file = one_node({"Add", {"x", "w"}, {"y"}});
  const std::vector<float> weights{1, 2, 3, 4, 5, 6};
  file.constants = {{"w", OnnxType::kFloat, {2, 3}, "", "weights.bin"}};
  const Error error = refusal_of(file);
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.what(), HasSubstr("weights.bin"));
  std::string bytes(weights.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), weights.data(), bytes.size());
  folder_.write("weights.bin", bytes);
  const Stream stream(Device::cpu());
  Session session(open(file), stream);
  session.submit();
  EXPECT_EQ(read_back_blocking(stream, session.output(0).as<float>()), weights);
}

TEST_F(OnnxRuntimeFileTest, AChangingBatchRunsFromOneToTheLargest) {
  const OnnxFile file{{{"x", OnnxType::kFloat, {-1, 3}}, {"z", OnnxType::kFloat, {1, 3}}},
                      {{"Relu", {"x"}, {"r"}}, {"Add", {"r", "z"}, {"y"}}, {"Neg", {"z"}, {"n"}}},
                      {{"y", OnnxType::kFloat, {-1, 3}}, {"n", OnnxType::kFloat, {-1, 3}}}};
  EngineOptions options;
  options.batch.largest = 4;
  const Engine engine = open(file, options);
  EXPECT_EQ(engine.inputs()[0].shape, Shape({4, 3}));
  EXPECT_TRUE(engine.inputs()[0].batched);
  EXPECT_FALSE(engine.inputs()[1].batched);
  EXPECT_EQ(engine.outputs()[0].shape, Shape({4, 3}));
  EXPECT_TRUE(engine.outputs()[0].batched);
  EXPECT_EQ(engine.outputs()[1].shape, Shape({1, 3}));
  EXPECT_FALSE(engine.outputs()[1].batched);
  const Stream stream(Device::cpu());
  Session session(engine, stream);
  upload_blocking<float>(stream, std::vector<float>{-1, 2, -3, 4, -5, 6, -7, 8, -9, 10, -11, 12},
                         session.input(0).as<float>());
  for (const std::int64_t batch : {1, 4, 0, 2, 4, 3}) {
    fill_bytes(stream, session.output(0).as<float>(), 0);
    session.set_batch(batch);
    session.submit();
    std::vector<float> expected{0, 2, 0, 4, 0, 6, 0, 8, 0, 10, 0, 12};
    std::fill(expected.begin() + batch * 3, expected.end(), 0.F);
    EXPECT_EQ(read_back_blocking(stream, session.output(0).as<float>()), expected) << batch;
  }
}

TEST_F(OnnxRuntimeFileTest, AChangingBatchNeedsAnOpenFirstDimension) {
  EngineOptions options;
  options.batch.largest = 4;
  const Error error = refusal_of(one_node({"Relu", {"x"}, {"y"}}), options);
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("'x' [2,3]"));
}

TEST_F(OnnxRuntimeFileTest, AnOutputThatTheBatchChangesOtherwiseIsRefusedByName) {
  const OnnxFile file{
      {{"x", OnnxType::kFloat, {-1, 3}}}, {{"Transpose", {"x"}, {"y"}}}, {{"y", OnnxType::kFloat, {3, -1}}}};
  EngineOptions options;
  options.batch.largest = 4;
  const Error error = refusal_of(file, options);
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("output 'y'"), HasSubstr("[3,1]"), HasSubstr("[3,4]")));
}

TEST_F(OnnxRuntimeFileTest, ARunThatFailsSaysWhyAndLeavesTheSessionUsable) {
  const OnnxFile file{{{"x", OnnxType::kFloat, {2, 3}}, {"i", OnnxType::kInt64, {1}}},
                      {{"Gather", {"x", "i"}, {"y"}, "g"}},
                      {{"y", OnnxType::kFloat, {1, 3}}}};
  const Stream stream(Device::cpu());
  Session session(open(file), stream);
  upload_blocking<float>(stream, std::vector<float>{1, 2, 3, 4, 5, 6}, session.input("x").as<float>());
  upload_blocking<std::int64_t>(stream, std::vector<std::int64_t>{7}, session.input("i").as<std::int64_t>());
  const Error error = error_of([&] {
    session.submit();
    stream.synchronize();
  });
  EXPECT_EQ(error.code(), ErrorCode::kBackend);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("'g'"), HasSubstr("out of data bounds"), Not(HasSubstr(".cc"))));
  upload_blocking<std::int64_t>(stream, std::vector<std::int64_t>{1}, session.input("i").as<std::int64_t>());
  session.submit();
  EXPECT_THAT(read_back_blocking(stream, session.output(0).as<float>()), ElementsAre(4, 5, 6));
}

/// The library that the other tests run on.
std::filesystem::path real_library() {
  const std::string location = info_of_onnxruntime().location;
  return location.substr(location.rfind(' ') + 1);
}

/// Engines through Engine::open that are kept, and what ONNX Runtime does for them.
class KeptOnnxRuntimeTest : public ::testing::Test {
 protected:
  struct Counts {
    int sessions = 0;
    int runs = 0;

    friend bool operator==(const Counts&, const Counts&) = default;
    friend void PrintTo(const Counts& counts, std::ostream* to) {
      *to << counts.sessions << " sessions, " << counts.runs << " runs";
    }
  };

  Engine open(const EngineOptions& options = {}) const {
    EngineOptions kept = on_onnxruntime(options);
    kept.use_cache = true;
    return Engine::open(model_, Device::cpu(), kept);
  }
  /// Since the last call.
  static Counts take_counts() {
    void* const library = dlopen(counting_library().c_str(), RTLD_NOW | RTLD_NOLOAD);
    const auto take = reinterpret_cast<void (*)(int*, int*)>(dlsym(library, "vrt_take_counts"));
    Counts counts;
    take(&counts.sessions, &counts.runs);
    dlclose(library);
    return counts;
  }
  [[nodiscard]] std::filesystem::path entry() const {
    const auto entries = detail::EngineCache(folder_.path() / "engines", 1 << 30).entries();
    EXPECT_EQ(entries.size(), 1U);
    return entries.at(0).path;
  }

 private:
  static std::string counting_library() {
    return testing::fake_backends().string() + "/libvrt_counting_onnxruntime.so";
  }

 protected:
  testing::ScopedFolder folder_;
  std::filesystem::path model_ = kCenterFace;
  ScopedVariable place_{"VRT_CACHE", folder_.path().string()};
  ScopedVariable on_{"VRT_ENGINE_CACHE", "on"};
  ScopedVariable counted_{"VRT_COUNTED_ONNXRUNTIME", real_library().string()};
  ScopedVariable chosen_{"VRT_ONNXRUNTIME", counting_library()};
  testing::ScopedLog log_;
};

const EngineOptions kSmall{.input_shapes = {{"", {1, 3, 64, 96}}}};

TEST_F(KeptOnnxRuntimeTest, ASecondStartMakesOneSessionAndRunsNothing) {
  const Engine built = open(kSmall);
  EXPECT_GT(take_counts().sessions, 1);
  const std::vector<float> expected = centerface_outputs(built);
  static_cast<void>(take_counts());
  const Engine kept = open(kSmall);
  EXPECT_THAT(log_.lines(), Contains(HasSubstr("loaded from cache entry")));
  EXPECT_EQ(take_counts(), (Counts{1, 0})) << "the one that sessions share on a CPU";
  EXPECT_EQ(kept.details().layers.size(), built.details().layers.size());
  EXPECT_EQ(take_counts(), Counts{}) << "what the layers are is kept";
  EXPECT_EQ(centerface_outputs(kept), expected);
  EXPECT_EQ(take_counts(), (Counts{0, 1}));
  EXPECT_THAT(log_.warnings(), ::testing::IsEmpty());
}

TEST_F(KeptOnnxRuntimeTest, WhatATrialFoundIsKept) {
  const OnnxFile file{{{"x", OnnxType::kFloat, {-1, 3}}, {"z", OnnxType::kFloat, {1, 3}}},
                      {{"Relu", {"x"}, {"r"}}, {"Add", {"r", "z"}, {"y"}}, {"Neg", {"z"}, {"n"}}},
                      {{"y", OnnxType::kFloat, {-1, 3}}, {"n", OnnxType::kFloat, {-1, 3}}}};
  model_ = folder_.write("small.onnx", file.bytes());
  EngineOptions options;
  options.batch.largest = 4;
  const Engine built = open(options);
  const Engine kept = open(options);
  EXPECT_THAT(log_.lines(), Contains(HasSubstr("loaded from cache entry")));
  for (const auto& [some, others] : {std::pair(built.inputs(), kept.inputs()), {built.outputs(), kept.outputs()}}) {
    ASSERT_EQ(some.size(), others.size());
    for (std::size_t i = 0; i < some.size(); ++i) {
      EXPECT_EQ(some[i].name, others[i].name);
      EXPECT_EQ(some[i].type, others[i].type);
      EXPECT_EQ(some[i].shape, others[i].shape);
      EXPECT_EQ(some[i].batched, others[i].batched);
    }
  }
  const Stream stream(Device::cpu());
  Session session(kept, stream);
  upload_blocking<float>(stream, std::vector<float>{-1, 2, -3, 4, -5, 6, 0, 0, 0, 0, 0, 0},
                         session.input(0).as<float>());
  session.set_batch(2);
  session.submit();
  EXPECT_THAT(read_back_blocking(stream, session.output(0).as<float>()),
              ElementsAre(0, 2, 0, 4, 0, 6, 0, 0, 0, 0, 0, 0));
}

TEST_F(KeptOnnxRuntimeTest, WhatWasOptimisedAtEachLevelComputesTheSame) {
  for (const std::int32_t level : {0, 1, 2, 5}) {
    EngineOptions options = kSmall;
    options.optimization_level = level;
    const std::vector<float> expected = centerface_outputs(open(options));
    EXPECT_EQ(centerface_outputs(open(options)), expected) << level;
  }
  EXPECT_THAT(log_.warnings(), ::testing::IsEmpty());
}

TEST_F(KeptOnnxRuntimeTest, ABlobThatTheModuleRefusesIsBuiltAgain) {
  const auto context = detail::open_backend("onnxruntime");
  const EngineOptions options = kSmall;
  const detail::BuildRequest request{kCenterFace, kCenterFace, Device::cpu(), &options, false, {}};
  static_cast<void>(open(options));
  std::ifstream file(entry() / "engine.bin", std::ios::binary);
  std::string blob((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto refusal = [&](const std::string& bytes) {
    const Error error =
        error_of([&] { static_cast<void>(detail::load_engine(*context, request, std::as_bytes(std::span(bytes)))); });
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    return std::string(error.what());
  };
  static_cast<void>(detail::load_engine(*context, request, std::as_bytes(std::span(blob))));
  EXPECT_THAT(refusal(""), HasSubstr("not what vrt's module for ONNX Runtime wrote"));
  EXPECT_THAT(refusal(blob.substr(0, blob.size() / 2)), HasSubstr("its checksum is another one"));
  blob[blob.size() / 2] ^= 1;
  EXPECT_THAT(refusal(blob), AllOf(HasSubstr("centerface.onnx"), HasSubstr("its checksum is another one")));
}

std::string fake_library(const std::string& name) {
  return testing::fake_backends().string() + "/libvrt_fake_onnxruntime_" + name + ".so";
}

class OnnxRuntimeLibraryTest : public ::testing::Test {
 protected:
  static std::string problem_with(const std::string& choice) {
    const ScopedVariable chosen("VRT_ONNXRUNTIME", choice);
    const Error error = error_of([] { static_cast<void>(detail::open_backend("onnxruntime")); });
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("VRT_ONNXRUNTIME=" + choice), HasSubstr("Install the wheel onnxruntime")));
    return error.what();
  }

  testing::ScopedFolder folder_;
};

TEST_F(OnnxRuntimeLibraryTest, AChosenLibraryIsTheOnlyOneTried) {
  EXPECT_THAT(problem_with("/nowhere/libonnxruntime.so"), HasSubstr("cannot open shared object file"));
  EXPECT_THAT(problem_with(folder_.path().string()), HasSubstr("no ONNX Runtime that can be used"));
  const auto text = folder_.write("libonnxruntime.so.1.99.0", "hello world");
  EXPECT_THAT(problem_with(text.string()), HasSubstr("file too short"));
  EXPECT_THAT(problem_with(folder_.path().string()), HasSubstr(text.string() + ": "));
  EXPECT_THAT(problem_with(testing::fake_backends().string() + "/libvrt_backend_fake.so"),
              HasSubstr("not ONNX Runtime"));
}

TEST_F(OnnxRuntimeLibraryTest, AnOldLibraryIsRefusedWithBothVersionsAndPrintsNothing) {
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(problem_with(fake_library("old")),
              HasSubstr("it is ONNX Runtime 1.16.3, version 1.21 or newer is needed"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(OnnxRuntimeLibraryTest, AVirtualEnvironmentsWheelIsTakenFirst) {
  const std::filesystem::path real = real_library();
  const auto capi = folder_.path() / "lib/python3.99/site-packages/onnxruntime/capi";
  std::filesystem::create_directories(capi);
  std::filesystem::copy_file(real, capi / "libonnxruntime.so.1.98.0");
  const ScopedVariable environment("VIRTUAL_ENV", folder_.path().string());
  const ScopedVariable unset("VRT_ONNXRUNTIME", "");
  EXPECT_THAT(info_of_onnxruntime().location, HasSubstr(capi.string()));
}

TEST_F(OnnxRuntimeLibraryTest, InAFolderTheNewestThatLoadsIsTaken) {
  std::filesystem::create_symlink(fake_library("cuda"), folder_.path() / "libonnxruntime.so.1.9.0");
  std::filesystem::create_symlink(fake_library("old"), folder_.path() / "libonnxruntime.so.1.31.1");
  folder_.write("libonnxruntime.so.1.32.0", "hello world");
  folder_.write("libonnxruntime.so.1.33.old", "hello world");
  const ScopedVariable chosen("VRT_ONNXRUNTIME", folder_.path().string());
  const BackendInfo found = info_of_onnxruntime();
  EXPECT_EQ(found.version, "1.31.1") << found.problem;
}

TEST_F(OnnxRuntimeLibraryTest, ACpuBuildSaysWhichWheelAGpuNeeds) {
  const auto context = detail::open_backend("onnxruntime");
  context->require_support(Device::cpu());
  const Error error = error_of([&] { context->require_support(Device::cuda(0)); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("built for CPUs only"), HasSubstr("onnxruntime-gpu")));
}

TEST_F(OnnxRuntimeLibraryTest, WhatTheCudaProviderNeedsIsNamedOrFoundInNvidiasWheels) {
  // Laid out as wheels are: <packages>/onnxruntime/capi/libonnxruntime.so and <packages>/nvidia/<package>/lib.
  const auto capi = folder_.path() / "onnxruntime/capi";
  std::filesystem::create_directories(capi);
  const auto library = capi / "libonnxruntime.so.1.31.1";
  std::filesystem::copy_file(fake_library("cuda"), library);
  const ScopedVariable chosen("VRT_ONNXRUNTIME", library.string());
  const auto context = detail::open_backend("onnxruntime");
  const Error error = error_of([&] { context->require_support(Device::cuda(0)); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("needs libvrt_test_cublas.so.13, which is missing"), HasSubstr("[cuda,cudnn]")));

  const auto wheel = folder_.path() / "nvidia/cublas/lib";
  std::filesystem::create_directories(wheel);
  std::filesystem::copy_file(testing::fake_backends() / "libvrt_test_cublas.so.13", wheel / "libvrt_test_cublas.so.13");
  // It needs another one, which is not there yet.
  EXPECT_THAT(error_of([&] { context->require_support(Device::cuda(0)); }).what(),
              HasSubstr("needs libvrt_test_cudart.so.13"));
  std::filesystem::copy_file(testing::fake_backends() / "libvrt_test_cudart.so.13", wheel / "libvrt_test_cudart.so.13");
  context->require_support(Device::cuda(0));
}

}  // namespace
}  // namespace vrt
