# vrt_add_layer(<name>
#   SOURCES …            .cpp files of the layer
#   KERNELS …            .cu files (see VrtKernels.cmake); an X_host.cpp beside X.cu is picked up by itself. Listed in the
#                        generated vrt/<name>/kernel_sources.h
#   USES …               layers that the row in docs/design.md allows, e.g. base device
#   LINK …               other libraries, private to the layer
#   TESTS …              *_test.cpp files; one binary vrt_<name>_test, one CTest entry for each suite
#   TEST_USES … TEST_LINK …)
#
# Makes the archive vrt_<name>, publishes it as vrt::<name> (VrtPackage.cmake) and, if tests are built, the binary vrt_<name>_test.
include(VrtKernels)
include(VrtTests)
include(GoogleTest)

function(vrt_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;KERNELS;USES;LINK;TESTS;TEST_USES;TEST_LINK")
  add_library(vrt_${name} STATIC ${ARG_SOURCES})
  target_compile_features(vrt_${name} PUBLIC cxx_std_20)
  target_include_directories(vrt_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(vrt_${name} PRIVATE $<BUILD_INTERFACE:vrt_build_options> Threads::Threads fmt::fmt ${ARG_LINK})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(vrt_${name} PUBLIC vrt_${used})
  endforeach()
  if(ARG_KERNELS)
    vrt_add_kernels(vrt_${name} ${name} ${ARG_KERNELS})
    vrt_add_kernel_list(${name} ${ARG_KERNELS})
  endif()
  vrt_publish_layer(${name} ${ARG_LINK})
  if(VRT_BUILD_TESTS AND ARG_TESTS)
    vrt_add_layer_test(${name})
  endif()
endfunction()

# vrt_add_kernel_list(<layer> a.cu …): makes vrt/<layer>/kernel_sources.h, which declares vrt::kernels::<layer>_sources().
# A list that the build writes, not static objects that register themselves: of a static library the linker takes only what
# is referred to, so a self-registered kernel would be missing exactly where nothing else uses it.
function(vrt_add_kernel_list layer)
  set(VRT_KERNEL_LAYER "${layer}")
  set(VRT_KERNEL_INCLUDES "")
  set(VRT_KERNEL_ADDRESSES "")
  foreach(file IN LISTS ARGN)
    vrt_kernel_paths(${file})
    string(APPEND VRT_KERNEL_INCLUDES "#include \"${folder}/${name}_cu.h\"\n")
    string(APPEND VRT_KERNEL_ADDRESSES "    &${name}_cu,\n")
  endforeach()
  set(base "${PROJECT_BINARY_DIR}/generated/vrt/${layer}/kernel_sources")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/kernel_sources.h.in" "${base}.h" @ONLY)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/kernel_sources.cpp.in" "${base}.cpp" @ONLY)
  target_sources(vrt_${layer} PRIVATE "${base}.cpp")
endfunction()

# Reads ARG_TESTS and its companions from vrt_add_layer's scope.
macro(vrt_add_layer_test name)
  add_executable(vrt_${name}_test ${ARG_TESTS})
  target_link_libraries(vrt_${name}_test PRIVATE vrt_build_options vrt_${name} ${ARG_LINK} ${ARG_TEST_LINK}
                                                 GTest::gmock GTest::gtest_main)
  foreach(used IN LISTS ARG_TEST_USES)
    target_link_libraries(vrt_${name}_test PRIVATE vrt_${used})
  endforeach()
  if(TARGET vrt_${name}_emulated_kernels)
    target_link_libraries(vrt_${name}_test PRIVATE vrt_${name}_emulated_kernels)
  endif()
  target_compile_definitions(vrt_${name}_test PRIVATE VRT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # OpenVINO's oneTBB stops at once under a sanitizer without that variable. Engines are built anew: tests must not find those of
  # earlier sources.
  vrt_configure_test(vrt_${name}_test)
  vrt_discover_suites(vrt_${name}_test PREFIX ${name}. PROPERTIES LABELS ${name} ENVIRONMENT TBB_ENABLE_SANITIZERS=1
                                                                  ENVIRONMENT_MODIFICATION VRT_ENGINE_CACHE=set:off)
endmacro()
