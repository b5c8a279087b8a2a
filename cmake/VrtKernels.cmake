# vrt_add_kernels(<target> <layer> a.cu b.cu …)
#
# For each X.cu of the current folder, at build time, into <build>/generated/<the source's folder>:
#   X_cu.h       declares vrt::kernels::X_cu, the vrt::KernelSource to load; includes X_types.h
#   X_types.h    the structs between VRT_SHARED_TYPES_BEGIN and _END of X.cu, in vrt::kernels::X
#   X_*.cpp      the embedded text, the tables, and the host builds, one for each instruction set; compiled into <target>
#   X_emulated.h declares vrt::kernels::emulated::X_cu for tests (emulator/emulate.h); if tests are built, in the
#                library <target>_emulated_kernels
# An X_host.cpp beside X.cu holds the kernels' production versions for the CPU; a .cu with barriers must have one.
# docs/add-a-kernel.md shows how kernels are written.
set(VRT_KERNEL_GENERATOR "${CMAKE_CURRENT_LIST_DIR}/generate_kernel_sources.cmake" CACHE INTERNAL "")
get_filename_component(vrt_cuda_prelude "${CMAKE_CURRENT_LIST_DIR}/../vrt/device/prelude_cuda.h" ABSOLUTE)
set(VRT_CUDA_PRELUDE "${vrt_cuda_prelude}" CACHE INTERNAL "")
set(VRT_KERNEL_CHECK "${CMAKE_CURRENT_LIST_DIR}/check_kernel_objects.cmake" CACHE INTERNAL "")

# The same bits on every instruction set: no contraction, no fast-math. The two -fno- flags change no result: they allow
# vectors where C would have to set errno or raise exceptions in order. Kernels are CUDA C: its casts are no warning.
set(VRT_HOST_KERNEL_OPTIONS -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -Wno-conversion -Wno-sign-conversion
    -Wno-sign-compare
    -Wno-old-style-cast -Wno-unknown-pragmas -Wno-attributes -Wdouble-promotion -Wfloat-conversion CACHE INTERNAL "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(VRT_HOST_KERNEL_LEVELS baseline v3 CACHE INTERNAL "")
else()
  set(VRT_HOST_KERNEL_LEVELS baseline CACHE INTERNAL "")
endif()
set(VRT_HOST_KERNEL_OPTIONS_v3 -march=x86-64-v3 -mtune=generic CACHE INTERNAL "")

function(vrt_add_kernels target layer)
  set(products)
  foreach(file IN LISTS ARGN)
    vrt_generate_kernel(${target} ${file} products)
  endforeach()
  # Two targets compile these sources: without a target of their own, a parallel make would generate them twice.
  add_custom_target(${target}_kernel_sources DEPENDS ${products})
  add_dependencies(${target} ${target}_kernel_sources)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
  if(VRT_BUILD_TESTS)
    if(TARGET vrt_emulator)
      vrt_add_emulated_kernels(${target} ${ARGN})
    endif()
    add_test(NAME ${layer}.${target}_kernels_keep_instruction_sets_apart
             COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} "-DOBJECTS=$<TARGET_OBJECTS:${target}>" -P ${VRT_KERNEL_CHECK})
    vrt_add_nvcc_test(${target} ${layer} ${ARGN})
  endif()
endfunction()

# Sets `base` (path of the generated files without suffix), `name`, `source` and `host` in the caller.
macro(vrt_kernel_paths file)
  get_filename_component(name "${file}" NAME_WE)
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  file(RELATIVE_PATH relative "${PROJECT_SOURCE_DIR}" "${source}")
  get_filename_component(folder "${relative}" DIRECTORY)
  get_filename_component(source_folder "${source}" DIRECTORY)
  set(base "${PROJECT_BINARY_DIR}/generated/${folder}/${name}")
  file(GLOB host CONFIGURE_DEPENDS "${source_folder}/${name}_host.cpp")
endmacro()

# Appends the generated files to the list `all_products`.
function(vrt_generate_kernel target file all_products)
  vrt_kernel_paths(${file})
  vrt_require_unique_kernel_file(${name} ${relative})
  set(products "${base}_cu.h" "${base}_types.h" "${base}_tables.cpp" "${base}_emulated.h" "${base}_emulated.cpp")
  foreach(level IN LISTS VRT_HOST_KERNEL_LEVELS)
    vrt_add_host_kernel_source(${target} "${base}_${level}.cpp" ${level})
    list(APPEND products "${base}_${level}.cpp")
    if(host)
      vrt_add_host_kernel_source(${target} "${base}_host_${level}.cpp" ${level})
      list(APPEND products "${base}_host_${level}.cpp")
      set_source_files_properties("${base}_host_${level}.cpp" PROPERTIES OBJECT_DEPENDS "${host}")
    endif()
  endforeach()
  string(REPLACE ";" "," levels "${VRT_HOST_KERNEL_LEVELS}")
  add_custom_command(OUTPUT ${products}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${source} -DHOST=${host} -DRELATIVE=${relative} -DBASE=${base} -DLEVELS=${levels}
            -P ${VRT_KERNEL_GENERATOR}
    DEPENDS "${source}" ${host} "${VRT_KERNEL_GENERATOR}"
    COMMENT "Generating host builds of ${relative}" VERBATIM)
  target_sources(${target} PRIVATE "${base}_cu.h" "${base}_types.h" "${base}_tables.cpp")
  set(${all_products} ${${all_products}} ${products} PARENT_SCOPE)
endfunction()

function(vrt_add_host_kernel_source target generated level)
  target_sources(${target} PRIVATE "${generated}")
  # Their flags are not those that precompiled headers are made with.
  set_source_files_properties("${generated}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS
    "${VRT_HOST_KERNEL_OPTIONS};${VRT_HOST_KERNEL_OPTIONS_${level}}")
endfunction()

# vrt::kernels has one namespace, so two files called X.cu would collide when they are linked: say so here.
function(vrt_require_unique_kernel_file name relative)
  get_property(other GLOBAL PROPERTY VRT_KERNEL_FILE_${name})
  if(other AND NOT other STREQUAL relative)
    message(FATAL_ERROR "${relative}: ${other} has the same name; kernel files need names that are unique in the project")
  endif()
  set_property(GLOBAL PROPERTY VRT_KERNEL_FILE_${name} "${relative}")
endfunction()

# The same .cu compiled for the emulator: optimised lightly, so that sanitizers see each access.
function(vrt_add_emulated_kernels target)
  set(sources)
  foreach(file IN LISTS ARGN)
    vrt_kernel_paths(${file})
    list(APPEND sources "${base}_emulated.h" "${base}_emulated.cpp")
  endforeach()
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${VRT_HOST_KERNEL_OPTIONS};-O1")
  add_library(${target}_emulated_kernels STATIC ${sources})
  target_include_directories(${target}_emulated_kernels PUBLIC "${PROJECT_BINARY_DIR}/generated")
  target_link_libraries(${target}_emulated_kernels PRIVATE vrt_build_options PUBLIC vrt_emulator)
  add_dependencies(${target}_emulated_kernels ${target}_kernel_sources)
endfunction()

# Where there is a CUDA compiler, each .cu must compile for the oldest architecture that vrt supports.
function(vrt_add_nvcc_test target layer)
  find_program(VRT_NVCC nvcc HINTS /usr/local/cuda/bin)
  if(NOT VRT_NVCC)
    return()
  endif()
  foreach(file IN LISTS ARGN)
    vrt_kernel_paths(${file})
    add_test(NAME ${layer}.${name}_compiles_for_cuda
             COMMAND ${VRT_NVCC} -x cu -arch=sm_75 -cubin --fmad=false -std=c++17 -Werror all-warnings
                     -include "${VRT_CUDA_PRELUDE}" -o "${CMAKE_CURRENT_BINARY_DIR}/${name}.cubin" "${source}")
  endforeach()
endfunction()
