// The parameters of every kernel, as NVRTC sees them, are those of the C++ signature: count, order, sizes and kinds.
//
// A `Kernel<Signature>` is compared with the build's table of host signatures, by identity of the types, whenever it is got on
// the CPU. Here the table is compared with the PTX. So what C++ passes is what the GPU takes, on drivers too that cannot tell
// (before 12.4).
#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "vrt/device/cuda/nvrtc.h"
#include "vrt/device/kernel.h"
#include "vrt/pipeline/kernel_list.h"

namespace vrt {
namespace {

/// A parameter in PTX's words: "u64", "f32", "b8[36]".
using Parameters = std::vector<std::string>;

// Of each entry, what stands between its parentheses: ".param .u64 name_param_0," or ".param .align 4 .b8 name_param_1[36],".
std::map<std::string, Parameters> entries_of(const std::string& ptx) {
  std::map<std::string, Parameters> entries;
  const std::regex entry(R"(\.entry (\w+)\(([^)]*)\))");
  const std::regex parameter(R"(\.param (?:\.align \d+ )?\.(\w+)(?: \.ptr[^,]*?)? \w+(\[\d+\])?)");
  for (std::sregex_iterator found(ptx.begin(), ptx.end(), entry), end; found != end; ++found) {
    Parameters& parameters = entries[(*found)[1]];
    const std::string list = (*found)[2];
    for (std::sregex_iterator each(list.begin(), list.end(), parameter); each != end; ++each) {
      parameters.push_back((*each)[1].str() + (*each)[2].str());
    }
  }
  return entries;
}

// "void (float const*, int, vrt::Params)" without its frame, one text a parameter.
std::vector<std::string> types_of(const KernelSignature& signature) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(signature.function->name(), nullptr, nullptr, &status), &std::free);
  EXPECT_EQ(status, 0);
  const std::string name(text.get());
  const std::size_t open = name.find('(') + 1;
  std::vector<std::string> types;
  std::string type;
  int depth = 0;
  for (const char c : name.substr(open, name.rfind(')') - open) + ',') {
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c != ',' || depth > 0) {
      if (c != ' ' || !type.empty()) type += c;
    } else {
      types.push_back(std::exchange(type, {}));
    }
  }
  return types;
}

// How CUDA C passes a parameter of that type.
std::string kind_of(const std::string& type, std::uint32_t bytes) {
  static const std::map<std::string, std::string> plain{{"int", "u32"},    {"unsigned int", "u32"},
                                                        {"long", "u64"},   {"float", "f32"},
                                                        {"double", "f64"}, {"unsigned long", "u64"}};
  if (type.back() == '*') return "u64";
  if (const auto known = plain.find(type); known != plain.end()) return known->second;
  return "b8[" + std::to_string(bytes) + "]";
}

Parameters expected_of(const KernelSignature& signature) {
  const auto types = types_of(signature);
  EXPECT_EQ(types.size(), signature.parameter_count);
  Parameters expected;
  for (std::size_t i = 0; i < types.size(); ++i) expected.push_back(kind_of(types[i], signature.parameter_bytes[i]));
  return expected;
}

class PtxParametersTest : public ::testing::TestWithParam<std::tuple<const char*, const KernelSource*>> {};

TEST_P(PtxParametersTest, AreThoseOfTheSignature) {
  const auto& [library, source] = GetParam();
  const cuda::Nvrtc compiler(library);
  // An architecture that no NVRTC knows yet: it gives PTX, whose parameters depend on none.
  constexpr int kOfTheFuture = 9999;
  const auto compiled = compiler.compile(cuda::production_build(source->file, source->text), kOfTheFuture);
  const auto entries = entries_of(compiled.image);
  EXPECT_EQ(entries.size(), source->host_baseline.size());
  for (const HostKernel& kernel : source->host_baseline) {
    const auto entry = entries.find(kernel.name);
    ASSERT_NE(entry, entries.end()) << kernel.name;
    EXPECT_EQ(entry->second, expected_of(kernel.signature())) << kernel.name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, PtxParametersTest,
    ::testing::Combine(::testing::Values(VRT_TEST_NVRTC12, VRT_TEST_NVRTC13),
                       ::testing::ValuesIn(all_kernel_sources())),
    [](const auto& tested) {
      std::string name = "nvrtc_";
      name += std::string(std::get<0>(tested.param)).substr(std::string(std::get<0>(tested.param)).size() - 2);
      name += "_";
      for (const char c : std::get<1>(tested.param)->file) name += c == '/' || c == '.' ? '_' : c;
      return name;
    });

// That the comparison can fail: one parameter of each kind is exchanged.
TEST(PtxParametersSelfTest, OtherSizesKindsAndOrdersAreTold) {
  const auto of = [](const char* list) {
    return entries_of(std::string(".visible .entry k(\n") + list + "\n)\n").at("k");
  };
  EXPECT_EQ(of("\t.param .u64 k_param_0,\n\t.param .f32 k_param_1,\n\t.param .align 4 .b8 k_param_2[12]"),
            (Parameters{"u64", "f32", "b8[12]"}));
  EXPECT_EQ(of("\t.param .u64 .ptr .global .align 1 k_param_0,\n\t.param .u32 k_param_1"), (Parameters{"u64", "u32"}));
  EXPECT_EQ(of(""), Parameters{});
  struct Three {
    float values[3];
  };
  EXPECT_EQ(expected_of(host_signature<const float*, float, Three>()), (Parameters{"u64", "f32", "b8[12]"}));
  EXPECT_EQ(expected_of(host_signature<float, const float*, std::int32_t>()), (Parameters{"f32", "u64", "u32"}));
  EXPECT_EQ(expected_of(host_signature<std::uint64_t, std::uint32_t, double>()), (Parameters{"u64", "u32", "f64"}));
}

}  // namespace
}  // namespace vrt
