#include "vrt/device/cuda/build_id.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "vrt/base/fail.h"

namespace vrt::cuda {

namespace {

namespace fs = std::filesystem;

// More than any linker writes; keeps a damaged file from being read whole.
constexpr std::uint64_t kMostHeaders = 1024;
constexpr std::uint64_t kMostNoteBytes = 64 * 1024;

template <typename T>
std::optional<std::vector<T>> read_at(std::ifstream& file, std::uint64_t offset, std::uint64_t count) {
  std::vector<T> items(count);
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(items.data()), static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) return std::nullopt;
  return items;
}

std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

std::string hexadecimal(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

// A segment of notes: headers, each followed by its owner's name and its content.
std::optional<std::string> build_id_in(std::string_view notes) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note{};
    std::memcpy(&note, notes.data(), sizeof(note));
    notes.remove_prefix(sizeof(note));
    const std::size_t name_bytes = padded(note.n_namesz);
    const std::size_t whole = name_bytes + padded(note.n_descsz);
    if (name_bytes > notes.size() || note.n_descsz > notes.size() - name_bytes) return std::nullopt;
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(0, note.n_namesz) == std::string_view("GNU\0", 4)) {
      return hexadecimal(notes.substr(name_bytes, note.n_descsz));
    }
    notes.remove_prefix(std::min(whole, notes.size()));
  }
  return std::nullopt;
}

std::optional<std::string> build_id_in_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const auto header = read_at<Elf64_Ehdr>(file, 0, 1);
  if (!header || std::memcmp((*header)[0].e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  const Elf64_Ehdr& elf = (*header)[0];
  if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phentsize != sizeof(Elf64_Phdr) || elf.e_phnum > kMostHeaders) {
    return std::nullopt;
  }
  const auto segments = read_at<Elf64_Phdr>(file, elf.e_phoff, elf.e_phnum);
  if (!segments) return std::nullopt;
  for (const Elf64_Phdr& segment : *segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNoteBytes) continue;
    const auto notes = read_at<char>(file, segment.p_offset, segment.p_filesz);
    if (!notes) continue;
    if (auto found = build_id_in({notes->data(), notes->size()})) return found;
  }
  return std::nullopt;
}

}  // namespace

std::string build_id_of(const fs::path& library) {
  if (auto found = build_id_in_file(library)) return *found;
  std::error_code ignored;
  const fs::path real = fs::canonical(library, ignored);
  const auto changed = fs::last_write_time(real, ignored).time_since_epoch().count();
  return fmt::format("{} {} {}", real.filename().string(), fs::file_size(real, ignored), changed);
}

}  // namespace vrt::cuda
