#include "vrt/scene/class_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"

namespace vrt {
namespace {

/// A file of class names.
class NamesFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] ClassNames read(const std::string& text) const {
    return ClassNames::read(folder_.write("names.txt", text));
  }
  void expect_refused(const std::string& text, const std::string& reason) const {
    const Error error = test::error_of([&] { (void)read(text); });
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << reason;
    EXPECT_NE(std::string(error.what()).find("names.txt: " + reason), std::string::npos) << error.what();
  }
  testing::ScopedFolder folder_;
};

TEST_F(NamesFileTest, ALineIsAClass) {
  const ClassNames names = read("person\n\nfire hydrant\n");
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0], "person");
  EXPECT_EQ(names[1], "");
  EXPECT_EQ(names[2], "fire hydrant");
  EXPECT_EQ(read("person\ndog").size(), 2U) << "the last line break may be missing";
  EXPECT_EQ(read("person\ndog\n\n").size(), 3U) << "an empty line is a class without a name, the last one too";
  EXPECT_EQ(read("\n\ndog\n")[2], "dog");
}

TEST_F(NamesFileTest, WhatIsAroundANameIsNoPartOfIt) {
  const ClassNames names = read(
      "\xEF\xBB\xBF person \r\n\tbus stop\t\r\n \r\nstra\xC3\x9F"
      "e\r");
  ASSERT_EQ(names.size(), 4U);
  EXPECT_EQ(names[0], "person");
  EXPECT_EQ(names[1], "bus stop");
  EXPECT_EQ(names[2], "");
  EXPECT_EQ(names[3],
            "stra\xC3\x9F"
            "e");
}

TEST_F(NamesFileTest, ItsLimitsAreThoseThatAreStated) {
  const std::string longest(ClassNames::kLongestInFile, 'x');
  EXPECT_EQ(read("a\n" + longest)[1], longest);
  expect_refused("a\n" + longest + "x", "line 2 has 257 bytes");
  std::string most;
  for (std::size_t i = 0; i < ClassNames::kMostInFile; ++i) most += "n\n";
  EXPECT_EQ(read(most).size(), ClassNames::kMostInFile);
  expect_refused(most + "n", "more than 65536 lines");
  expect_refused(std::string(std::size_t{20} << 20, 'n'), "expected a text file");
}

TEST_F(NamesFileTest, WhatIsNoListOfNamesIsRefused) {
  expect_refused("", "no name in it");
  expect_refused("\n \n\r\n", "no name in it");
  expect_refused("person\n\x89PNG\x1A", "line 2 holds a control character");
  expect_refused(std::string("a\0b", 3), "line 1 holds a control character");
  expect_refused("a\tb", "line 1 holds a control character");
  EXPECT_EQ(test::error_of([&] { (void)ClassNames::read(folder_.path() / "none.txt"); }).code(), ErrorCode::kNotFound);
  EXPECT_EQ(test::error_of([&] { (void)ClassNames::read(folder_.path()); }).code(), ErrorCode::kIo);
}

TEST(ClassNamesTest, NamesAreIndexedById) {
  const ClassNames names({"face", "", "hand"});
  EXPECT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0], "face");
  EXPECT_EQ(names[1], "");
  EXPECT_EQ(names[2], "hand");
}

TEST(ClassNamesTest, IdsWithoutNameAreEmpty) {
  const ClassNames names({"face"});
  EXPECT_EQ(names[-1], "");
  EXPECT_EQ(names[1], "");
  EXPECT_EQ(ClassNames()[0], "");
}

TEST(ClassNamesTest, Coco80IsDense) {
  const ClassNames names = ClassNames::coco80();
  ASSERT_EQ(names.size(), 80U);
  EXPECT_EQ(names[0], "person");
  EXPECT_EQ(names[24], "backpack");
  EXPECT_EQ(names[63], "laptop");
  EXPECT_EQ(names[79], "toothbrush");
  std::set<std::string_view> distinct;
  for (std::int32_t id = 0; id < 80; ++id) distinct.insert(names[id]);
  EXPECT_EQ(distinct.size(), 80U);
  EXPECT_EQ(distinct.count(""), 0U);
}

TEST(ClassNamesTest, Coco91KeepsTheGapsOfTheCategoryIds) {
  const ClassNames names = ClassNames::coco91();
  ASSERT_EQ(names.size(), 91U);
  EXPECT_EQ(names[1], "person");
  EXPECT_EQ(names[73], "laptop");  // Read as an index into 80 names this id would be a refrigerator.
  EXPECT_EQ(names[90], "toothbrush");
  for (const std::int32_t gap : {0, 12, 26, 29, 30, 45, 66, 68, 69, 71, 83}) EXPECT_EQ(names[gap], "") << gap;
}

TEST(ClassNamesTest, BothCocoTablesHaveTheSameNamesInTheSameOrder) {
  const ClassNames dense = ClassNames::coco80();
  const ClassNames sparse = ClassNames::coco91();
  std::int32_t next = 0;
  for (std::int32_t id = 0; id < 91; ++id) {
    if (sparse[id].empty()) continue;
    EXPECT_EQ(sparse[id], dense[next++]);
  }
  EXPECT_EQ(next, 80);
}

}  // namespace
}  // namespace vrt
