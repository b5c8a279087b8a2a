# How test programs are compiled and run: vrt_configure_test, vrt_discover_suites.
include_guard(GLOBAL)

# Half of the time that a test takes to compile goes into gtest's and the standard library's headers. A precompiled header is valid
# for equal flags only, so that libraries have none.
option(VRT_PRECOMPILED_HEADERS "Precompile other projects' headers for tests" ${PROJECT_IS_TOP_LEVEL})

# Tests are compiled for little time, not for speed: what they test is compiled as users run it. Above -O1, half of a test's own
# compilation goes into its EXPECT lines.
set(VRT_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)
# At that level GCC 12 sees std::string's own operator+ read and write beyond short strings, as -Wrestrict does at any (VrtOptions).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND VRT_TEST_OPTIONS $<$<CONFIG:Release>:-Wno-array-bounds>
       $<$<CONFIG:Release>:-Wno-stringop-overflow>)
endif()
if(VRT_SANITIZE)
  set(VRT_TEST_OPTIONS -O0)
endif()

function(vrt_add_precompiled_header target header)
  add_executable(${target} EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/cmake/precompiled/owner.cpp")
  target_link_libraries(${target} PRIVATE vrt_build_options ${ARGN})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_precompile_headers(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/precompiled/${header}")
endfunction()

if(VRT_PRECOMPILED_HEADERS AND VRT_BUILD_TESTS)
  vrt_add_precompiled_header(vrt_precompiled_test test.h GTest::gmock)
  target_compile_options(vrt_precompiled_test PRIVATE ${VRT_TEST_OPTIONS})
endif()

# vrt_configure_test(<target>): a program of tests.
function(vrt_configure_test target)
  target_compile_options(${target} PRIVATE ${VRT_TEST_OPTIONS})
  if(TARGET vrt_precompiled_test)
    target_precompile_headers(${target} REUSE_FROM vrt_precompiled_test)
  endif()
endfunction()

# vrt_discover_suites(<target> PREFIX <prefix> PROPERTIES <properties of each CTest entry…>)
#
# One CTest entry, <prefix><suite>, for each suite of the program: a process for each test costs more than most tests do, above all where it
# loads an engine's library. Suites of death tests have processes of their own by gtest's naming. The program is asked when CTest starts.
function(vrt_discover_suites target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "PREFIX" "PROPERTIES")
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake")
  set(properties "")
  foreach(word IN LISTS ARG_PROPERTIES)
    string(APPEND properties " [==[${word}]==]")
  endforeach()
  file(GENERATE OUTPUT "${list}" CONTENT
"set(program [==[$<TARGET_FILE:${target}>]==])
set(prefix [==[${ARG_PREFIX}]==])
set(folder [==[${CMAKE_CURRENT_BINARY_DIR}]==])
set(properties${properties})
include([==[${PROJECT_SOURCE_DIR}/cmake/discover_suites.cmake]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${list}")
endfunction()
