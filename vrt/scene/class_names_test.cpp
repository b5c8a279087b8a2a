#include "vrt/scene/class_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace vrt {
namespace {

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
