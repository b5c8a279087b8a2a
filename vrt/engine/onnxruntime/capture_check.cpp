#include "vrt/engine/onnxruntime/capture_check.h"

#include <dlfcn.h>

#include <algorithm>
#include <vector>

namespace vrt::onnxruntime {
namespace {

// The CUDA driver's own interface (cuda.h); it is loaded where there is a native stream at all.
using Node = void*;
using Graph = void*;
constexpr int kSuccess = 0;
constexpr int kCaptureActive = 1;
constexpr int kHostNode = 3;

struct Driver {
  int (*capture_info)(void* stream, int* status, unsigned long long* id, Graph*, const Node** dependencies,
                      std::size_t* dependency_count) = nullptr;
  int (*nodes)(Graph, Node*, std::size_t* count) = nullptr;
  int (*type)(Node, int* type) = nullptr;

  [[nodiscard]] bool is_whole() const { return capture_info != nullptr && nodes != nullptr && type != nullptr; }
};

Driver open_driver() {
  Driver driver;
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return driver;
  driver.capture_info = reinterpret_cast<decltype(driver.capture_info)>(dlsym(library, "cuStreamGetCaptureInfo_v2"));
  driver.nodes = reinterpret_cast<decltype(driver.nodes)>(dlsym(library, "cuGraphGetNodes"));
  driver.type = reinterpret_cast<decltype(driver.type)>(dlsym(library, "cuGraphNodeGetType"));
  return driver;
}

bool is_host_function(const Driver& driver, Node node) {
  int type = -1;
  return driver.type(node, &type) == kSuccess && type == kHostNode;
}

const Driver& driver_in_use() {
  static const Driver driver = open_driver();
  return driver;
}

/// The graph that the stream is being captured into; nullptr where it is not.
Graph graph_of(void* native_stream) {
  const Driver& driver = driver_in_use();
  int status = 0;
  Graph graph = nullptr;
  if (!driver.is_whole()) return nullptr;
  const int asked = driver.capture_info(native_stream, &status, nullptr, &graph, nullptr, nullptr);
  return asked == kSuccess && status == kCaptureActive ? graph : nullptr;
}

}  // namespace

bool is_captured(void* native_stream) { return graph_of(native_stream) != nullptr; }

std::size_t host_functions_captured(void* native_stream) {
  const Driver& driver = driver_in_use();
  const Graph graph = graph_of(native_stream);
  std::size_t count = 0;
  if (graph == nullptr || driver.nodes(graph, nullptr, &count) != kSuccess) return 0;
  std::vector<Node> nodes(count);
  if (driver.nodes(graph, nodes.data(), &count) != kSuccess) return 0;
  return static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(), [&](Node node) { return is_host_function(driver, node); }));
}

}  // namespace vrt::onnxruntime
