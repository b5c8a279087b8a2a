// The real source of TensorRT's module on the stand-in for TensorRT (testing/stand_in/): through the bridge's table, on
// the host's memory.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/location.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/engine/engine_details.h"
#include "vrt/engine/tensorrt/testing/module_under_test.h"
#include "vrt/engine/tensorrt/testing/stand_in/ledger.h"

namespace vrt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kModel[] = "input x 0 1 2\noutput y 0 1 2\nlayer fc MatMul FP32\n";
constexpr char kBatchModel[] = "input x 0 -1 2\noutput y 0 -1 2\n";

fs::path folder() { return location("VRT_TENSORRT_STAND_IN", VRT_TENSORRT_STAND_IN); }

/// One module on the stand-in, with a GPU of compute capability 8.9. `flavor` is "" or "_rtx".
class TensorRtWorld : public ::testing::Test {
 protected:
  explicit TensorRtWorld(const std::string& flavor = "")
      : module_(folder() / ("libvrt_backend_tensorrt" + flavor + "_standin.so")),
        place_(flavor.empty() ? "VRT_TENSORRT" : "VRT_TENSORRT_RTX", folder().string()),
        ledger_(open_ledger(flavor.empty() ? "libnvinfer.so.10" : "libtensorrt_rtx.so.1.7.1")) {
    ledger_.reset();
  }
  ~TensorRtWorld() override {
    if (context_ != nullptr) table().context_destroy(context_);
    EXPECT_EQ(ledger_.fault(), "");
    EXPECT_EQ(ledger_.live(), 0);
  }

  static stand_in::Ledger& open_ledger(const char* library) {
    void* const handle = dlopen((folder() / library).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) throw std::runtime_error(dlerror());
    return *reinterpret_cast<StandInLedger>(dlsym(handle, VRT_STANDIN_LEDGER_NAME))();
  }

  [[nodiscard]] const VrtBackendTable& table() const { return module_.table(); }

  VrtBackendContext* context() {
    if (context_ == nullptr) {
      const Answer answer = module_.create(&context_);
      EXPECT_EQ(answer.status, VRT_BACKEND_OK) << answer.text;
    }
    return context_;
  }

  Answer create(const VrtBackendEngineOptions& options, VrtBackendEngine** engine) {
    Reason reason;
    return reason.answer(table().engine_create(context(), &options, engine, reason.get()));
  }
  VrtBackendEngineOptions options_for(const std::string& model) {
    path_ = folder_.write("model.onnx", model).string();
    return engine_options(path_.c_str());
  }
  VrtBackendEngine* engine_of(const std::string& model) { return engine_with(options_for(model)); }
  VrtBackendEngine* engine_with(const VrtBackendEngineOptions& options) {
    VrtBackendEngine* engine = nullptr;
    const Answer answer = create(options, &engine);
    EXPECT_EQ(answer.status, VRT_BACKEND_OK) << answer.text;
    return engine;
  }
  Answer refusal_with(const VrtBackendEngineOptions& options) {
    VrtBackendEngine* engine = nullptr;
    const Answer answer = create(options, &engine);
    EXPECT_EQ(engine, nullptr);
    return answer;
  }
  Answer refusal_of(const std::string& model) { return refusal_with(options_for(model)); }

  Answer load(const std::string& bytes, VrtBackendEngine** engine) {
    const VrtBackendEngineOptions options = engine_options("model.onnx");
    Reason reason;
    return reason.answer(table().engine_load(context(), &options, bytes.data(), bytes.size(), engine, reason.get()));
  }
  Answer load_refusal(const std::string& bytes) {
    VrtBackendEngine* engine = nullptr;
    const Answer answer = load(bytes, &engine);
    EXPECT_EQ(engine, nullptr);
    return answer;
  }
  std::string bytes_of(VrtBackendEngine* engine) {
    std::string bytes;
    Reason reason;
    const Answer answer = reason.answer(table().engine_serialize(engine, &append, &bytes, reason.get()));
    EXPECT_EQ(answer.status, VRT_BACKEND_OK) << answer.text;
    return bytes;
  }
  VrtBackendSession* session_of(VrtBackendEngine* engine, void* stream = nullptr) {
    const VrtBackendSessionOptions options{sizeof(options), stream};
    VrtBackendSession* session = nullptr;
    Reason reason;
    const Answer answer = reason.answer(table().session_create(engine, &options, &session, reason.get()));
    EXPECT_EQ(answer.status, VRT_BACKEND_OK) << answer.text;
    return session;
  }
  Answer bind_input(VrtBackendSession* session, void* data, std::uint64_t bytes, std::uint64_t index = 0) {
    Reason reason;
    return reason.answer(table().session_bind_input(session, index, data, bytes, reason.get()));
  }
  Answer bind_output(VrtBackendSession* session, void* data, std::uint64_t bytes) {
    Reason reason;
    return reason.answer(table().session_bind_output(session, 0, data, bytes, reason.get()));
  }
  Answer enqueue(VrtBackendSession* session, std::int64_t batch) {
    Reason reason;
    return reason.answer(table().session_enqueue(session, batch, reason.get()));
  }

  ModuleUnderTest module_;
  ScopedVariable place_;
  ScopedVariable driver_{"VRT_CUDA_DRIVER", (folder() / "libvrt_standin_cuda.so").string()};
  ScopedVariable capability_{"VRT_STANDIN_CAPABILITY", "8.9"};
  ScopedFolder folder_;
  stand_in::Ledger& ledger_;
  VrtBackendContext* context_ = nullptr;
  std::string path_;
};

class TensorRtTest : public TensorRtWorld {};
class TensorRtRtxTest : public TensorRtWorld {
 protected:
  TensorRtRtxTest() : TensorRtWorld("_rtx") {}
};

// What it is.

TEST_F(TensorRtTest, TellsVersionAndLibrary) {
  EXPECT_STREQ(table().name, "tensorrt");
  EXPECT_EQ(table().capabilities, VRT_BACKEND_SERIALIZES | VRT_BACKEND_MOVES_TO_OTHER_GPUS);
  EXPECT_STREQ(table().context_version(context()), "10.4.2");
  EXPECT_EQ(table().context_library(context()), (folder() / "libnvinfer.so.10").string());
}

TEST_F(TensorRtRtxTest, IsBoundToTheDriver) {
  EXPECT_STREQ(table().name, "tensorrt_rtx");
  EXPECT_EQ(table().capabilities,
            VRT_BACKEND_SERIALIZES | VRT_BACKEND_MOVES_TO_OTHER_GPUS | VRT_BACKEND_BOUND_TO_DRIVER);
  EXPECT_STREQ(table().context_version(context()), "1.7.1");
  EXPECT_EQ(table().context_library(context()), (folder() / "libtensorrt_rtx.so.1.7.1").string());
}

// Finding the library.

TEST_F(TensorRtTest, AMissingLibraryIsNamedWithEveryPlace) {
  const ScopedVariable nowhere("VRT_TENSORRT", folder_.path().string());
  VrtBackendContext* none = nullptr;
  const Answer answer = module_.create(&none);
  EXPECT_EQ(answer.status, VRT_BACKEND_UNAVAILABLE);
  EXPECT_THAT(answer.text, AllOf(HasSubstr("no libnvinfer.so.10"), HasSubstr("VRT_TENSORRT=" + folder_.path().string()),
                                 HasSubstr("Install TensorRT")));
  const ScopedVariable file("VRT_TENSORRT", "/nowhere/libnvinfer.so.10");
  EXPECT_THAT(module_.create(&none).text, HasSubstr("/nowhere/libnvinfer.so.10: cannot open"));
}

TEST_F(TensorRtRtxTest, WheelsAreSearchedAndListed) {
  const ScopedVariable unset("VRT_TENSORRT_RTX", "");
  const ScopedVariable environment("VIRTUAL_ENV", folder_.path().string());
  const ScopedVariable conda("CONDA_PREFIX", "");
  const ScopedVariable home("HOME", "");
  const fs::path wheel = folder_.path() / "lib/python3.11/site-packages/onnxruntime_ep_nv_tensorrt_rtx";
  fs::create_directories(wheel);
  VrtBackendContext* none = nullptr;
  const Answer answer = module_.create(&none);
  EXPECT_EQ(answer.status, VRT_BACKEND_UNAVAILABLE);
  EXPECT_THAT(answer.text, AllOf(HasSubstr("no libtensorrt_rtx.so.1: libtensorrt_rtx.so.1: cannot open"),
                                 HasSubstr(wheel.string())));
  fs::create_symlink(folder() / "libtensorrt_rtx.so.1.7.1", wheel / "libtensorrt_rtx.so.1.7.1");
  EXPECT_THAT(module_.create(&none).text, HasSubstr("no libtensorrt_onnxparser_rtx.so.1: "));
  fs::create_symlink(folder() / "libtensorrt_onnxparser_rtx.so.1.7.1", wheel / "libtensorrt_onnxparser_rtx.so.1.7.1");
  EXPECT_STREQ(table().context_version(context()), "1.7.1");
}

TEST_F(TensorRtTest, ALibraryOfAnotherMajorIsRefusedBeforeAnyOtherCall) {
  const ScopedVariable major("VRT_STANDIN_MAJOR", "11");
  VrtBackendContext* none = nullptr;
  const Answer answer = module_.create(&none);
  EXPECT_EQ(answer.status, VRT_BACKEND_UNAVAILABLE);
  EXPECT_THAT(answer.text, AllOf(HasSubstr("is TensorRT 11.4.2"), HasSubstr("headers of TensorRT 10.4.2")));
  EXPECT_EQ(ledger_.all_calls(), 0);
}

TEST_F(TensorRtTest, ALibraryOlderThanTheHeadersIsRefused) {
  const ScopedVariable minor("VRT_STANDIN_MINOR", "3");
  VrtBackendContext* none = nullptr;
  EXPECT_THAT(module_.create(&none).text, AllOf(HasSubstr("10.3.2"), HasSubstr("10.4.2")));
}

TEST_F(TensorRtRtxTest, ALibraryOfAnotherMinorIsRefused) {
  const ScopedVariable minor("VRT_STANDIN_MINOR", "8");
  VrtBackendContext* none = nullptr;
  EXPECT_THAT(module_.create(&none).text, AllOf(HasSubstr("TensorRT-RTX 1.8.1"), HasSubstr("TensorRT-RTX 1.7.1")));
}

TEST_F(TensorRtTest, AnotherLibraryUnderItsNameIsRefused) {
  const ScopedVariable other("VRT_TENSORRT", (folder() / "libvrt_standin_cuda.so").string());
  VrtBackendContext* none = nullptr;
  EXPECT_THAT(module_.create(&none).text,
              HasSubstr("has no function 'getInferLibMajorVersion': it is not the library of TensorRT"));
}

// Devices.

TEST_F(TensorRtTest, RunsOnGpusOnly) {
  Reason reason;
  EXPECT_EQ(table().context_supports(context(), 1, 0, reason.get()), VRT_BACKEND_OK);
  EXPECT_EQ(reason.answer(table().context_supports(context(), 0, 0, reason.get())).status, VRT_BACKEND_UNSUPPORTED);
  EXPECT_THAT(reason.answer(0).text, HasSubstr("NVIDIA's GPUs only"));
}

TEST_F(TensorRtTest, SaysWhatIsWrongWithTheDriver) {
  const auto answer = [&] {
    Reason reason;
    return reason.answer(table().context_supports(context(), 1, 0, reason.get()));
  };
  {
    const ScopedVariable missing("VRT_CUDA_DRIVER", "/nowhere/libcuda.so.1");
    EXPECT_EQ(answer().status, VRT_BACKEND_UNAVAILABLE);
    EXPECT_THAT(answer().text, HasSubstr("no CUDA driver: /nowhere/libcuda.so.1"));
  }
  const ScopedVariable failing("VRT_STANDIN_DRIVER_RESULT", "100");
  EXPECT_THAT(answer().text, HasSubstr("cuInit of"));
}

TEST_F(TensorRtTest, OldGpusAreRefused) {
  const ScopedVariable volta("VRT_STANDIN_CAPABILITY", "7.0");
  Reason reason;
  EXPECT_EQ(table().context_supports(context(), 1, 0, reason.get()), VRT_BACKEND_UNSUPPORTED);
  EXPECT_THAT(reason.answer(0).text, AllOf(HasSubstr("7.5"), HasSubstr("7.0")));
}

TEST_F(TensorRtRtxTest, RunsOnSomeGpusOnly) {
  for (const char* capability : {"8.0", "8.6", "8.9", "12.0", "12.1"}) {
    const ScopedVariable gpu("VRT_STANDIN_CAPABILITY", capability);
    EXPECT_EQ(table().context_supports(context(), 1, 0, nullptr), VRT_BACKEND_OK) << capability;
  }
  for (const char* capability : {"7.0", "7.5", "8.7", "9.0", "10.0", "11.0"}) {
    const ScopedVariable gpu("VRT_STANDIN_CAPABILITY", capability);
    Reason reason;
    EXPECT_EQ(table().context_supports(context(), 1, 0, reason.get()), VRT_BACKEND_UNSUPPORTED) << capability;
    EXPECT_THAT(reason.answer(0).text, HasSubstr(capability));
  }
}

// Building.

TEST_F(TensorRtTest, DescribesTensors) {
  VrtBackendEngine* const engine =
      engine_of("input x 8 2 3\ninput m 4 2\noutput y 1 4 3 2 1\noutput z 5\noutput w 7 0 3\n");
  EXPECT_EQ(table().engine_input_count(engine), 2U);
  EXPECT_EQ(table().engine_output_count(engine), 3U);
  const auto shown = [&](auto call, std::uint64_t index) {
    VrtBackendTensor tensor{sizeof(tensor), nullptr, 0, 0, {}, 0};
    EXPECT_EQ(call(engine, index, &tensor, nullptr), VRT_BACKEND_OK);
    std::string text = tensor.name + std::string(" ") + std::string(to_string(static_cast<DType>(tensor.dtype)));
    for (std::uint64_t i = 0; i < tensor.rank; ++i) text += " " + std::to_string(tensor.extents[i]);
    return text + (tensor.batched != 0 ? " batched" : "");
  };
  EXPECT_EQ(shown(table().engine_input, 0), "x int64 2 3");
  EXPECT_EQ(shown(table().engine_input, 1), "m bool 2");
  EXPECT_EQ(shown(table().engine_output, 0), "y float16 4 3 2 1");
  EXPECT_EQ(shown(table().engine_output, 1), "z uint8");
  EXPECT_EQ(shown(table().engine_output, 2), "w bfloat16 0 3");
  VrtBackendTensor tensor{sizeof(tensor), nullptr, 0, 0, {}, 0};
  Reason reason;
  EXPECT_EQ(table().engine_input(engine, 2, &tensor, reason.get()), VRT_BACKEND_INVALID_ARGUMENT);
  EXPECT_THAT(reason.answer(0).text, HasSubstr("no tensor 2 of 2"));
  table().engine_destroy(engine);
}

TEST_F(TensorRtTest, OptionsReachTheBuilder) {
  VrtBackendEngineOptions options = options_for(kBatchModel);
  options.batch_smallest = 1;
  options.batch_typical = 4;
  options.batch_largest = 8;
  options.workspace_bytes = 1 << 20;
  options.optimization_level = 5;
  options.hardware_compatible = 1;
  table().engine_destroy(engine_with(options));
  // Strongly typed, no TF32, detailed verbosity.
  EXPECT_THAT(ledger_.notes(),
              AllOf(HasSubstr("network flags 2\n"), HasSubstr("clear flag 6\n"), HasSubstr("verbosity 2\n"),
                    HasSubstr("workspace 1048576\n"), HasSubstr("level 5\n"), HasSubstr("compatibility 1\n"),
                    HasSubstr("profile 1 4 8\n")));
  ledger_.reset();
  table().engine_destroy(engine_of(kModel));
  EXPECT_THAT(ledger_.notes(), AllOf(Not(HasSubstr("workspace")), Not(HasSubstr("level")), Not(HasSubstr("compat")),
                                     Not(HasSubstr("profile"))));
}

TEST_F(TensorRtRtxTest, HasNoHardwareCompatibilityToAskFor) {
  VrtBackendEngineOptions options = options_for(kModel);
  options.hardware_compatible = 1;
  table().engine_destroy(engine_with(options));
  EXPECT_THAT(ledger_.notes(), Not(HasSubstr("compatibility")));
}

TEST_F(TensorRtTest, UnresolvedDimensionsAreRefusedByName) {
  EXPECT_EQ(refusal_of("input x 0 -1 2 -1\noutput y 0 1\n").status, VRT_BACKEND_INVALID_ARGUMENT);
  EXPECT_THAT(refusal_of("input x 0 -1 2 -1\noutput y 0 1\n").text,
              HasSubstr("input 'x' is [-1, 2, -1]: dimension 0, 2 is not known; give a shape for it"));
  VrtBackendEngineOptions options = options_for("input x 0 -1 2 -1\noutput y 0 1\n");
  options.batch_smallest = options.batch_typical = options.batch_largest = 2;
  EXPECT_EQ(refusal_with(options).status, VRT_BACKEND_INVALID_ARGUMENT);
  EXPECT_EQ(ledger_.calls("buildSerializedNetwork"), 0);
}

TEST_F(TensorRtTest, AChangingBatchNeedsAnOpenExtent) {
  VrtBackendEngineOptions options = options_for(kModel);
  options.batch_smallest = options.batch_typical = options.batch_largest = 2;
  EXPECT_EQ(refusal_with(options).status, VRT_BACKEND_INVALID_ARGUMENT);
}

TEST_F(TensorRtTest, OutputsWhoseSizeDependsOnDataAreRefusedByName) {
  const Answer before = refusal_of("input x 0 1 2\noutput found 8 -1 2\n");
  EXPECT_EQ(before.status, VRT_BACKEND_UNSUPPORTED);
  EXPECT_THAT(before.text, AllOf(HasSubstr("output 'found' is [-1, 2]"), HasSubstr("depends on data")));
  EXPECT_EQ(ledger_.calls("buildSerializedNetwork"), 0);
  // Only the built engine tells whether an open first extent is the batch.
  VrtBackendEngineOptions options = options_for("input x 0 -1 2\noutput found 0 -1 2\ndata_dependent found\n");
  options.batch_smallest = options.batch_typical = options.batch_largest = 2;
  const Answer after = refusal_with(options);
  EXPECT_EQ(after.status, VRT_BACKEND_UNSUPPORTED);
  EXPECT_THAT(after.text, HasSubstr("output 'found' is [-1, 2]"));
}

TEST_F(TensorRtTest, TensorsThatVrtDoesNotHaveAreRefusedByName) {
  EXPECT_THAT(refusal_of("input x 6 1\noutput y 0 1\n").text, HasSubstr("input 'x' is [1] of an element type"));
  const Answer host = refusal_of("input shape 8 2\noutput y 0 1\nhost shape\n");
  EXPECT_EQ(host.status, VRT_BACKEND_UNSUPPORTED);
  EXPECT_THAT(host.text, HasSubstr("input 'shape' is [2] and holds a shape"));
}

TEST_F(TensorRtTest, ShapesAreComparedWithTheFiles) {
  VrtBackendEngineOptions options = options_for(kModel);
  VrtBackendInputShape shape{"x", 2, {1, 2}};
  options.input_shapes = &shape;
  options.input_shape_count = 1;
  table().engine_destroy(engine_with(options));
  shape.name = "";
  table().engine_destroy(engine_with(options));
  shape.extents[1] = 3;
  EXPECT_THAT(refusal_with(options).text, HasSubstr("input 'x' is [1, 2] in the file"));
  shape = {"image", 2, {1, 2}};
  EXPECT_THAT(refusal_with(options).text, HasSubstr("there is no input 'image'; inputs: 'x'"));
}

TEST_F(TensorRtTest, Float32MeansNothingLess) {
  VrtBackendEngineOptions options =
      options_for(std::string(kModel) + "layer_output conv1 0 1\nlayer_output conv2 1 1\n");
  const Answer answer = refusal_with(options);
  EXPECT_EQ(answer.status, VRT_BACKEND_UNSUPPORTED);
  EXPECT_THAT(answer.text, HasSubstr("layer 'conv2'"));
  options.precision = static_cast<std::int32_t>(DType::kFloat16);
  table().engine_destroy(engine_with(options));
  options.precision = static_cast<std::int32_t>(DType::kInt8);
  EXPECT_EQ(refusal_with(options).status, VRT_BACKEND_UNSUPPORTED);
}

// The parser's words.

TEST_F(TensorRtTest, WhatIsNoModelIsCorrupt) {
  const Answer answer = refusal_of("error 3 -1 - - Assertion failed: parse(&in): Failed to parse the ONNX model.\n");
  EXPECT_EQ(answer.status, VRT_BACKEND_CORRUPT);
  EXPECT_EQ(answer.text, "the model cannot be read: Failed to parse the ONNX model.");
  EXPECT_EQ(refusal_of("").status, VRT_BACKEND_CORRUPT);
}

TEST_F(TensorRtTest, UnsupportedOperatorsAreNamed) {
  const Answer missing = refusal_of("error 6 0 frob1 Frobnicate creator && \"Plugin not found\"\nlacks Frobnicate\n");
  EXPECT_EQ(missing.status, VRT_BACKEND_UNSUPPORTED);
  EXPECT_EQ(missing.text, "the model cannot be read: node 'frob1' (Frobnicate): TensorRT has no such operator");
  const Answer use = refusal_of("error 8 4 - SequenceAt false\n");
  EXPECT_EQ(use.status, VRT_BACKEND_UNSUPPORTED);
  EXPECT_EQ(use.text,
            "the model cannot be read: node 4 (SequenceAt): TensorRT does not support this use of the operator");
}

TEST_F(TensorRtTest, ManyErrorsAreCounted) {
  std::string model;
  for (int i = 0; i < 8; ++i) model += "error 8 " + std::to_string(i) + " n" + std::to_string(i) + " Op reason\n";
  const Answer answer = refusal_of(model + model);
  EXPECT_THAT(answer.text, AllOf(HasSubstr("node 'n0' (Op): reason; node 'n1'"),
                                 HasSubstr("'n4' (Op): reason; and 3 more"), Not(HasSubstr("n5"))));
}

TEST_F(TensorRtTest, ParserErrorsHaveTheirStatus) {
  EXPECT_EQ(refusal_of("error 1 -1 - - broken\n").status, VRT_BACKEND_FAILED);
  EXPECT_EQ(refusal_of("error 2 -1 - - full\n").status, VRT_BACKEND_OUT_OF_MEMORY);
  EXPECT_EQ(refusal_of("error 6 1 mm MatMul shapes differ\n").status, VRT_BACKEND_CORRUPT);
}

// Runs.

TEST_F(TensorRtTest, RunsOnTheSessionsStream) {
  VrtBackendEngine* const engine = engine_of(kModel);
  VrtBackendSession* const session = session_of(engine, reinterpret_cast<void*>(std::uintptr_t{77}));
  std::array<float, 2> input{3, -1};
  std::array<float, 2> output{};
  EXPECT_EQ(bind_input(session, input.data(), sizeof(input)).status, VRT_BACKEND_OK);
  EXPECT_EQ(bind_output(session, output.data(), sizeof(output)).status, VRT_BACKEND_OK);
  EXPECT_EQ(enqueue(session, 0).status, VRT_BACKEND_OK);
  EXPECT_THAT(output, ElementsAre(7, -1));
  EXPECT_THAT(ledger_.notes(), HasSubstr("stream 77\n"));
  table().session_destroy(session);
  table().engine_destroy(engine);
}

TEST_F(TensorRtTest, MemoryOfAnotherSizeIsRefused) {
  VrtBackendEngine* const engine = engine_of(kModel);
  VrtBackendSession* const session = session_of(engine);
  float value = 0;
  const Answer answer = bind_input(session, &value, sizeof(value));
  EXPECT_EQ(answer.status, VRT_BACKEND_INVALID_ARGUMENT);
  EXPECT_THAT(answer.text, HasSubstr("tensor 'x' has 8 bytes, the memory for it 4"));
  EXPECT_EQ(bind_input(session, &value, sizeof(value), 1).status, VRT_BACKEND_INVALID_ARGUMENT);
  table().session_destroy(session);
  table().engine_destroy(engine);
}

TEST_F(TensorRtTest, ABatchChangesFromRunToRun) {
  VrtBackendEngineOptions options = options_for(kBatchModel);
  options.batch_smallest = 2;
  options.batch_typical = 3;
  options.batch_largest = 4;
  VrtBackendEngine* const engine = engine_with(options);
  VrtBackendTensor tensor{sizeof(tensor), nullptr, 0, 0, {}, 0};
  EXPECT_EQ(table().engine_output(engine, 0, &tensor, nullptr), VRT_BACKEND_OK);
  EXPECT_EQ(tensor.extents[0], 4);
  EXPECT_EQ(tensor.batched, 1);
  VrtBackendSession* const session = session_of(engine);
  std::array<float, 8> input{};
  std::iota(input.begin(), input.end(), 0.F);
  std::array<float, 8> output{};
  EXPECT_EQ(bind_input(session, input.data(), sizeof(input)).status, VRT_BACKEND_OK);
  EXPECT_EQ(bind_output(session, output.data(), sizeof(output)).status, VRT_BACKEND_OK);
  EXPECT_EQ(enqueue(session, 2).status, VRT_BACKEND_OK);
  EXPECT_THAT(output, ElementsAre(1, 3, 5, 7, 0, 0, 0, 0));
  EXPECT_EQ(enqueue(session, 4).status, VRT_BACKEND_OK);
  EXPECT_THAT(output, ElementsAre(1, 3, 5, 7, 9, 11, 13, 15));
  EXPECT_EQ(enqueue(session, 4).status, VRT_BACKEND_OK);
  EXPECT_EQ(ledger_.calls("setInputShape"), 4);  // Two of them from engine_create; none for the same batch again.
  for (const std::int64_t batch : {0, 1, 5}) {
    const Answer answer = enqueue(session, batch);
    EXPECT_EQ(answer.status, VRT_BACKEND_INVALID_ARGUMENT) << batch;
    EXPECT_THAT(answer.text, HasSubstr("the engine takes 2 to 4"));
  }
  table().session_destroy(session);
  table().engine_destroy(engine);
}

TEST_F(TensorRtTest, SessionsOfOneEngineRunAtOnce) {
  VrtBackendEngine* const engine = engine_of(kModel);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      VrtBackendSession* const session = session_of(engine);
      std::array<float, 2> input{static_cast<float>(i), 0};
      std::array<float, 2> output{};
      EXPECT_EQ(bind_input(session, input.data(), sizeof(input)).status, VRT_BACKEND_OK);
      EXPECT_EQ(bind_output(session, output.data(), sizeof(output)).status, VRT_BACKEND_OK);
      for (int run = 0; run < 20; ++run) EXPECT_EQ(enqueue(session, 0).status, VRT_BACKEND_OK);
      EXPECT_EQ(output[0], static_cast<float>(2 * i + 1));
      table().session_destroy(session);
    });
  }
  for (std::thread& thread : threads) thread.join();
  table().engine_destroy(engine);
}

// Read back.

TEST_F(TensorRtTest, LayersAndSizesAreReadBack) {
  VrtBackendEngine* const engine = engine_of(std::string(kModel) + "layer a\"b Convolution FP16\n");
  std::string json;
  EXPECT_EQ(table().engine_describe(engine, &append, &json, nullptr), VRT_BACKEND_OK);
  const EngineDetails details = detail::parse_details(json);
  ASSERT_EQ(details.layers.size(), 2U);
  EXPECT_EQ(details.layers[0].name, "fc");
  EXPECT_EQ(details.layers[0].type, "MatMul");
  EXPECT_EQ(details.layers[0].precision, "float32");
  EXPECT_EQ(details.layers[1].name, "a\"b");
  EXPECT_EQ(details.layers[1].precision, "float16");
  EXPECT_GT(details.weights_bytes.value(), 0U);  // The plan's: this version does not tell.
  EXPECT_EQ(details.activation_bytes, 4096U);
  table().engine_destroy(engine);
}

TEST_F(TensorRtRtxTest, LayersAndSizesAreReadBack) {
  VrtBackendEngine* const engine = engine_of("input x 0 1 2\noutput y 0 1 2\nlayer fc kgen Half\n");
  std::string json;
  EXPECT_EQ(table().engine_describe(engine, &append, &json, nullptr), VRT_BACKEND_OK);
  const EngineDetails details = detail::parse_details(json);
  ASSERT_EQ(details.layers.size(), 1U);
  EXPECT_EQ(details.layers[0].precision, "float16");
  EXPECT_EQ(details.weights_bytes, 1234U);
  table().engine_destroy(engine);
}

// Plans.

TEST_F(TensorRtTest, ASerialisedEngineRunsAgain) {
  VrtBackendEngineOptions options = options_for(kBatchModel);
  options.batch_smallest = 1;
  options.batch_typical = options.batch_largest = 2;
  VrtBackendEngine* const built = engine_with(options);
  const std::string bytes = bytes_of(built);
  table().engine_destroy(built);
  EXPECT_THAT(bytes, StartsWith("vrt TensorRT plan 1\nflavor tensorrt\nversion 10.4.2\narchitecture 8.9\n"));
  VrtBackendEngine* loaded = nullptr;
  const Answer answer = load(bytes, &loaded);
  ASSERT_EQ(answer.status, VRT_BACKEND_OK) << answer.text;
  EXPECT_EQ(bytes_of(loaded), bytes);
  VrtBackendTensor tensor{sizeof(tensor), nullptr, 0, 0, {}, 0};
  EXPECT_EQ(table().engine_input(loaded, 0, &tensor, nullptr), VRT_BACKEND_OK);
  EXPECT_EQ(tensor.extents[0], 2);
  EXPECT_EQ(tensor.batched, 1);
  table().engine_destroy(loaded);
}

TEST_F(TensorRtTest, EveryCutAndEveryDamagedByteOfTheHeaderIsRefused) {
  VrtBackendEngine* const built = engine_of(kModel);
  const std::string bytes = bytes_of(built);
  table().engine_destroy(built);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_EQ(load_refusal(bytes.substr(0, size)).status, VRT_BACKEND_CORRUPT) << size;
  EXPECT_EQ(load_refusal(bytes + "x").status, VRT_BACKEND_CORRUPT);
  const std::size_t header = bytes.find("\n\n") + 2;
  for (std::size_t at = 0; at < header; ++at) {
    std::string damaged = bytes;
    damaged[at] ^= 0x40;
    ASSERT_EQ(load_refusal(damaged).status, VRT_BACKEND_CORRUPT) << at;
  }
  EXPECT_EQ(ledger_.calls("deserializeCudaEngine"), 1);  // Of the build: none of the refused reached TensorRT.
}

TEST_F(TensorRtTest, PlansOfOthersAreRefusedWithBothSides) {
  VrtBackendEngine* const built = engine_of(kModel);
  const std::string bytes = bytes_of(built);
  table().engine_destroy(built);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = bytes;
    return changed.replace(changed.find(from), from.size(), to);
  };
  EXPECT_THAT(load_refusal(with("version 10.4.2", "version 10.3.0")).text,
              AllOf(HasSubstr("TensorRT 10.3.0"), HasSubstr("10.4.2")));
  EXPECT_THAT(load_refusal(with("flavor tensorrt", "flavor tensorrt_rtx")).text,
              AllOf(HasSubstr("'tensorrt_rtx'"), HasSubstr("'tensorrt'")));
  EXPECT_THAT(load_refusal(with("architecture 8.9", "architecture 8.6")).text,
              AllOf(HasSubstr("8.6"), HasSubstr("8.9")));
  EXPECT_THAT(load_refusal("a network of somebody else").text, HasSubstr("not what vrt's module for TensorRT wrote"));
  EXPECT_THAT(load_refusal("").text, HasSubstr("not what vrt's module for TensorRT wrote"));
  const Answer inner = load_refusal(with("stand-in plan", "other-on plan"));
  EXPECT_EQ(inner.status, VRT_BACKEND_CORRUPT);
  EXPECT_THAT(inner.text, AllOf(HasSubstr("TensorRT does not take the engine: "), HasSubstr("magic failed"),
                                Not(HasSubstr("runtime.cpp"))));
}

TEST_F(TensorRtTest, AHardwareCompatiblePlanRunsOnNewerGpus) {
  VrtBackendEngineOptions options = options_for(kModel);
  options.hardware_compatible = 1;
  VrtBackendEngine* engine = engine_with(options);
  const std::string bytes = bytes_of(engine);
  table().engine_destroy(engine);
  {
    const ScopedVariable newer("VRT_STANDIN_CAPABILITY", "12.0");
    ASSERT_EQ(load(bytes, &engine).status, VRT_BACKEND_OK);
    table().engine_destroy(engine);
  }
  const ScopedVariable older("VRT_STANDIN_CAPABILITY", "8.6");
  EXPECT_EQ(load_refusal(bytes).status, VRT_BACKEND_CORRUPT);
}

TEST_F(TensorRtRtxTest, APlanRunsOnEveryGpu) {
  VrtBackendEngine* engine = engine_of(kModel);
  const std::string bytes = bytes_of(engine);
  table().engine_destroy(engine);
  const ScopedVariable other("VRT_STANDIN_CAPABILITY", "8.0");
  ASSERT_EQ(load(bytes, &engine).status, VRT_BACKEND_OK);
  table().engine_destroy(engine);
}

TEST_F(TensorRtTest, AFailingGpuIsNotThePlansFault) {
  VrtBackendEngine* const built = engine_of(kModel);
  const std::string bytes = bytes_of(built);
  table().engine_destroy(built);
  ledger_.fail("deserializeCudaEngine", "Error Code 1: Cuda Runtime (cudaError 719: unspecified launch failure)");
  EXPECT_EQ(load_refusal(bytes).status, VRT_BACKEND_FAILED);
  ledger_.fail("deserializeCudaEngine", "Error Code 2: OutOfMemory (Requested size was 8 bytes.)");
  EXPECT_EQ(load_refusal(bytes).status, VRT_BACKEND_OUT_OF_MEMORY);
}

TEST_F(TensorRtTest, BytesThatAreNotTakenEndTheCall) {
  VrtBackendEngine* const engine = engine_of(kModel);
  const VrtBackendWrite refuse = [](void*, const void*, std::uint64_t) -> std::int32_t { return 1; };
  EXPECT_EQ(table().engine_serialize(engine, refuse, nullptr, nullptr), VRT_BACKEND_FAILED);
  EXPECT_EQ(table().engine_describe(engine, refuse, nullptr, nullptr), VRT_BACKEND_FAILED);
  table().engine_destroy(engine);
}

// Failures of every call.

TEST_F(TensorRtTest, EveryCallOfABuildMayFail) {
  for (const char* call :
       {"createInferBuilder", "createNetworkV2", "createNvOnnxParser", "parseFromFile", "createBuilderConfig",
        "createOptimizationProfile", "setDimensions", "addOptimizationProfile", "buildSerializedNetwork",
        "createInferRuntime", "deserializeCudaEngine", "createExecutionContext_user_managed", "setInputShape"}) {
    ledger_.reset();
    ledger_.fail(call, "planned for a test");
    VrtBackendEngineOptions options = options_for(kBatchModel);
    options.batch_smallest = 1;
    options.batch_typical = options.batch_largest = 2;
    const Answer answer = refusal_with(options);
    EXPECT_NE(answer.status, VRT_BACKEND_OK) << call;
    EXPECT_THAT(answer.text, HasSubstr("planned for a test")) << call;
    EXPECT_EQ(ledger_.calls(call), 1) << call;
    EXPECT_EQ(ledger_.live(), 0) << call;
    EXPECT_EQ(ledger_.fault(), "") << call;
  }
}

TEST_F(TensorRtTest, AFailureWithoutAReasonSaysSo) {
  ledger_.fail("buildSerializedNetwork", "");
  const Answer answer = refusal_of(kModel);
  EXPECT_EQ(answer.status, VRT_BACKEND_FAILED);
  EXPECT_EQ(answer.text, "the network does not build and gives no reason");
}

TEST_F(TensorRtTest, ExhaustedMemoryIsTold) {
  ledger_.fail("buildSerializedNetwork", "Error Code 2: OutOfMemory (Requested size was 123 bytes.)");
  EXPECT_EQ(refusal_of(kModel).status, VRT_BACKEND_OUT_OF_MEMORY);
}

TEST_F(TensorRtTest, EveryCallOfAnEngineMayFail) {
  VrtBackendEngine* const engine = engine_of(kModel);
  const auto check = [&](const char* call, const std::function<std::int32_t(VrtBackendError*)>& action) {
    const std::int64_t before = ledger_.live();
    ledger_.fail(call, "planned for a test");
    Reason reason;
    const Answer answer = reason.answer(action(reason.get()));
    EXPECT_EQ(answer.status, VRT_BACKEND_FAILED) << call;
    EXPECT_THAT(answer.text, HasSubstr("planned for a test")) << call;
    EXPECT_EQ(ledger_.live(), before) << call;
    ledger_.reset();
  };
  std::string bytes;
  const VrtBackendSessionOptions options{sizeof(options), nullptr};
  VrtBackendSession* none = nullptr;
  check("serialize", [&](auto* error) { return table().engine_serialize(engine, &append, &bytes, error); });
  check("createEngineInspector", [&](auto* error) { return table().engine_describe(engine, &append, &bytes, error); });
  check("getEngineInformation", [&](auto* error) { return table().engine_describe(engine, &append, &bytes, error); });
  check("createExecutionContext", [&](auto* error) { return table().session_create(engine, &options, &none, error); });
  EXPECT_TRUE(bytes.empty());
  EXPECT_EQ(none, nullptr);
  VrtBackendSession* const session = session_of(engine);
  std::array<float, 2> memory{};
  check("setTensorAddress",
        [&](auto* error) { return table().session_bind_input(session, 0, memory.data(), sizeof(memory), error); });
  check("enqueueV3", [&](auto* error) { return table().session_enqueue(session, 0, error); });
  table().session_destroy(session);
  table().engine_destroy(engine);
}

TEST_F(TensorRtTest, ARefusedBatchIsSetAnewNextTime) {
  VrtBackendEngineOptions options = options_for(kBatchModel);
  options.batch_smallest = 1;
  options.batch_typical = options.batch_largest = 2;
  VrtBackendEngine* const engine = engine_with(options);
  VrtBackendSession* const session = session_of(engine);
  std::array<float, 4> input{1, 2, 3, 4};
  std::array<float, 4> output{};
  EXPECT_EQ(bind_input(session, input.data(), sizeof(input)).status, VRT_BACKEND_OK);
  EXPECT_EQ(bind_output(session, output.data(), sizeof(output)).status, VRT_BACKEND_OK);
  EXPECT_EQ(enqueue(session, 2).status, VRT_BACKEND_OK);
  ledger_.fail("setInputShape", "planned for a test");
  EXPECT_EQ(enqueue(session, 1).status, VRT_BACKEND_FAILED);
  ledger_.reset();
  EXPECT_EQ(enqueue(session, 2).status, VRT_BACKEND_OK);
  EXPECT_EQ(ledger_.calls("setInputShape"), 1);
  table().session_destroy(session);
  table().engine_destroy(engine);
}

TEST_F(TensorRtTest, ArgumentsThatAreMissingAreRefused) {
  VrtBackendEngine* engine = nullptr;
  EXPECT_EQ(table().engine_create(context(), nullptr, &engine, nullptr), VRT_BACKEND_INVALID_ARGUMENT);
  VrtBackendEngineOptions options = options_for(kModel);
  options.struct_bytes = 8;
  EXPECT_EQ(table().engine_create(context(), &options, &engine, nullptr), VRT_BACKEND_INVALID_ARGUMENT);
  VrtBackendContext* none = nullptr;
  EXPECT_EQ(table().context_create(nullptr, &none, nullptr), VRT_BACKEND_INVALID_ARGUMENT);
}

// Progress.

struct Listener {
  std::atomic<int> calls{0};
  int last = 1 << 20;  ///< The call that asks for the end.
  std::mutex mutex;
  std::string heard;

  static std::int32_t hear(void* user, const char* phase, std::int32_t step, std::int32_t steps) {
    auto& self = *static_cast<Listener*>(user);
    const std::lock_guard lock(self.mutex);
    self.heard += std::string(phase) + " " + std::to_string(step) + "/" + std::to_string(steps) + "\n";
    return ++self.calls >= self.last ? 1 : 0;
  }
};

TEST_F(TensorRtTest, ProgressIsTold) {
  Listener listener;
  VrtBackendEngineOptions options = options_for(std::string(kModel) + "steps 2\n");
  options.progress = &Listener::hear;
  options.progress_user = &listener;
  table().engine_destroy(engine_with(options));
  EXPECT_EQ(listener.heard, "Building 0/2\nTiming 0/2\nTiming 1/2\nTiming 2/2\n");
}

TEST_F(TensorRtTest, ABuildEndsWhereTheListenerAsks) {
  for (int last = 1; last <= 6; ++last) {
    Listener listener;
    listener.last = last;
    VrtBackendEngineOptions options = options_for(std::string(kModel) + "steps 4\n");
    options.progress = &Listener::hear;
    options.progress_user = &listener;
    const Answer answer = refusal_with(options);
    EXPECT_EQ(answer.status, VRT_BACKEND_CANCELLED) << last;
    EXPECT_LE(listener.calls, std::max(3, last)) << last;  // Only a step's end can be the last.
    EXPECT_EQ(ledger_.live(), 0) << last;
  }
}

// The timing cache.

TEST_F(TensorRtTest, TheTimingCacheIsReadAndWrittenBack) {
  const std::string path = (folder_.path() / "timing.cache").string();
  const auto read = [&] {
    std::ifstream file(path);
    return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  };
  for (const char* expected : {"stand-in timing +", "stand-in timing ++"}) {
    VrtBackendEngineOptions options = options_for(kModel);
    options.timing_cache_path = path.c_str();
    table().engine_destroy(engine_with(options));
    EXPECT_EQ(read(), expected);
  }
  folder_.write("timing.cache", "of another GPU");
  VrtBackendEngineOptions options = options_for(kModel);
  options.timing_cache_path = path.c_str();
  table().engine_destroy(engine_with(options));
  EXPECT_EQ(read(), "stand-in timing +");
  EXPECT_TRUE(module_.has_logged(1, "of another GPU or version, or damaged"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()),
            2);  // Nothing half-written is left.
}

TEST_F(TensorRtTest, TroubleWithTheTimingCacheStopsNoBuild) {
  const auto build_with = [&](const std::string& path) {
    VrtBackendEngineOptions options = options_for(kModel);
    options.timing_cache_path = path.c_str();
    table().engine_destroy(engine_with(options));
  };
  build_with("/nowhere/timing.cache");
  EXPECT_TRUE(
      module_.has_logged(2, "the timing cache '/nowhere/timing.cache' is not kept (No such file or directory)"));
  build_with(folder_.path().string());  // A folder.
  EXPECT_TRUE(module_.has_logged(2, "cannot be read"));
  const std::string path = (folder_.path() / "timing.cache").string();
  ledger_.fail("timing_cache_serialize", "");
  build_with(path);
  EXPECT_TRUE(module_.has_logged(2, "it cannot be serialised"));
  ledger_.fail("createTimingCache", "");
  build_with(path);
  EXPECT_TRUE(module_.has_logged(2, "there is no timing cache for this build"));
  ledger_.reset();
  ledger_.fail("setTimingCache", "");
  build_with(path);
  EXPECT_FALSE(fs::exists(path));
}

// The log.

TEST_F(TensorRtTest, MessagesReachTheHostWithTheirLevels) {
  table().engine_destroy(engine_of(kModel));
  EXPECT_TRUE(module_.has_logged(0, "destroyed a builder"));
  ledger_.fail("buildSerializedNetwork", "planned for a test");
  refusal_of(kModel);
  EXPECT_TRUE(module_.has_logged(3, "planned for a test"));
}

TEST_F(TensorRtTest, ALogCallbackThatThrowsChangesNothing) {
  module_.on_log = [] { throw std::runtime_error("from the log callback"); };
  VrtBackendEngine* const engine = engine_of(kModel);
  VrtBackendSession* const session = session_of(engine);
  table().session_destroy(session);
  table().engine_destroy(engine);
  module_.on_log = [] { throw 42; };
  ledger_.fail("buildSerializedNetwork", "planned for a test");
  EXPECT_THAT(refusal_of(kModel).text, HasSubstr("planned for a test"));
  EXPECT_FALSE(module_.lines().empty());
}

TEST_F(TensorRtTest, ReasonsOfOneThreadDoNotReachAnother) {
  ledger_.fail("parseFromFile", "planned for a test");
  const std::string path = folder_.write("model.onnx", kModel).string();
  context();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int run = 0; run < 10; ++run) {
        VrtBackendEngine* engine = nullptr;
        EXPECT_THAT(create(engine_options(path.c_str()), &engine).text,
                    HasSubstr("the model cannot be read: planned for a test"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Lifetimes.

TEST_F(TensorRtTest, HandlesGoInAnyOrder) {
  std::array<int, 4> order{0, 1, 2, 3};
  do {
    VrtBackendContext* context = nullptr;
    ASSERT_EQ(module_.create(&context).status, VRT_BACKEND_OK);
    const std::string path = folder_.write("model.onnx", kModel).string();
    const VrtBackendEngineOptions options = engine_options(path.c_str());
    VrtBackendEngine* engine = nullptr;
    ASSERT_EQ(table().engine_create(context, &options, &engine, nullptr), VRT_BACKEND_OK);
    VrtBackendSession* const first = session_of(engine);
    VrtBackendSession* const second = session_of(engine);
    for (const int which : order) {
      if (which == 0) table().session_destroy(first);
      if (which == 1) table().session_destroy(second);
      if (which == 2) table().engine_destroy(engine);
      if (which == 3) table().context_destroy(context);
    }
    ASSERT_EQ(ledger_.live(), 0);
    ASSERT_EQ(ledger_.fault(), "");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(TensorRtTest, ASessionRunsOnWithoutItsEngineAndContext) {
  VrtBackendContext* context = nullptr;
  ASSERT_EQ(module_.create(&context).status, VRT_BACKEND_OK);
  const std::string path = folder_.write("model.onnx", kModel).string();
  const VrtBackendEngineOptions options = engine_options(path.c_str());
  VrtBackendEngine* engine = nullptr;
  ASSERT_EQ(table().engine_create(context, &options, &engine, nullptr), VRT_BACKEND_OK);
  VrtBackendSession* const session = session_of(engine);
  table().context_destroy(context);
  table().engine_destroy(engine);
  const std::size_t logged = module_.lines().size();
  std::array<float, 2> memory{1, 2};
  std::array<float, 2> output{};
  EXPECT_EQ(bind_input(session, memory.data(), sizeof(memory)).status, VRT_BACKEND_OK);
  EXPECT_EQ(bind_output(session, output.data(), sizeof(output)).status, VRT_BACKEND_OK);
  EXPECT_EQ(enqueue(session, 0).status, VRT_BACKEND_OK);
  EXPECT_THAT(output, ElementsAre(3, 5));
  table().session_destroy(session);
  EXPECT_EQ(module_.lines().size(), logged);  // The host's callback went with its context.
}

TEST_F(TensorRtTest, TwoContextsShareOneLogger) {
  VrtBackendContext* first = nullptr;
  VrtBackendContext* second = nullptr;
  ASSERT_EQ(module_.create(&first).status, VRT_BACKEND_OK);
  ASSERT_EQ(module_.create(&second).status, VRT_BACKEND_OK);
  const std::string path = folder_.write("model.onnx", kModel).string();
  const VrtBackendEngineOptions options = engine_options(path.c_str());
  VrtBackendEngine* engines[2] = {};
  ASSERT_EQ(table().engine_create(first, &options, &engines[0], nullptr), VRT_BACKEND_OK);
  ASSERT_EQ(table().engine_create(second, &options, &engines[1], nullptr), VRT_BACKEND_OK);
  table().engine_destroy(engines[0]);
  table().context_destroy(first);
  table().engine_destroy(engines[1]);
  table().context_destroy(second);
  EXPECT_EQ(ledger_.fault(), "");
}

}  // namespace
}  // namespace vrt::testing
