#include "vrt/models/common/picture_input.h"

#include "vrt/base/fail.h"

namespace vrt {

ResizeMapping PictureInput::submit(const ImageView& image) {
  const ResizeMapping mapping = preprocessor_.submit(image, input_);
  if (Graph::is_capturing(stream_)) node_ = Graph::last_node(stream_);
  return mapping;
}

GraphNode PictureInput::node() const {
  require(node_.has_value(), "no submit of this payload was captured");
  return *node_;
}

void PictureInput::update(Graph& graph, GraphNode node, const ImageView& image) {
  preprocessor_.update(graph, node, image, input_);
}

}  // namespace vrt
