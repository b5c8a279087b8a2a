// What the tests of backends share: made inputs of a session, its outputs, and what must come out as it went in.
#pragma once

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "vrt/device/memory.h"
#include "vrt/engine/engine.h"

namespace vrt::testing {

/// Element i of the first input is ((i + offset) * 7919) % 256, as in tools/golden/centerface.py.
inline void fill_with_pattern(const Session& session, std::size_t offset = 0) {
  const auto input = session.input(0).as<float>();
  std::vector<float> values(input.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(((i + offset) * 7919) % 256);
  upload_blocking<float>(session.stream(), values, input);
}

/// All outputs, one behind the other.
inline std::vector<float> outputs_of(const Session& session) {
  std::vector<float> all;
  for (std::size_t i = 0; i < session.engine().outputs().size(); ++i) {
    const auto values = read_back_blocking(session.stream(), session.output(i).as<float>());
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

/// What goes in comes out, bit by bit.
template <typename T>
void expect_identity(const Engine& engine, DType type, const std::vector<T>& values) {
  const Stream stream(Device::cpu());
  Session session(engine, stream);
  ASSERT_EQ(session.input(0).type(), type);
  ASSERT_EQ(session.output(0).type(), type);
  upload_blocking<T>(stream, values, session.input(0).as<T>());
  session.submit();
  EXPECT_EQ(read_back_blocking(stream, session.output(0).as<T>()), values);
}

}  // namespace vrt::testing
