# Makes the generated files of one kernel source: see VrtKernels.cmake.
#   cmake -DSOURCE=…/X.cu -DHOST=…/X_host.cpp or empty -DRELATIVE=vrt/…/X.cu -DBASE=<build>/generated/vrt/…/X
#         -DLEVELS=baseline,v3 -P generate_kernel_sources.cmake
cmake_minimum_required(VERSION 3.22)

set(S "[ \t\n]")
set(I "[A-Za-z_][A-Za-z0-9_]*")

function(remove_comments text result)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# In: the text without comments. Out: names of its kernels, and parameters_<name> for each.
function(find_kernels text)
  string(REGEX REPLACE "__launch_bounds__${S}*\\([^)]*\\)" "" text "${text}")
  string(REGEX MATCHALL "extern${S}+\"C\"${S}+__global__${S}+void${S}+${I}${S}*\\([^)]*\\)" heads "${text}")
  string(REGEX MATCHALL "__global__" globals "${text}")
  list(LENGTH heads head_count)
  list(LENGTH globals global_count)
  if(head_count EQUAL 0 OR NOT head_count EQUAL global_count)
    message(FATAL_ERROR "${RELATIVE}: has ${global_count} __global__ and ${head_count} kernels; write every kernel as "
                        "extern \"C\" __global__ void [__launch_bounds__(N)] name(parameters)")
  endif()
  set(names)
  foreach(head IN LISTS heads)
    string(REGEX MATCH "(${I})${S}*\\(([^)]*)\\)$" ignored "${head}")
    list(APPEND names "${CMAKE_MATCH_1}")
    set(parameters_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" PARENT_SCOPE)
  endforeach()
  set(kernel_names "${names}" PARENT_SCOPE)
endfunction()

# Which kernels X_host.cpp defines, and whether the .cu has what only the emulator can run.
function(find_host_versions text)
  set(found)
  if(HOST)
    file(READ "${HOST}" host_text)
    remove_comments("${host_text}" host_text)
    foreach(name IN LISTS kernel_names)
      if(host_text MATCHES "void${S}+${name}${S}*\\(${S}*const${S}+(vrt::)?HostBlocks${S}*&")
        list(APPEND found "${name}")
      endif()
    endforeach()
  endif()
  set(host_names "${found}" PARENT_SCOPE)
  set(thread_names ${kernel_names})
  list(REMOVE_ITEM thread_names ${found} "")
  if(text MATCHES "__syncthreads|__shared__|VRT_DYNAMIC_SHARED|_sync${S}*\\(|__syncwarp" AND thread_names)
    string(REPLACE ";" ", " missing "${thread_names}")
    get_filename_component(host_file "${SOURCE}" NAME_WE)
    message(FATAL_ERROR "${RELATIVE}: uses ${CMAKE_MATCH_0}, so its kernels cannot run on the CPU from the .cu: define "
                        "${missing} in ${host_file}_host.cpp beside it, as void name(const vrt::HostBlocks&, the same "
                        "parameters), or move kernels without barriers to a file of their own")
  endif()
  set(thread_names "${thread_names}" PARENT_SCOPE)
endfunction()

# Takes the region VRT_SHARED_TYPES_BEGIN … _END out of `source_text`: the text after it keeps its line numbers.
function(split_shared_types)
  set(types "")
  string(FIND "${source_text}" "VRT_SHARED_TYPES_BEGIN" begin)
  string(FIND "${source_text}" "VRT_SHARED_TYPES_END" end)
  set(rest "${source_text}")
  if(NOT begin EQUAL -1)
    if(end LESS begin)
      message(FATAL_ERROR "${RELATIVE}: VRT_SHARED_TYPES_BEGIN without a VRT_SHARED_TYPES_END after it")
    endif()
    string(SUBSTRING "${source_text}" 0 ${begin} before)
    math(EXPR length "${end} - ${begin}")
    string(SUBSTRING "${source_text}" ${begin} ${length} region)
    string(SUBSTRING "${source_text}" ${end} -1 after)
    string(REGEX REPLACE "[^\n]" "" lines_before "${before}")
    string(LENGTH "x${lines_before}" line)
    string(REGEX REPLACE "[^\n]" "" blank "${region}")
    string(REPLACE "VRT_SHARED_TYPES_BEGIN" "" region "${region}")
    set(types "#line ${line} \"${SOURCE}\"\n${region}")
    set(rest "${before}${blank}${after}")
  endif()
  set(types_text "${types}" PARENT_SCOPE)
  set(kernel_text "${rest}" PARENT_SCOPE)
endfunction()

# extern "C" __global__ void name(…) becomes <keyword> void vrt_thread_name(<first> …), on the same lines.
function(rewrite_kernels keyword first result)
  string(REGEX REPLACE "__launch_bounds__[ \t]*\\([^)]*\\)" "" text "${kernel_text}")
  string(REGEX REPLACE "extern(${S}+)\"C\"(${S}+)__global__(${S}+)void(${S}+)(${I})(${S}*)\\("
                       "${keyword}\\1\\2\\3void\\4vrt_thread_\\5\\6(${first}" text "${text}")
  string(REGEX REPLACE "VRT_KERNEL_INDICES,(${S}*)\\)" "VRT_KERNEL_INDICES\\1)" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(write_generated file text)
  file(WRITE "${file}" "// Generated from ${RELATIVE}: do not edit.\n${text}")
endfunction()

# The signature of each kernel as the host sees it.
function(type_aliases result)
  set(lines "")
  foreach(name IN LISTS kernel_names)
    string(APPEND lines "using VrtSignature_${name} = void(${parameters_${name}});\n")
  endforeach()
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

function(write_headers)
  write_generated("${BASE}_types.h" "#pragma once

#include \"vrt/device/vector_types.h\"

namespace vrt::kernels::${file_name} {
${types_text}
}  // namespace vrt::kernels::${file_name}
")
  write_generated("${BASE}_cu.h" "#pragma once

#include \"vrt/device/kernel.h\"
#include \"${include_base}_types.h\"

namespace vrt::kernels {
extern const vrt::KernelSource ${file_name}_cu;
}
")
  write_generated("${BASE}_emulated.h" "#pragma once

#include \"vrt/device/emulator/emulated_source.h\"
#include \"${include_base}_types.h\"

namespace vrt::kernels::emulated {
extern const vrt::EmulatedSource ${file_name}_cu;
}
")
endfunction()

# The host build of the kernels that run from the .cu.
function(write_thread_build level)
  set(body "")
  if(thread_names)
    rewrite_kernels("VRT_KERNEL_THREAD" "VRT_KERNEL_INDICES," text)
    type_aliases(aliases)
    set(body "#include \"vrt/device/prelude_host_kernel.h\"
#include \"${include_base}_types.h\"

namespace ${namespace}_${level} {
namespace {
using namespace ::vrt::kernels::${file_name};
#line 1 \"${SOURCE}\"
${text}
#line 1 \"${BASE}_${level}.cpp\"
${aliases}
}  // namespace
")
    foreach(name IN LISTS thread_names)
      string(APPEND body "void vrt_run_${name}(const vrt::HostBlocks& blocks, const void* const* arguments) {
  vrt_run_kernel<&vrt_thread_${name}>(static_cast<VrtSignature_${name}*>(nullptr), blocks, arguments);
}
")
    endforeach()
    string(APPEND body "}\n")
  endif()
  write_generated("${BASE}_${level}.cpp" "#define VRT_HOST_NAMESPACE ${namespace}_${level}\n${body}")
endfunction()

# The host build of X_host.cpp.
function(write_host_build level)
  type_aliases(aliases)
  set(body "#define VRT_HOST_NAMESPACE ${namespace}_${level}
#include \"vrt/device/prelude_host.h\"
#include \"${include_base}_types.h\"

namespace ${namespace}_${level} {
namespace {
using namespace ::vrt::kernels::${file_name};
${aliases}
}  // namespace
}
#include \"${HOST}\"
namespace ${namespace}_${level} {
")
  foreach(name IN LISTS host_names)
    string(APPEND body "void vrt_run_${name}(const vrt::HostBlocks& blocks, const void* const* arguments) {
  vrt_run_host_version<&${name}>(static_cast<VrtSignature_${name}*>(nullptr), blocks, arguments);
}
")
  endforeach()
  write_generated("${BASE}_host_${level}.cpp" "${body}}\n")
endfunction()

# The embedded text, and a table for each instruction set. Compiled for the baseline: signatures use typeid.
function(write_tables)
  type_aliases(aliases)
  set(body "#include \"${include_base}_cu.h\"\n")
  foreach(level IN LISTS levels)
    string(APPEND body "\nnamespace ${namespace}_${level} {\n")
    foreach(name IN LISTS kernel_names)
      string(APPEND body "void vrt_run_${name}(const vrt::HostBlocks& blocks, const void* const* arguments);\n")
    endforeach()
    string(APPEND body "}\n")
  endforeach()
  string(APPEND body "\nnamespace vrt::kernels {\nnamespace {\nusing namespace ${file_name};\n${aliases}
template <typename... Parameters>
constexpr auto signature_of(void (*)(Parameters...)) {
  return &vrt::host_signature<Parameters...>;
}
")
  foreach(level IN LISTS levels)
    string(APPEND body "constexpr vrt::HostKernel kTable_${level}[] = {\n")
    foreach(name IN LISTS kernel_names)
      string(APPEND body "    {\"${name}\", signature_of(static_cast<VrtSignature_${name}*>(nullptr)), "
                         "&${namespace}_${level}::vrt_run_${name}},\n")
    endforeach()
    string(APPEND body "};\n")
  endforeach()
  set(v3 "{}")
  if("v3" IN_LIST levels)
    set(v3 "kTable_v3")
  endif()
  string(APPEND body "constexpr const char* kText = R\"vrtcuda(${source_text})vrtcuda\";
}  // namespace
extern constinit const vrt::KernelSource ${file_name}_cu{\"${RELATIVE}\", kText, kTable_baseline, ${v3}};
}  // namespace vrt::kernels
")
  write_generated("${BASE}_tables.cpp" "${body}")
endfunction()

function(write_emulated_build)
  rewrite_kernels("static" "" text)
  type_aliases(aliases)
  set(entries "")
  foreach(name IN LISTS kernel_names)
    string(APPEND entries "    vrt_emulated_kernel<&vrt_thread_${name}>(\"${name}\", static_cast<VrtSignature_${name}*>(nullptr)),\n")
  endforeach()
  write_generated("${BASE}_emulated.cpp" "#define VRT_HOST_NAMESPACE ${namespace}_emulated
#include \"vrt/device/emulator/prelude_emulator.h\"
#include \"${BASE}_emulated.h\"

namespace ${namespace}_emulated {
namespace {
using namespace ::vrt::kernels::${file_name};
#line 1 \"${SOURCE}\"
${text}
#line 1 \"${BASE}_emulated.cpp\"
${aliases}
constexpr vrt::EmulatedKernel kKernels[] = {
${entries}};
}  // namespace
}

namespace vrt::kernels::emulated {
extern const vrt::EmulatedSource ${file_name}_cu{\"${RELATIVE}\", ${namespace}_emulated::kKernels};
}
")
endfunction()

file(READ "${SOURCE}" source_text)
string(REPLACE "," ";" levels "${LEVELS}")
get_filename_component(file_name "${SOURCE}" NAME_WE)
string(REGEX REPLACE "\\.cu$" "" include_base "${RELATIVE}")
string(MAKE_C_IDENTIFIER "vrt_host_${include_base}" namespace)

remove_comments("${source_text}" bare_text)
find_kernels("${bare_text}")
find_host_versions("${bare_text}")
split_shared_types()
write_headers()
write_tables()
write_emulated_build()
foreach(level IN LISTS levels)
  write_thread_build(${level})
  if(HOST)
    write_host_build(${level})
  endif()
endforeach()
