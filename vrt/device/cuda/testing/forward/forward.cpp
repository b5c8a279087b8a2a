// A libcuda.so.1 that notes every call of every library in the process, in order, and goes on to the real one.
//
// It stands first in LD_LIBRARY_PATH, so that whoever opens or is linked with libcuda.so.1 gets it. VRT_FORWARD_TO is the path of the
// real one; tools/driver_calls.py sets both. With VRT_FORWARD_LOG=FILE each process writes its calls there when it ends, "%p" in the
// name standing for its id: one "sequence thread name" a line. What a library does behind cuGetExportTable is not seen, nor calls
// after this library's own end, nor those of a process that ends by a signal or _exit.
#include "vrt/device/cuda/testing/forward/forward.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "vrt/device/cuda/testing/forward/thunks.h"

extern "C" int cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t flags);
extern "C" int cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags, int* status);

namespace vrt::cuda::forward {

namespace {

using Result = int;
constexpr Result kErrorSharedObjectInitFailed = 303;
constexpr Result kErrorNotFound = 500;

constexpr std::uint64_t kRecordCapacity = std::uint64_t{1} << 26U;
// A recorded call: the caller's id and the function's number plus one, so that 0 is a call still being written.
using Record = std::atomic<std::uint64_t>;

struct Library {
  std::string problem;
  std::array<std::atomic<void*>, kThunkCount> targets{};
  std::array<std::atomic<const char*>, kThunkCount> names{};
  std::mutex unnamed_mutex;  // Guards the next number.
  std::size_t next_unnamed = 0;
  std::atomic<std::uint64_t> count{0};
  Record* records = nullptr;
  int process = 0;
};

// Never destroyed: libraries call the driver until the very end of the process.
Library& library() {
  static auto* const instance = new Library();
  return *instance;
}

// Where a call goes that has no function behind it. The reason is said once: callers tend to keep it to themselves.
Result answer_not_loaded() {
  static std::once_flag said;
  std::call_once(said, [] { std::fprintf(stderr, "vrt's forwarding CUDA driver: %s\n", library().problem.c_str()); });
  return kErrorSharedObjectInitFailed;
}
Result answer_not_found() { return kErrorNotFound; }

void note(std::size_t index) noexcept {
  static thread_local const auto thread = static_cast<std::uint64_t>(syscall(SYS_gettid));
  Library& lib = library();
  const std::uint64_t sequence = lib.count.fetch_add(1, std::memory_order_relaxed);
  if (sequence < kRecordCapacity) lib.records[sequence].store(thread << 32U | (index + 1), std::memory_order_release);
}

// Room for the record is address space only until it is written. Without it the process could count nothing: give up.
Record* reserve_record() {
  void* const memory = mmap(nullptr, kRecordCapacity * sizeof(Record), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("vrt's forwarding CUDA driver cannot reserve its record");
    std::abort();
  }
  return static_cast<Record*>(memory);
}

// Takes an exported name back, so that dlsym does not find what the real driver lacks. `address` is what it stands for.
void withdraw(void* address) {
  Dl_info info{};
  const ElfW(Sym)* found = nullptr;
  if (dladdr1(address, &info, const_cast<void**>(reinterpret_cast<const void**>(&found)), RTLD_DL_SYMENT) == 0) return;
  if (found == nullptr || info.dli_saddr != address) return;
  auto* const symbol = const_cast<ElfW(Sym)*>(found);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(symbol) / page * page;
  const std::size_t bytes = reinterpret_cast<std::uintptr_t>(symbol + 1) - begin;
  if (mprotect(reinterpret_cast<void*>(begin), bytes, PROT_READ | PROT_WRITE) != 0) return;
  symbol->st_shndx = SHN_UNDEF;
  symbol->st_value = 0;
  mprotect(reinterpret_cast<void*>(begin), bytes, PROT_READ);
}

// The exported function number `index`: the two wrapped ones have code of their own.
void* own_address(std::size_t index) {
  if (index == kKnownCount - 2) return reinterpret_cast<void*>(cuGetProcAddress);
  if (index == kKnownCount - 1) return reinterpret_cast<void*>(cuGetProcAddress_v2);
  return thunk(index);
}

std::size_t number_of(const char* name) {
  std::size_t index = 0;
  while (index < kKnownCount && std::strcmp(kKnownNames[index], name) != 0) ++index;
  return index;
}

// The thunk for a function that the real driver has, whatever it was asked for as; the function itself if all are taken.
void* wrapped(void* address, const char* asked_for) {
  Dl_info info{};
  if (dladdr(address, &info) != 0 && info.dli_sname != nullptr && info.dli_saddr == address) {
    if (const std::size_t index = number_of(info.dli_sname); index < kKnownCount) return own_address(index);
    asked_for = info.dli_sname;
  }
  Library& lib = library();
  const std::lock_guard lock(lib.unnamed_mutex);
  for (std::size_t index = kKnownCount; index < lib.next_unnamed; ++index)
    if (lib.targets[index] == address) return thunk(index);
  if (lib.next_unnamed == kThunkCount) {
    std::fprintf(stderr, "vrt's forwarding CUDA driver has no thunk left: calls of %s are not counted\n", asked_for);
    return address;
  }
  lib.targets[lib.next_unnamed] = address;
  lib.names[lib.next_unnamed] = strdup(asked_for);
  return thunk(lib.next_unnamed++);
}

// Fills the table; returns why nothing can be forwarded, empty if all is well.
std::string load() {
  Library& lib = library();
  for (auto& target : lib.targets) target = reinterpret_cast<void*>(answer_not_loaded);
  const char* const path = std::getenv("VRT_FORWARD_TO");
  if (path == nullptr || *path == '\0')
    return "VRT_FORWARD_TO is not set; set it to the path of the real libcuda.so.1, as tools/driver_calls.py does";
  void* const real = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (real == nullptr) {
    const char* const reason = dlerror();
    return std::string("cannot load the driver that VRT_FORWARD_TO names: ") + (reason == nullptr ? path : reason);
  }
  for (std::size_t index = 0; index < kKnownCount; ++index) {
    void* const target = dlsym(real, kKnownNames[index]);
    lib.targets[index] = target == nullptr ? reinterpret_cast<void*>(answer_not_found) : target;
    if (target == nullptr) withdraw(own_address(index));
  }
  return {};
}

void write_log(std::FILE* file) {
  for (std::uint64_t i = 0; i < vrt_forward_count(); ++i) {
    int thread = 0;
    const char* const name = vrt_forward_call(i, &thread);
    if (name == nullptr) break;
    std::fprintf(file, "%llu %d %s\n", static_cast<unsigned long long>(i), thread, name);
  }
}

[[gnu::constructor]] void begin() {
  Library& lib = library();
  lib.process = getpid();
  lib.records = reserve_record();
  for (std::size_t index = 0; index < kKnownCount; ++index) lib.names[index] = kKnownNames[index];
  lib.next_unnamed = kKnownCount;
  lib.problem = load();
}

// A child made by fork alone has its parent's record: the parent writes it.
[[gnu::destructor]] void end() {
  const char* const pattern = std::getenv("VRT_FORWARD_LOG");
  if (pattern == nullptr || *pattern == '\0' || getpid() != library().process) return;
  std::string path = pattern;
  if (const std::size_t at = path.find("%p"); at != std::string::npos) path.replace(at, 2, std::to_string(getpid()));
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return std::perror(("vrt's forwarding CUDA driver cannot write " + path).c_str());
  write_log(file);
  if (std::fclose(file) != 0) std::perror(path.c_str());
}

}  // namespace

void* vrt_forward_enter(std::uint64_t index) noexcept {
  note(index);
  return library().targets[index].load(std::memory_order_relaxed);
}

}  // namespace vrt::cuda::forward

using namespace vrt::cuda::forward;

extern "C" {

const char* vrt_forward_problem() { return library().problem.empty() ? nullptr : library().problem.c_str(); }
void vrt_forward_reset() {
  const std::uint64_t used = std::min(library().count.exchange(0), kRecordCapacity);
  for (std::uint64_t i = 0; i < used; ++i) library().records[i].store(0, std::memory_order_relaxed);
}
std::uint64_t vrt_forward_count() { return library().count.load(); }
std::uint64_t vrt_forward_unrecorded() {
  return vrt_forward_count() > kRecordCapacity ? vrt_forward_count() - kRecordCapacity : 0;
}
const char* vrt_forward_call(std::uint64_t sequence, int* thread) {
  if (sequence >= vrt_forward_count() || sequence >= kRecordCapacity) return nullptr;
  std::uint64_t record = 0;
  while ((record = library().records[sequence].load(std::memory_order_acquire)) == 0) sched_yield();
  if (thread != nullptr) *thread = static_cast<int>(record >> 32U);
  return library().names[(record & 0xFFFFFFFFU) - 1].load();
}

// The wrapped functions: what they find is handed out as a thunk, so that calls through it are noted too.
int cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t flags) {
  auto* const real = reinterpret_cast<decltype(cuGetProcAddress)*>(vrt_forward_enter(kKnownCount - 2));
  const int result = real(symbol, function, version, flags);
  if (result == 0 && function != nullptr && *function != nullptr) *function = wrapped(*function, symbol);
  return result;
}
int cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags, int* status) {
  auto* const real = reinterpret_cast<decltype(cuGetProcAddress_v2)*>(vrt_forward_enter(kKnownCount - 1));
  const int result = real(symbol, function, version, flags, status);
  if (result == 0 && function != nullptr && *function != nullptr) *function = wrapped(*function, symbol);
  return result;
}

}  // extern "C"
