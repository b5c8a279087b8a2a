# Sources that the kernel generator must refuse, each with the words that its message must have; and some it must take.
#   cmake -DGENERATOR=generate_kernel_sources.cmake -DFOLDER=<scratch> -P generate_kernel_sources_test.cmake
cmake_minimum_required(VERSION 3.22)

file(MAKE_DIRECTORY "${FOLDER}")

# Runs the generator on a probe.cu of that text; `host_text` is probe_host.cpp's, or empty.
function(generate text host_text)
  file(WRITE "${FOLDER}/probe.cu" "${text}")
  file(REMOVE "${FOLDER}/probe_host.cpp")
  set(host "")
  if(host_text)
    set(host "${FOLDER}/probe_host.cpp")
    file(WRITE "${host}" "${host_text}")
  endif()
  execute_process(COMMAND "${CMAKE_COMMAND}" -DSOURCE=${FOLDER}/probe.cu -DHOST=${host} -DRELATIVE=vrt/probe.cu
                          -DBASE=${FOLDER}/probe -DLEVELS=baseline,v3 -P "${GENERATOR}"
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(status "${status}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_refused text host_text words)
  generate("${text}" "${host_text}")
  if(status EQUAL 0)
    message(FATAL_ERROR "was taken, but should not have been:\n${text}")
  endif()
  string(FIND "${output}" "${words}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "the message does not say \"${words}\":\n${output}")
  endif()
endfunction()

function(expect_taken text host_text)
  generate("${text}" "${host_text}")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "was refused:\n${text}\n${output}")
  endif()
endfunction()

set(HEAD "extern \"C\" __global__ void probe(int32_t* __restrict__ out)")
set(HOST_VERSION "void probe(const vrt::HostBlocks& blocks, int32_t* out) {}")

foreach(barrier "__syncthreads()" "__syncwarp()" "__shared__ int32_t t[4]" "__shfl_xor_sync(~0u, 1, 1)"
        "__ballot_sync(~0u, 1)" "VRT_DYNAMIC_SHARED(float, tile)")
  expect_refused("${HEAD} { ${barrier}; }" "" "define probe in probe_host.cpp beside it")
  expect_refused("${HEAD} { ${barrier}; }" "void other(const vrt::HostBlocks&) {}" "define probe in probe_host.cpp beside it")
  expect_refused("${HEAD} { ${barrier}; }" "// ${HOST_VERSION}" "define probe in probe_host.cpp beside it")
  expect_taken("${HEAD} { ${barrier}; }" "${HOST_VERSION}")
endforeach()
expect_taken("// __syncthreads() would be wrong here\n/* __shared__ too\n */\n${HEAD} {}" "")

expect_refused("__global__ void probe(int32_t* out) {}" "" "write every kernel as extern")
expect_refused("${HEAD} {}\n__global__ void second() {}" "" "has 2 __global__ and 1 kernels")
expect_refused("// nothing here\n" "" "has 0 __global__ and 0 kernels")
expect_refused("VRT_SHARED_TYPES_BEGIN\nstruct P { int32_t n; };\n${HEAD} {}" ""
               "VRT_SHARED_TYPES_BEGIN without a VRT_SHARED_TYPES_END")

# Errors and sanitizers must point into the .cu: each line of the host build is on the line that it has there.
set(text "VRT_SHARED_TYPES_BEGIN\nstruct P {\n  int32_t n;\n};\nVRT_SHARED_TYPES_END\n\nextern \"C\"\n__global__ void\n")
string(APPEND text "__launch_bounds__(64)\nprobe(int32_t* __restrict__ out,\n      P p) {\n  out[0] = p.n; // line 12\n}\n")
expect_taken("${text}" "")
file(READ "${FOLDER}/probe_baseline.cpp" generated)
string(FIND "${generated}" "#line 1 \"${FOLDER}/probe.cu\"\n" begin)
string(FIND "${generated}" "out[0] = p.n; // line 12" end)
math(EXPR length "${end} - ${begin}")
string(SUBSTRING "${generated}" ${begin} ${length} region)
string(REGEX REPLACE "[^\n]" "" lines "${region}")
string(LENGTH "${lines}" line)
if(NOT line EQUAL 12)
  message(FATAL_ERROR "line 12 of the .cu became line ${line}")
endif()
message("the generator refuses and takes what it should")
