#include "vrt/base/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using ::testing::HasSubstr;

// Lets no file of this process grow past `bytes`: a write beyond fails with EFBIG, as one to a full disk with ENOSPC.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  [[nodiscard]] std::ptrdiff_t files_in_folder() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  [[nodiscard]] bool has_nameless_files() const {
    const int descriptor = open(folder_.c_str(), O_TMPFILE | O_WRONLY, 0600);
    if (descriptor >= 0) close(descriptor);
    return descriptor >= 0;
  }
  static ErrorCode code_of_opening(const fs::path& path) {
    SCOPED_TRACE(path);
    const Error error = error_of([&] { const AtomicFile file(path); });
    EXPECT_THAT(error.what(), HasSubstr(path.filename().string()));
    return error.code();
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("vrt_atomic_file_test" + std::to_string(getpid()));
  fs::path target_ = folder_ / "results.jsonl";
};

TEST_F(AtomicFileTest, AppearsOnlyWithCommit) {
  AtomicFile file(target_);
  file.write("one\n");
  file.flush();
  EXPECT_FALSE(fs::exists(target_));
  EXPECT_EQ(read(file.temporary_path()), "one\n");
  file.write("two\n");
  file.commit();
  EXPECT_EQ(read(target_), "one\ntwo\n");
  EXPECT_EQ(files_in_folder(), 1);
}

TEST_F(AtomicFileTest, WithoutCommitNothingIsLeftAndTheOldFileStays) {
  std::ofstream(target_) << "old";
  {
    AtomicFile file(target_);
    file.write("new");
    file.flush();
  }
  EXPECT_EQ(read(target_), "old");
  EXPECT_EQ(files_in_folder(), 1);
}

TEST_F(AtomicFileTest, CommitReplacesTheOldFile) {
  std::ofstream(target_) << "old and longer";
  AtomicFile file(target_);
  file.write("new");
  file.commit();
  EXPECT_EQ(read(target_), "new");
}

TEST_F(AtomicFileTest, LargeBinaryContentIsWrittenExactly) {
  std::string content(1'000'003, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31 % 251);
  AtomicFile file(target_);
  const std::string_view all = content;
  for (std::size_t at = 0; at < all.size(); at += 997) {
    const auto piece = all.substr(at, 997);
    file.write(std::as_bytes(std::span(piece.data(), piece.size())));
  }
  file.commit();
  EXPECT_EQ(read(target_), content);
}

TEST_F(AtomicFileTest, AProcessThatIsKilledLeavesNothing) {
  std::ofstream(target_) << "old";
  if (!has_nameless_files()) GTEST_SKIP() << "the file system of " << folder_ << " has no files without a name";
  EXPECT_EXIT(
      {
        AtomicFile file(target_);
        file.write("new");
        file.flush();
        std::raise(SIGKILL);
      },
      testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(read(target_), "old");
  EXPECT_EQ(files_in_folder(), 1);
}

TEST_F(AtomicFileTest, OtherLibrariesWriteThroughItsPath) {
  AtomicFile file(target_);
  std::ofstream(file.temporary_path()) << "from elsewhere";
  EXPECT_EQ(read(file.temporary_path()), "from elsewhere");
  file.commit();
  EXPECT_EQ(read(target_), "from elsewhere");
}

TEST_F(AtomicFileTest, ATargetThatAppearsMeanwhileIsReplaced) {
  AtomicFile file(target_);
  file.write("mine");
  std::ofstream(target_) << "of another process";
  file.commit();
  EXPECT_EQ(read(target_), "mine");
  EXPECT_EQ(files_in_folder(), 1);
}

TEST_F(AtomicFileTest, TwoWritersOfOneTargetDoNotMeet) {
  AtomicFile first(target_);
  AtomicFile second(target_);
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(read(target_), "first");
}

TEST_F(AtomicFileTest, HasTheRightsOfAnOrdinaryFile) {
  const mode_t mask = umask(0022);
  AtomicFile file(target_);
  file.commit();
  umask(mask);
  EXPECT_EQ(fs::status(target_).permissions(), static_cast<fs::perms>(0644));
}

TEST_F(AtomicFileTest, CreatesTheFolderOfTheTarget) {
  AtomicFile file(folder_ / "a" / "b" / "c.txt");
  file.commit();
  EXPECT_TRUE(fs::exists(folder_ / "a" / "b" / "c.txt"));
}

TEST_F(AtomicFileTest, MovingHandsTheFileOver) {
  std::optional<AtomicFile> source(target_);
  source->write("moved");
  AtomicFile file(std::move(*source));
  source.reset();
  file.commit();
  EXPECT_EQ(read(target_), "moved");
}

TEST_F(AtomicFileTest, AssigningDiscardsWhatTheTargetOfTheMoveHeld) {
  AtomicFile file(folder_ / "discarded");
  file = AtomicFile(target_);
  file.commit();
  EXPECT_TRUE(fs::exists(target_));
  EXPECT_EQ(files_in_folder(), 1);
}

TEST_F(AtomicFileTest, NothingIsWrittenAfterCommit) {
  AtomicFile file(target_);
  file.commit();
  EXPECT_THROW(file.write("late"), Error);
  EXPECT_THROW(file.commit(), Error);
}

TEST_F(AtomicFileTest, AFolderAsTargetIsRefused) {
  fs::create_directories(target_);
  EXPECT_EQ(code_of_opening(target_), ErrorCode::kIo);
}

TEST_F(AtomicFileTest, ANameThatNoFileCanHaveIsRefusedAtOnce) {
  EXPECT_EQ(code_of_opening(folder_ / std::string(300, 'x')), ErrorCode::kIo);
  EXPECT_EQ(files_in_folder(), 0);
}

TEST_F(AtomicFileTest, AFileInPlaceOfTheFolderIsRefused) {
  std::ofstream(folder_ / "file") << "x";
  EXPECT_EQ(code_of_opening(folder_ / "file" / "inner.txt"), ErrorCode::kIo);
}

// A rename onto a device would replace it by a file.
TEST_F(AtomicFileTest, SpecialFilesAreRefusedNotReplaced) {
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(code_of_opening(pipe), ErrorCode::kIo);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(AtomicFileTest, ASymbolicLinkStaysOne) {
  fs::create_directories(folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere" / "real", target_);
  AtomicFile file(target_);
  file.write("x");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(target_));
  EXPECT_EQ(read(folder_ / "elsewhere" / "real"), "x");
}

TEST_F(AtomicFileTest, AFullDiskIsAnErrorThatNamesTheFile) {
  AtomicFile file(target_);
  const FileSizeLimit limit(1024);
  const Error error = error_of([&] {
    file.write(std::string(100'000, 'x'));
    file.commit();
  });
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_THAT(error.what(), HasSubstr("results.jsonl"));
  EXPECT_FALSE(fs::exists(target_));
}

}  // namespace
}  // namespace vrt
