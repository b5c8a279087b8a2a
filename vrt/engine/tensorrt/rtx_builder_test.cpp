// TensorRT-RTX's real library without a GPU: it parses, builds and refuses; only loading an engine needs one. Built
// where its headers are found, run where its wheel is (docs/tensorrt.md).
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/location.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/engine/backend_support.h"
#include "vrt/engine/model_preparation.h"
#include "vrt/engine/tensorrt/builder.h"
#include "vrt/engine/tensorrt/layer_text.h"
#include "vrt/engine/tensorrt/log_relay.h"
#include "vrt/engine/tensorrt/network.h"
#include "vrt/engine/tensorrt/plan_header.h"
#include "vrt/engine/tensorrt/testing/module_under_test.h"

namespace vrt::tensorrt {
namespace {

using backend::Failure;
using ::testing::AllOf;
using ::testing::Each;
using testing::engine_options;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::location;
using ::testing::Not;

const std::string kCenterFace = location("VRT_TEST_CENTERFACE", VRT_TEST_CENTERFACE);
const std::string kWheel = location("VRT_TENSORRT_RTX", VRT_TENSORRT_RTX_WHEEL);

// ONNX files, written field by field: numbers are those of onnx.proto.

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>(0x80U | (value & 0x7FU));
  return bytes + static_cast<char>(value);
}
std::string field(std::uint64_t number, const std::string& bytes) {
  return varint(number << 3U | 2U) + varint(bytes.size()) + bytes;
}
std::string field(std::uint64_t number, std::uint64_t value) { return varint(number << 3U) + varint(value); }

constexpr std::uint64_t kFloat = 1;
constexpr std::uint64_t kHalf = 10;

/// An input or output; -1 is an open extent.
std::string value_info(const std::string& name, const std::vector<std::int64_t>& extents) {
  std::string shape;
  for (const std::int64_t extent : extents)
    shape += field(
        1, extent < 0 ? field(2, "n" + std::to_string(shape.size())) : field(1, static_cast<std::uint64_t>(extent)));
  return field(1, name) + field(2, field(1, field(1, kFloat) + field(2, shape)));
}
std::string node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output,
                 const std::string& rest = "") {
  std::string bytes;
  for (const std::string& input : inputs) bytes += field(1, input);
  return field(1, bytes + field(2, output) + field(3, type + "_node") + field(4, type) + rest);
}
std::string cast_to(std::uint64_t type) { return field(5, field(1, "to") + field(3, type) + field(20, 2)); }
std::string onnx_file(const std::string& graph) {
  return field(1, 8) + field(7, graph + field(2, "g")) + field(8, field(2, 17));
}

/// From float x to float y of the same extents by one operator.
std::string onnx_of(const std::string& type, const std::vector<std::int64_t>& extents) {
  return onnx_file(node(type, {"x"}, "y") + field(11, value_info("x", extents)) + field(12, value_info("y", extents)));
}
/// A product in float16 between casts.
std::string half_model() {
  const std::string weights =
      field(1, 4) + field(1, 4) + field(2, kHalf) + field(8, "w") + field(9, std::string(32, '\x3c'));
  return onnx_file(node("Cast", {"x"}, "h", cast_to(kHalf)) + node("MatMul", {"h", "w"}, "m") +
                   node("Cast", {"m"}, "y", cast_to(kFloat)) + field(5, weights) + field(11, value_info("x", {1, 4})) +
                   field(12, value_info("y", {1, 4})));
}

class RtxBuilderTest : public ::testing::Test {
 protected:
  RtxBuilderTest() { LogRelay::instance().loggers().add(&logger_); }
  ~RtxBuilderTest() override { LogRelay::instance().loggers().remove(&logger_); }

  std::string file(const std::string& bytes) const { return folder_.write("model.onnx", bytes).string(); }
  std::unique_ptr<nvinfer1::IHostMemory> build(const VrtBackendEngineOptions& options) {
    return build_plan(library_, options, logger_);
  }
  Failure refusal(const VrtBackendEngineOptions& options) {
    try {
      build(options);
    } catch (const Failure& failure) {
      return failure;
    }
    ADD_FAILURE() << "expected a refusal";
    return {VRT_BACKEND_OK, ""};
  }
  Failure refusal_of(const std::string& bytes) {
    const std::string path = file(bytes);
    return refusal(engine_options(path.c_str()));
  }
  Failure load_refusal(const std::string& plan) {
    try {
      static_cast<void>(load_network(library_, plan.data(), plan.size()));
    } catch (const Failure& failure) {
      return failure;
    }
    ADD_FAILURE() << "expected a refusal";
    return {VRT_BACKEND_OK, ""};
  }

  static void note(void* user, std::int32_t, const char* message) {
    auto& self = *static_cast<RtxBuilderTest*>(user);
    self.log_ += message + std::string("\n");
    if (self.on_log_) self.on_log_();
  }

  testing::ScopedVariable place_{"VRT_TENSORRT_RTX", kWheel};
  testing::ScopedFolder folder_;
  VrtBackendContextOptions log_options_{sizeof(log_options_), &note, this};
  backend::Logger logger_{log_options_};
  std::string log_;  // The builder's own threads are joined before a call returns; they log one after the other.
  std::function<void()> on_log_;
  Library library_ = Library::open();
};

TEST_F(RtxBuilderTest, TheLibraryIsTheOneOfTheWheel) {
  EXPECT_THAT(library_.path(), HasSubstr(kWheel));
  EXPECT_EQ(library_.version().major, 1);
}

TEST_F(RtxBuilderTest, CenterFaceBuildsInFloat32) {
  const auto plan = build(engine_options(kCenterFace.c_str()));
  EXPECT_GT(plan->size(), 7'000'000U);
  // The built engine's layers, as its inspector tells them: here from the log, for the inspector needs a GPU.
  const std::vector<Layer> layers = parse_layers(log_);
  EXPECT_GT(layers.size(), 50U);
  EXPECT_THAT(layers, Each(Field(&Layer::precision, "float32")));
  EXPECT_THAT(layers, Each(Field(&Layer::type, Not(""))));
}

TEST_F(RtxBuilderTest, Float16MeansFloat16) {
  const std::string path = file(half_model());
  VrtBackendEngineOptions options = engine_options(path.c_str());
  const Failure refused = refusal(options);
  EXPECT_EQ(refused.status(), VRT_BACKEND_UNSUPPORTED);
  EXPECT_THAT(refused.what(), AllOf(HasSubstr("float32 was asked for"), HasSubstr("Cast_node")));
  options.precision = static_cast<std::int32_t>(DType::kFloat16);
  EXPECT_GT(build(options)->size(), 0U);
  const std::vector<Layer> layers = parse_layers(log_);
  ASSERT_EQ(layers.size(), 1U) << log_;  // The casts are a part of the product.
  EXPECT_EQ(layers[0].precision, "float16");
}

TEST_F(RtxBuilderTest, AnUnknownOperatorIsNamed) {
  const Failure refused = refusal_of(onnx_of("Frobnicate", {1, 4}));
  EXPECT_EQ(refused.status(), VRT_BACKEND_UNSUPPORTED);
  EXPECT_STREQ(refused.what(),
               "the model cannot be read: node 'Frobnicate_node' (Frobnicate): TensorRT-RTX has no such operator");
}

TEST_F(RtxBuilderTest, WhatIsNoModelIsCorrupt) {
  const std::string whole = onnx_of("Relu", {1, 4});
  for (const std::string& bytes :
       {std::string(), std::string("hello world, not a model"), whole.substr(0, whole.size() / 2)}) {
    const Failure refused = refusal_of(bytes);
    EXPECT_EQ(refused.status(), VRT_BACKEND_CORRUPT) << bytes.size();
    EXPECT_THAT(refused.what(), AllOf(Not(HasSubstr(".cpp")), Not(HasSubstr("Assertion"))));
  }
}

TEST_F(RtxBuilderTest, UnresolvedDimensionsAreNamed) {
  const Failure refused = refusal_of(onnx_of("Relu", {-1, 3, -1}));
  EXPECT_EQ(refused.status(), VRT_BACKEND_INVALID_ARGUMENT);
  EXPECT_THAT(refused.what(), HasSubstr("input 'x' is [-1, 3, -1]: dimension 0, 2 is not known"));
}

TEST_F(RtxBuilderTest, AChangingBatchBuilds) {
  const std::string path = file(onnx_of("Relu", {-1, 3}));
  VrtBackendEngineOptions options = engine_options(path.c_str());
  EXPECT_EQ(refusal(options).status(), VRT_BACKEND_INVALID_ARGUMENT);
  options.batch_smallest = 1;
  options.batch_typical = 2;
  options.batch_largest = 8;
  EXPECT_GT(build(options)->size(), 0U);
}

TEST_F(RtxBuilderTest, OptionsAreTaken) {
  const std::string path = file(onnx_of("Relu", {1, 3}));
  VrtBackendEngineOptions options = engine_options(path.c_str());
  options.workspace_bytes = 1 << 24;
  options.optimization_level = 5;
  options.hardware_compatible = 1;
  EXPECT_GT(build(options)->size(), 0U);
  EXPECT_THAT(log_, Not(HasSubstr("unsupported in TensorRT-RTX")));
}

TEST_F(RtxBuilderTest, ABuildEndsWhereTheListenerAsks) {
  struct Countdown {
    int left;
    static std::int32_t hear(void* user, const char*, std::int32_t, std::int32_t) {
      return --static_cast<Countdown*>(user)->left < 0 ? 1 : 0;
    }
  };
  for (const int last : {0, 10, 200}) {
    Countdown countdown{last};
    VrtBackendEngineOptions options = engine_options(kCenterFace.c_str());
    options.progress = &Countdown::hear;
    options.progress_user = &countdown;
    EXPECT_EQ(refusal(options).status(), VRT_BACKEND_CANCELLED) << last;
  }
}

TEST_F(RtxBuilderTest, TheTimingCacheIsKeptAndReplacedWhereItIsNone) {
  const std::string cache = (folder_.path() / "timing.cache").string();
  const std::string path = file(onnx_of("Relu", {1, 3}));
  VrtBackendEngineOptions options = engine_options(path.c_str());
  options.timing_cache_path = cache.c_str();
  build(options);
  const std::uintmax_t kept = std::filesystem::file_size(cache);
  EXPECT_GT(kept, 0U);
  folder_.write("timing.cache", "not a timing cache");
  build(options);
  EXPECT_THAT(log_, HasSubstr("Returning an empty timing cache"));  // The library's words: to it that is no failure.
  EXPECT_EQ(std::filesystem::file_size(cache), kept);
}

TEST_F(RtxBuilderTest, ALogCallbackThatThrowsChangesNothing) {
  on_log_ = [] { throw std::runtime_error("from the log callback"); };
  EXPECT_GT(build(engine_options(kCenterFace.c_str()))->size(), 0U);
}

TEST_F(RtxBuilderTest, PlansPassTheirHeaderAndDamagedOnesAreCorrupt) {
  const std::string path = file(onnx_of("Relu", {1, 3}));
  const auto memory = build(engine_options(path.c_str()));
  const std::string plan(static_cast<const char*>(memory->data()), memory->size());
  const std::string kept = to_text(PlanHeader{library_.version(), {8, 9}, false, plan.size()}) + plan;
  EXPECT_EQ(check_plan(kept, library_.version(), {12, 0}).plan, plan);
  for (const std::string& damaged : {plan.substr(0, plan.size() / 2), plan.substr(0, 20), std::string(1000, 'a')})
    EXPECT_EQ(load_refusal(damaged).status(), VRT_BACKEND_CORRUPT) << load_refusal(damaged).what();
}

/// The whole module, through its table. What it comes to depends on the machine: without a driver the engine builds and
/// does not load.
TEST_F(RtxBuilderTest, TheModuleSaysWhatLoadingLacks) {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr) return;  // Its engines run there: see docs/tensorrt.md.
  const testing::ScopedVariable driver("VRT_CUDA_DRIVER", VRT_STANDIN_CUDA);
  testing::ModuleUnderTest module(VRT_RTX_MODULE);
  VrtBackendContext* context = nullptr;
  ASSERT_EQ(module.create(&context).status, VRT_BACKEND_OK);
  const VrtBackendEngineOptions options = engine_options(kCenterFace.c_str());
  VrtBackendEngine* engine = nullptr;
  testing::Reason reason;
  const auto answer = reason.answer(module.table().engine_create(context, &options, &engine, reason.get()));
  EXPECT_EQ(answer.status, VRT_BACKEND_FAILED);
  EXPECT_THAT(answer.text, AllOf(HasSubstr("TensorRT-RTX does not take the engine"),
                                 HasSubstr("CUDA driver version is insufficient"), Not(HasSubstr(".cpp"))));
  EXPECT_TRUE(module.has_logged(1, "Engine generation completed"));
  module.table().context_destroy(context);
}

/// The test networks, as vrt hands them over: float32, and converted to float16.
class RtxNetworksTest : public RtxBuilderTest,
                        public ::testing::WithParamInterface<std::tuple<const char*, Precision>> {};

TEST_P(RtxNetworksTest, Builds) {
  const auto& [name, precision] = GetParam();
  const bool is_centerface = std::string(name) == "centerface";
  const std::filesystem::path networks = location("VRT_TEST_NETWORKS", VRT_TEST_NETWORKS);
  EngineOptions asked;
  asked.precision = precision;
  if (is_centerface) asked.input_shapes = {{"", {1, 3, 480, 640}}};
  if (std::string(name) == "dynamic_batch") asked.batch.largest = 4;
  const std::string prepared = (folder_.path() / "prepared.onnx").string();
  vrt::detail::prepare_model(is_centerface ? std::filesystem::path(kCenterFace) : networks / name / "model.onnx", asked,
                             {}, prepared);
  VrtBackendEngineOptions options = engine_options(prepared.c_str());
  options.precision = static_cast<std::int32_t>(precision == Precision::kFloat16 ? DType::kFloat16 : DType::kFloat32);
  options.batch_smallest = asked.batch.largest > 0 ? 1 : 0;
  options.batch_typical = asked.batch.largest;
  options.batch_largest = asked.batch.largest;
  EXPECT_GT(build(options)->size(), 0U);
  const std::vector<Layer> layers = parse_layers(log_);
  const auto half =
      std::count_if(layers.begin(), layers.end(), [](const Layer& l) { return l.precision == "float16"; });
  EXPECT_EQ(half > 0, precision == Precision::kFloat16) << log_;
}

INSTANTIATE_TEST_SUITE_P(TestNetworks, RtxNetworksTest,
                         ::testing::Combine(::testing::Values("attention", "centerface", "convolution", "dynamic_batch",
                                                              "external_data", "float16_overflow", "grid_sample",
                                                              "integer_outputs", "resize", "top_k"),
                                            ::testing::Values(Precision::kFloat32, Precision::kFloat16)),
                         [](const auto& instance) {
                           const bool half = std::get<1>(instance.param) == Precision::kFloat16;
                           return std::string(std::get<0>(instance.param)) + (half ? "_float16" : "_float32");
                         });

}  // namespace
}  // namespace vrt::tensorrt
