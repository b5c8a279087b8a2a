// Internal (not installed): networks, streams and slots of a run: everything that is allocated once so that frames cost no
// allocation.
//
// A lane is a stream with a payload of its own for each network of the run: all of a frame's networks are enqueued on it, one behind
// the other, and waited for once. On the CPU several lanes share each compiled network, each with its share of the
// threads: two frames at once on one thread each are done sooner than one after the other on two. A GPU needs one lane.
// Frames go to the lanes in turn, so that waiting for them in the order of submission gives them in their own order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
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
#include "vrt/pipeline/bounded_queue.h"
#include "vrt/pipeline/families/family.h"
#include "vrt/pipeline/families/frame_model.h"
#include "vrt/pipeline/model_choice.h"

namespace vrt {

struct Lane;

/// The work of a frame as one launch: captured for one slot and one size of picture.
struct CapturedFrame {
  Graph graph;
  std::vector<std::vector<GraphNode>>
      inputs;  ///< Of each network: what reads the picture, whose address changes from frame to frame.
  Size picture;
};

/// One frame on its way: its memory, its results, its event. Used again only when the one who consumes results is through.
struct Slot {
  Slot(Lane& owner, Device device) : lane(&owner), done(device) {}

  Lane* lane;
  std::vector<std::unique_ptr<FrameResult>> results;  ///< One for each network, in their order.
  Size picture;                                       ///< That the results were allocated for.
  Event done;
  std::optional<Frame> frame;
  std::optional<CapturedFrame> captured;  ///< On a GPU, from the slot's first frame on.
};

/// A network of a run.
struct PoolModel {
  const ModelFamily* family = nullptr;
  std::filesystem::path file;
  Size input = {};                       ///< Of the network, whatever the pictures' size; empty: as the family has it.
  std::optional<ClassNames> names = {};  ///< As FrameModelOptions::names, instead of that.
};

/// Tells the family of each whose family is not given, and reads the files of class names. Throws as recognise_family, find_family and
/// ClassNames::read, and kInvalidArgument for names of a family without classes.
[[nodiscard]] VRT_API std::vector<PoolModel> choose_models(const std::vector<ModelChoice>& choices);

/// A stream, its payloads for pictures of one size, and the slots that are free to be submitted to it.
struct Lane {
  /// `boxes_from[i]` is the position of the network whose boxes network i looks at, nothing if it looks at pictures.
  Lane(const Stream& stream, const std::vector<std::optional<std::size_t>>& boxes_from, std::size_t slot_count);

  /// Enqueues all networks on `image` and the slot's event. Does not wait. Allocates nothing but, with a slot's first frame and the
  /// first of another size, results that have the picture's size and, on a GPU, what captures the work. `image` stays in place until then.
  void submit(Slot& slot, const ImageView& image);
  /// Gives a slot back, from any thread: the results have been used.
  void release(Slot& slot);
  /// Enqueues all networks alone. The slot's results have to be of the picture's size.
  void enqueue(Slot& slot, const ImageView& image) const;
  /// Allocates what is missing of a free slot's results, or has another picture's size.
  void allocate_results(Slot& slot, Size picture) const;

  Stream stream;
  std::vector<FrameModel*> models;  ///< For the pictures that are submitted next; ModelPool owns them.
  std::vector<std::unique_ptr<Slot>> slots;
  BoundedQueue<Slot*> free;

 private:
  [[nodiscard]] const FrameResult* boxes_for(const Slot& slot, std::size_t model) const;
  void launch_captured(Slot& slot, const ImageView& image);
  void capture(Slot& slot, const ImageView& image);

  std::vector<std::optional<std::size_t>> boxes_from_;
  bool is_capturable_ = true;
  /// A frame that is given back records an event on the stream. Not while another thread captures it: a capture takes in what any thread
  /// enqueues.
  std::mutex capturing_;
};

struct ModelPoolOptions {
  std::vector<PoolModel> models;  ///< At least one.
  Device device;
  std::string engine = "auto";
  FrameModelOptions wanted = {};
  std::size_t lanes = 1;
  std::size_t slots_per_lane = 4;
  Precision precision = Precision::kFloat32;
  double largest_difference = AccuracyOptions{}.largest_difference;  ///< With kFloat16: as AccuracyOptions.
  const std::atomic<bool>* stop = nullptr;  ///< Ends a network's compilation, which then throws kCancelled.
  std::function<void(const BuildProgress&)> building = {};  ///< Told how one goes, from any thread.
  /// Where networks of less than float32 have their samples from, if this is a video: frames of its beginning. Else they have noise.
  std::string source = {};
};

/// The networks of a run for each picture size that it needs: a video has one, a folder of mixed pictures a few. Used from
/// the submitting thread, but for Lane::release.
class VRT_API ModelPool {
 public:
  /// The input sizes of a network that are kept at once; more are rare, and each holds its own network and activations.
  static constexpr std::size_t kMaxSizes = 4;

  /// Throws kInvalidArgument for no lane, no slot, no network, or one that looks at boxes before any that gives some.
  explicit ModelPool(ModelPoolOptions options);
  /// Waits for what is still running: slots are memory that it writes to.
  ~ModelPool();
  ModelPool(const ModelPool&) = delete;
  ModelPool& operator=(const ModelPool&) = delete;

  [[nodiscard]] std::size_t lane_count() const noexcept { return lanes_.size(); }
  [[nodiscard]] const Stream& stream(std::size_t lane) const { return lanes_[lane]->stream; }
  /// The position of the network whose boxes network `model` looks at.
  [[nodiscard]] std::optional<std::size_t> boxes_from(std::size_t model) const { return boxes_from_[model]; }

  /// True if pictures of this size need a network that is not open, and another has to be given up for it. Then everything that
  /// was submitted must be waited for before `lane_for` is called. Results that are still read stay as they are.
  [[nodiscard]] bool must_drain_for(Size picture) const;
  /// The lane of that number, set up for pictures of this size. BLOCKS while networks are compiled that are not open yet.
  [[nodiscard]] Lane& lane_for(Size picture, std::size_t lane);
  /// Allocates the results of all slots, which else each gets with its first frame, so that no frame of that size allocates. Behind
  /// `lane_for` for such pictures. Throws kInvalidArgument for a size that results cannot have.
  void fill_slots(Size picture);
  /// Throws kInvalidArgument if a network has no input for pictures of that size. Allocates nothing.
  void require_inputs_for(Size picture) const;
  /// The network at position `model`, for the pictures that were asked for last. Throws kInternal before `lane_for`.
  [[nodiscard]] const Engine& engine(std::size_t model) const;

 private:
  /// A network for one input size, and its payload of each lane.
  struct Opened {
    Size input;
    Engine engine;
    std::vector<std::unique_ptr<FrameModel>> payloads;
  };
  using OpenedSizes = std::list<Opened>;  ///< Used last first.

  [[nodiscard]] Size input_of(std::size_t model, Size picture) const;
  [[nodiscard]] bool is_open(std::size_t model, Size input) const;
  void use(std::size_t model, Size input);
  [[nodiscard]] Opened open(std::size_t model, Size input) const;
  [[nodiscard]] EngineOptions engine_options(const PoolModel& model, Size input) const;
  [[nodiscard]] std::vector<SampleInputs> samples_for(const PoolModel& model, Size input) const;
  void drop_oldest(OpenedSizes& sizes);

  ModelPoolOptions options_;
  std::vector<std::optional<std::size_t>> boxes_from_;
  std::vector<OpenedSizes>
      opened_;  ///< Of each network. Before the lanes: their slots' graphs use sessions, and have to go first.
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace vrt
