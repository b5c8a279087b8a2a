// Internal (not installed): detectors, streams and slots of a run: everything that is allocated once so that frames cost no
// allocation.
//
// A lane is a stream with a detector of its own. On the CPU several lanes share one compiled network, each with its share of the
// threads: two frames at once on one thread each are done sooner than one after the other on two. A GPU needs one lane.
// Frames go to the lanes in turn, so that waiting for them in the order of submission gives them in their own order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/device/event.h"
#include "vrt/device/graph.h"
#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/image/image.h"
#include "vrt/media/source.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/pipeline/bounded_queue.h"

namespace vrt {

struct Lane;

/// The work of a frame as one launch: captured for one slot and one size of picture.
struct CapturedFrame {
  Graph graph;
  GraphNode input;  ///< Reads the picture, whose address changes from frame to frame.
  Size picture;
};

/// One frame on its way: its memory, its results, its event. Used again only when the one who consumes results is through.
struct Slot {
  Slot(Lane& owner, CenterFaceResult&& empty, Device device) : lane(&owner), result(std::move(empty)), done(device) {}

  Lane* lane;
  CenterFaceResult result;
  Event done;
  std::optional<Frame> frame;
  std::optional<CapturedFrame> captured;  ///< On a GPU, from the slot's first frame on.
};

/// A stream's detector for pictures of one input size, and the slots that are free to be submitted to it.
struct Lane {
  Lane(const Engine& engine, const Stream& stream, const CenterFaceOptions& options, std::size_t slot_count);

  /// Enqueues detection on `image` and the slot's event. Does not wait. Allocates nothing but, on a GPU, with a slot's first frame and
  /// the first of another size, when the work is captured. `image` stays in place until then.
  void submit(Slot& slot, const ImageView& image);
  /// Gives a slot back, from any thread: the results have been used.
  void release(Slot& slot) {
    slot.frame.reset();
    free.push(&slot);
  }

  Stream stream;
  CenterFace detector;
  std::vector<std::unique_ptr<Slot>> slots;
  BoundedQueue<Slot*> free;

 private:
  void launch_captured(Slot& slot, const ImageView& image);
  void capture(Slot& slot, const ImageView& image);

  bool is_capturable_ = true;
};

struct DetectorPoolOptions {
  std::filesystem::path model;
  Device device;
  std::string engine = "auto";
  CenterFaceOptions detector;
  std::size_t lanes = 1;
  std::size_t slots_per_lane = 4;
  Precision precision = Precision::kFloat32;
  double largest_difference = AccuracyOptions{}.largest_difference;  ///< With kFloat16: as AccuracyOptions.
  const std::atomic<bool>* stop = nullptr;  ///< Ends a network's compilation, which then throws kCancelled.
};

/// The lanes for each input size that the pictures of a run need: a video has one, a folder of mixed pictures a few. Used from
/// the submitting thread, but for Lane::release.
class VRT_API DetectorPool {
 public:
  /// The input sizes kept at once; more are rare, and each holds its own network and activations.
  static constexpr std::size_t kMaxSizes = 4;

  explicit DetectorPool(DetectorPoolOptions options);
  /// Waits for what is still running: slots are memory that it writes to.
  ~DetectorPool();
  DetectorPool(const DetectorPool&) = delete;
  DetectorPool& operator=(const DetectorPool&) = delete;

  [[nodiscard]] std::size_t lane_count() const noexcept { return streams_.size(); }
  [[nodiscard]] const Stream& stream(std::size_t lane) const { return streams_[lane]; }

  /// True if pictures of this size need a network that is not open, and another has to be given up for it. Then everything that
  /// was submitted must be waited for and handed on before `lane_for` is called, which takes the slots back.
  [[nodiscard]] bool must_drain_for(Size picture) const;
  /// The lane of that number for pictures of this size. BLOCKS while the network is compiled, where it is not open yet.
  [[nodiscard]] Lane& lane_for(Size picture, std::size_t lane);
  /// The network of the size that was used last. Throws kInternal before `lane_for`.
  [[nodiscard]] const Engine& engine() const;
  /// The input size of that network.
  [[nodiscard]] Size input() const;

 private:
  /// All lanes for one input size.
  struct Group {
    Size input;
    Engine engine;
    std::vector<std::unique_ptr<Lane>> lanes;
  };

  [[nodiscard]] Group open(Size input) const;
  void drop_oldest();

  DetectorPoolOptions options_;
  std::vector<Stream> streams_;
  std::list<Group> groups_;  ///< Used last first.
};

}  // namespace vrt
