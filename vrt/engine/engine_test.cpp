#include "vrt/engine/engine.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/testing/error_of.h"
#include "vrt/engine/backend_module.h"
#include "vrt/engine/testing/fake_world.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kDoubler;
using ::testing::Not;
using testing::ScopedFolder;
using testing::ScopedVariable;

class EngineTest : public testing::FakeWorld {};

TEST_F(EngineTest, TellsWhatItWasOpenedFrom) {
  const Engine engine = open("input image 1 1 2 3\ninput mask 8 4\noutput ids 7 5\n");
  EXPECT_EQ(engine.backend_name(), "fake");
  EXPECT_EQ(engine.backend_version(), "1.2.3");
  EXPECT_EQ(engine.device(), Device::cpu());
  EXPECT_EQ(engine.model(), folder_.path() / "doubler.model");
  ASSERT_EQ(engine.inputs().size(), 2U);
  EXPECT_EQ(engine.inputs()[0].name, "image");
  EXPECT_EQ(engine.inputs()[0].type, DType::kFloat32);
  EXPECT_EQ(engine.inputs()[0].shape, Shape({1, 2, 3}));
  EXPECT_EQ(engine.inputs()[1].type, DType::kBool);
  ASSERT_EQ(engine.outputs().size(), 1U);
  EXPECT_EQ(engine.outputs()[0].type, DType::kInt64);
}

TEST_F(EngineTest, OptionsReachTheBackend) {
  EngineOptions options{.input_shapes = {{"image", {7, 1}}}, .hint = PerformanceHint::kThroughput};
  options.concurrent_sessions = 3;
  options.threads = 5;
  const Engine engine = open(std::string(kDoubler), options);
  EXPECT_EQ(engine.inputs()[0].shape, Shape({7, 1}));
  EXPECT_EQ(log_.count("fake: throughput 1 sessions 3 threads 5"), 1);
}

TEST_F(EngineTest, OptionsThatCannotWorkAreRefused) {
  EngineOptions options;
  options.threads = -1;
  EXPECT_EQ(error_of([&] { open(std::string(kDoubler), options); }).code(), ErrorCode::kInvalidArgument);
  options = {};
  options.concurrent_sessions = 0;
  EXPECT_EQ(error_of([&] { open(std::string(kDoubler), options); }).code(), ErrorCode::kInvalidArgument);
  for (const Shape& shape : {Shape({1, Shape::kDynamic}), Shape({0, 3})}) {
    options = {};
    options.input_shapes = {{"image", shape}};
    const Error error = error_of([&] { open(std::string(kDoubler), options); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("image"), HasSubstr(to_string(shape))));
  }
  options = {.input_shapes = {{"image", {7, Shape::kDynamic}}},
             .batch = {.largest = 2}};  // Only the first extent is the batch.
  EXPECT_EQ(error_of([&] { open(std::string(kDoubler), options); }).code(), ErrorCode::kInvalidArgument);
}

TEST_F(EngineTest, EachStatusBecomesItsErrorWithTheBackendsWords) {
  const std::pair<int, ErrorCode> pairs[] = {
      {1, ErrorCode::kInvalidArgument}, {2, ErrorCode::kNotFound}, {3, ErrorCode::kUnsupported},
      {4, ErrorCode::kUnavailable},     {5, ErrorCode::kCorrupt},  {6, ErrorCode::kOutOfMemory},
      {7, ErrorCode::kBackend},         {99, ErrorCode::kBackend},
  };
  for (const auto& [status, code] : pairs) {
    const std::string line = "fail engine_create " + std::to_string(status) + " the vendor's words\n";
    const Error error = error_of([&] { open(std::string(kDoubler) + line); });
    EXPECT_EQ(error.code(), code) << status;
    EXPECT_EQ(error.cause(), "the vendor's words");
    EXPECT_THAT(error.message(), AllOf(HasSubstr("fake 1.2.3"), HasSubstr("doubler.model")));
  }
}

TEST_F(EngineTest, AStatusWithoutWordsIsNamedByItsNumber) {
  const Error error = error_of([&] { open(std::string(kDoubler) + "fail engine_create 99\n"); });
  EXPECT_THAT(error.what(), HasSubstr("status 99"));
}

TEST_F(EngineTest, AFailureAtEachCallDestroysWhatWasMade) {
  for (const char* call : {"engine_create", "engine_input", "engine_output"}) {
    for (const std::string& line : {std::string("fail ") + call + " 7 no\n", std::string("throw ") + call + "\n"}) {
      EXPECT_EQ(error_of([&] { open(std::string(kDoubler) + line); }).code(), ErrorCode::kBackend) << line;
    }
  }
  EXPECT_EQ(log_.count("fake: + engine"), log_.count("fake: - engine"));
  EXPECT_EQ(log_.count("fake: + context"), log_.count("fake: - context"));
  EXPECT_THAT(log_.errors(), IsEmpty());
}

TEST_F(EngineTest, ATensorThatVrtCannotHoldIsRefusedByName) {
  for (const char* tensor : {"input strange 77 1 2\n", "input strange 1 -1 2\n"}) {
    const Error error = error_of([&] { open(tensor); });
    EXPECT_EQ(error.code(), ErrorCode::kBackend);
    EXPECT_THAT(error.what(), HasSubstr("strange"));
  }
}

TEST_F(EngineTest, AMissingFileAFolderAndAWrongFileAreToldApart) {
  const EngineOptions options{.backend = "fake"};
  const auto code = [&](const std::filesystem::path& path) {
    const Error error = error_of([&] { static_cast<void>(Engine::open(path, Device::cpu(), options)); });
    EXPECT_THAT(error.what(), HasSubstr(path.string()));
    return error.code();
  };
  EXPECT_EQ(code(folder_.path() / "absent.onnx"), ErrorCode::kNotFound);
  EXPECT_EQ(code(folder_.path()), ErrorCode::kCorrupt);
  EXPECT_EQ(code(folder_.write("text.onnx", "nothing of use")), ErrorCode::kCorrupt);
}

TEST_F(EngineTest, AContextThatDoesNotStartSaysWhatTheVendorMisses) {
  const ScopedVariable variable("VRT_FAKE_CONTEXT_STATUS", "4");
  const Error error = error_of([&] { open(std::string(kDoubler)); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("libvrt_backend_fake.so"), HasSubstr("libvendor.so.7 is not there")));
}

TEST_F(EngineTest, EnginesShareOneContextWhichGoesWithTheLast) {
  {
    const Engine first = open(std::string(kDoubler));
    const Engine second = open(std::string(kDoubler));
    EXPECT_EQ(log_.count("fake: + context"), 1);
    EXPECT_EQ(log_.count("fake: - context"), 0);
  }
  EXPECT_EQ(log_.count("fake: - context"), 1);
  EXPECT_THAT(log_.errors(), IsEmpty());
}

TEST_F(EngineTest, ALogSinkThatThrowsChangesNothing) {
  const LogSink before = set_log_sink([](LogLevel, std::string_view) { throw std::runtime_error("from the sink"); });
  EXPECT_NO_THROW(static_cast<void>(open(std::string(kDoubler))));
  set_log_sink(before);
}

TEST_F(EngineTest, OpensFromSeveralThreadsAtOnce) {
  const auto path = folder_.write("shared.model", kDoubler);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) static_cast<void>(Engine::open(path, Device::cpu(), {.backend = "fake"}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(log_.count("fake: + engine"), 80);
  EXPECT_EQ(log_.count("fake: - engine"), 80);
  EXPECT_EQ(log_.count("fake: + context"), log_.count("fake: - context"));
  EXPECT_THAT(log_.errors(), IsEmpty());
}

TEST_F(EngineTest, AnUnknownBackendIsRefusedWithWhatThereIs) {
  for (const char* name : {"openvin0", "../../tmp/evil", "", "OpenVINO"}) {
    const EngineOptions options{.backend = name};
    const auto path = folder_.write("m.onnx", "x");
    const Error error = error_of([&] { static_cast<void>(Engine::open(path, Device::cpu(), options)); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << name;
    EXPECT_THAT(error.what(), HasSubstr("openvino"));
  }
}

TEST_F(EngineTest, AGpuIsRefusedSayingWhatThereIs) {
  const auto path = folder_.write("m.onnx", "x");
  const Error by_device = error_of([&] { static_cast<void>(Engine::open(path, Device::cuda(0))); });
  EXPECT_EQ(by_device.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(by_device.what(), AllOf(HasSubstr("cuda:0"), HasSubstr("tensorrt: "), HasSubstr("onnxruntime: ")));
  EXPECT_THAT(by_device.what(), Not(HasSubstr("openvino: ")));
  const Error by_name =
      error_of([&] { static_cast<void>(Engine::open(path, Device::cuda(0), {.backend = "openvino"})); });
  EXPECT_EQ(by_name.code(), ErrorCode::kUnsupported);
}

BackendInfo info_of(const std::string& name) {
  for (BackendInfo& info : list_backends()) {
    if (info.name == name) return std::move(info);
  }
  ADD_FAILURE() << "no backend " << name << " is listed";
  return {};
}

TEST(ListBackendsTest, AModuleThatDoesNotLoadIsListedWithItsProblem) {
  const ScopedFolder folder;
  folder.write("libvrt_backend_openvino.so", "not a library");
  const ScopedVariable variable("VRT_BACKEND_PATH", folder.path().string());
  const BackendInfo info = info_of("openvino");
  EXPECT_FALSE(info.available);
  EXPECT_EQ(info.version, "");
  EXPECT_THAT(info.problem, HasSubstr(folder.path().string()));
}

TEST(ListBackendsTest, TellsOfTheModuleBesideTheProgramOrWhereItWasSought) {
  const ScopedVariable variable("VRT_BACKEND_PATH", "/nowhere");
  const BackendInfo info = info_of("openvino");
  EXPECT_EQ(info.available, !detail::find_module("openvino").empty());
  if (info.available) return;  // The test below runs this one where there is no module.
  EXPECT_THAT(info.problem, AllOf(HasSubstr("'openvino' is missing"), HasSubstr("no libvrt_backend_openvino.so"),
                                  HasSubstr("/nowhere"), HasSubstr("/vrt. To get it"), HasSubstr("VRT_BACKEND_PATH")));
  const ScopedFolder folder;
  const auto path = folder.write("m.onnx", "x");
  EXPECT_EQ(error_of([&] { static_cast<void>(Engine::open(path, Device::cpu())); }).code(), ErrorCode::kUnavailable);
}

TEST(ListBackendsTest, AMissingModuleIsListedWithTheFoldersSearched) {
  const ScopedFolder folder;
  const std::filesystem::path program = folder.path() / "bin" / "probe";
  std::filesystem::create_directory(program.parent_path());
  std::filesystem::copy_file(std::filesystem::read_symlink("/proc/self/exe"), program);
  const std::string command = program.string() + " --gtest_filter=ListBackendsTest.TellsOfTheModule* > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace vrt
