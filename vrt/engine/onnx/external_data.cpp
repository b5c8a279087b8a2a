#include "vrt/engine/onnx/external_data.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <system_error>

#include "vrt/base/fail.h"
#include "vrt/engine/onnx/tensor.h"
#include "vrt/engine/onnx/utf8.h"

namespace vrt::onnx {
namespace {

namespace fs = std::filesystem;

/// Where a tensor's bytes are in its file.
struct Place {
  fs::path file;
  std::int64_t offset = 0;
  std::int64_t length = -1;  ///< -1: not given.
};

bool is_external(const Tensor& tensor) { return tensor.data_location() == Tensor::EXTERNAL; }

std::int64_t parse_count(const Tensor& tensor, const std::string& key, const std::string& text) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    fail(ErrorCode::kCorrupt, "the external data of tensor '{}' has the {} '{}': expected a count of bytes",
         tensor.name(), key, text);
  }
  return value;
}

fs::path resolve(const Tensor& tensor, const std::string& location, const fs::path& folder) {
  const fs::path relative(location);
  const bool climbs = std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (location.empty() || relative.is_absolute() || climbs) {
    fail(ErrorCode::kCorrupt,
         "the external data of tensor '{}' is said to be in '{}': expected a file in the model's folder", tensor.name(),
         location);
  }
  return folder / relative;
}

Place place_of(const Tensor& tensor, const fs::path& folder) {
  Place place;
  for (const auto& entry : tensor.external_data()) {
    if (!is_utf8(entry.value())) {
      fail(ErrorCode::kCorrupt, "where the external data of tensor '{}' is, is not UTF-8 text", tensor.name());
    }
    if (entry.key() == "location") place.file = resolve(tensor, entry.value(), folder);
    if (entry.key() == "offset") place.offset = parse_count(tensor, "offset", entry.value());
    if (entry.key() == "length") place.length = parse_count(tensor, "length", entry.value());
  }
  if (place.file.empty()) {
    fail(ErrorCode::kCorrupt, "tensor '{}' is in external data, but it is not said in which file", tensor.name());
  }
  return place;
}

void check_place(const Tensor& tensor, const Place& place, std::int64_t needed) {
  std::error_code error;
  if (!fs::is_regular_file(place.file, error)) {
    fail(ErrorCode::kNotFound, "the external data of tensor '{}' is missing: there is no file '{}'", tensor.name(),
         place.file.string());
  }
  const auto size = static_cast<std::int64_t>(fs::file_size(place.file));
  if (place.length >= 0 && place.length != needed) {
    fail(ErrorCode::kCorrupt, "the external data of tensor '{}' has {} bytes, its extents say {}", tensor.name(),
         place.length, needed);
  }
  if (place.offset > size || needed > size - place.offset) {
    fail(ErrorCode::kCorrupt,
         "the external data of tensor '{}' is said to be at {} with {} bytes, but '{}' has only {}", tensor.name(),
         place.offset, needed, place.file.string(), size);
  }
}

/// Counts what is loaded. Tensors may share bytes, but a small model that names a large file over and over would fill the
/// memory.
class Budget {
 public:
  void spend(const Place& place, std::int64_t bytes) {
    if (files_.insert(place.file).second) allowed_ += 2 * static_cast<std::int64_t>(fs::file_size(place.file));
    spent_ += bytes;
    if (spent_ <= allowed_) return;
    fail(ErrorCode::kCorrupt, "the tensors in external data hold more than twice what its files do");
  }

 private:
  std::set<fs::path> files_;
  std::int64_t allowed_ = 0;
  std::int64_t spent_ = 0;
};

void load(Tensor& tensor, const fs::path& folder, Budget& budget) {
  if (!is_external(tensor)) return;
  if (bits_of(tensor.data_type()) == 0) {
    fail(ErrorCode::kCorrupt, "tensor '{}' of {} cannot be in external data", tensor.name(),
         type_name(tensor.data_type()));
  }
  const Place place = place_of(tensor, folder);
  const std::int64_t needed = packed_bytes(tensor);
  check_place(tensor, place, needed);
  budget.spend(place, needed);
  std::string bytes(static_cast<std::size_t>(needed), '\0');
  std::ifstream file(place.file, std::ios::binary);
  file.seekg(place.offset);
  file.read(bytes.data(), needed);
  if (!file) fail(ErrorCode::kIo, "cannot read {} bytes at {} of '{}'", needed, place.offset, place.file.string());
  tensor.set_raw_data(std::move(bytes));
  tensor.clear_external_data();
  tensor.clear_data_location();
}

}  // namespace

std::vector<fs::path> external_files(Model& model, const fs::path& folder) {
  std::set<fs::path> files;
  for_each_tensor(model, [&](const Tensor& tensor) {
    if (is_external(tensor)) files.insert(place_of(tensor, folder).file);
  });
  return {files.begin(), files.end()};
}

void load_external_data(Model& model, const fs::path& folder) {
  Budget budget;
  for_each_tensor(model, [&](Tensor& tensor) { load(tensor, folder, budget); });
}

}  // namespace vrt::onnx
