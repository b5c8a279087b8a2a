#include "vrt/scene/class_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "vrt/base/fail.h"
#include "vrt/base/read_file.h"

namespace vrt {
namespace {

struct CocoCategory {
  std::int32_t id;
  std::string_view name;
};

// The 80 categories of the COCO detection task with the ids of its annotation files. Those ids run to 90 because eleven
// categories of the first collection were left out (12, 26, 29, 30, 45, 66, 68, 69, 71, 83 and 91).
constexpr std::array<CocoCategory, 80> kCoco{{
    {1, "person"},         {2, "bicycle"},       {3, "car"},
    {4, "motorcycle"},     {5, "airplane"},      {6, "bus"},
    {7, "train"},          {8, "truck"},         {9, "boat"},
    {10, "traffic light"}, {11, "fire hydrant"}, {13, "stop sign"},
    {14, "parking meter"}, {15, "bench"},        {16, "bird"},
    {17, "cat"},           {18, "dog"},          {19, "horse"},
    {20, "sheep"},         {21, "cow"},          {22, "elephant"},
    {23, "bear"},          {24, "zebra"},        {25, "giraffe"},
    {27, "backpack"},      {28, "umbrella"},     {31, "handbag"},
    {32, "tie"},           {33, "suitcase"},     {34, "frisbee"},
    {35, "skis"},          {36, "snowboard"},    {37, "sports ball"},
    {38, "kite"},          {39, "baseball bat"}, {40, "baseball glove"},
    {41, "skateboard"},    {42, "surfboard"},    {43, "tennis racket"},
    {44, "bottle"},        {46, "wine glass"},   {47, "cup"},
    {48, "fork"},          {49, "knife"},        {50, "spoon"},
    {51, "bowl"},          {52, "banana"},       {53, "apple"},
    {54, "sandwich"},      {55, "orange"},       {56, "broccoli"},
    {57, "carrot"},        {58, "hot dog"},      {59, "pizza"},
    {60, "donut"},         {61, "cake"},         {62, "chair"},
    {63, "couch"},         {64, "potted plant"}, {65, "bed"},
    {67, "dining table"},  {70, "toilet"},       {72, "tv"},
    {73, "laptop"},        {74, "mouse"},        {75, "remote"},
    {76, "keyboard"},      {77, "cell phone"},   {78, "microwave"},
    {79, "oven"},          {80, "toaster"},      {81, "sink"},
    {82, "refrigerator"},  {84, "book"},         {85, "clock"},
    {86, "vase"},          {87, "scissors"},     {88, "teddy bear"},
    {89, "hair drier"},    {90, "toothbrush"},
}};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// All of a file, or an error before more of it is read than names could fill.
std::string read_bounded(const std::filesystem::path& path) {
  constexpr std::size_t kMostBytes = ClassNames::kMostInFile * (ClassNames::kLongestInFile + 2);
  std::string text;
  const bool is_there = detail::for_each_part(path, [&](std::span<const std::byte> part) {
    text.append(reinterpret_cast<const char*>(part.data()), part.size());
    if (text.size() > kMostBytes)
      fail(ErrorCode::kCorrupt, "{}: expected a text file with a class's name in each line, found more than {} bytes",
           path.string(), kMostBytes);
  });
  if (!is_there) fail(ErrorCode::kNotFound, "{}: there is no such file of class names", path.string());
  return text;
}

std::string_view without_surroundings(std::string_view line) {
  constexpr std::string_view kAround = " \t\r";
  const std::size_t first = line.find_first_not_of(kAround);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kAround) - first + 1);
}

bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; }

std::string name_in(std::string_view line, const std::filesystem::path& path, std::size_t number) {
  const std::string_view name = without_surroundings(line);
  if (name.size() > ClassNames::kLongestInFile)
    fail(ErrorCode::kCorrupt, "{}: line {} has {} bytes; a class's name has {} at most, and a line holds one",
         path.string(), number, name.size(), ClassNames::kLongestInFile);
  if (std::ranges::any_of(name, is_control))
    fail(ErrorCode::kCorrupt,
         "{}: line {} holds a control character; expected a text file with a class's name in each line", path.string(),
         number);
  return std::string(name);
}

}  // namespace

ClassNames ClassNames::coco80() {
  std::vector<std::string> names;
  names.reserve(kCoco.size());
  for (const CocoCategory& category : kCoco) names.emplace_back(category.name);
  return ClassNames(std::move(names));
}

ClassNames ClassNames::coco91() {
  std::vector<std::string> names(static_cast<std::size_t>(kCoco.back().id) + 1);
  for (const CocoCategory& category : kCoco) names[static_cast<std::size_t>(category.id)] = category.name;
  return ClassNames(std::move(names));
}

ClassNames ClassNames::read(const std::filesystem::path& path) {
  const std::string text = read_bounded(path);
  std::string_view rest = text;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> names;
  while (!rest.empty()) {
    if (names.size() == kMostInFile)
      fail(ErrorCode::kCorrupt, "{}: more than {} lines, and each is a class's name", path.string(), kMostInFile);
    const std::size_t end = rest.find('\n');
    names.push_back(name_in(rest.substr(0, end), path, names.size() + 1));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (std::ranges::all_of(names, &std::string::empty))
    fail(ErrorCode::kCorrupt, "{}: no name in it; expected a class's name in each line", path.string());
  return ClassNames(std::move(names));
}

std::string_view ClassNames::operator[](std::int32_t class_id) const noexcept {
  if (class_id < 0 || static_cast<std::size_t>(class_id) >= by_id_.size()) return {};
  return by_id_[static_cast<std::size_t>(class_id)];
}

}  // namespace vrt
