# What other projects get: the umbrella vrt::vrt, the installed files, vrtConfig.cmake and vrt.pc.
#
# With BUILD_SHARED_LIBS there is one libvrt.so, not one for each layer: layers call each other's hidden functions, and a
# program has one copy of everything. vrt::vrt and each vrt::<layer> are then that library. Tests link the layers' archives
# in both cases, since they reach into what is hidden.
include(CMakePackageConfigHelpers)

set(VRT_PACKAGE_FOLDER "${CMAKE_INSTALL_LIBDIR}/cmake/vrt")
set(VRT_LAYERS base device image scene engine hub models media view pipeline)

if(BUILD_SHARED_LIBS)
  add_library(vrt SHARED)
  set_target_properties(vrt PROPERTIES
    LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}"
    LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/libvrt.map")
  target_link_libraries(vrt PRIVATE Threads::Threads fmt::fmt)
  target_link_options(vrt PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/libvrt.map" LINKER:--no-undefined)
  target_compile_features(vrt PUBLIC cxx_std_20)
  target_include_directories(vrt PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
else()
  add_library(vrt INTERFACE)
endif()
add_library(vrt::vrt ALIAS vrt)

# vrt_publish_layer(<name> <libraries that the layer links privately…>): called by vrt_add_layer.
function(vrt_publish_layer name)
  if(BUILD_SHARED_LIBS)
    add_library(vrt::${name} ALIAS vrt)
    target_sources(vrt PRIVATE $<TARGET_OBJECTS:vrt_${name}>)
    target_link_libraries(vrt PRIVATE ${ARGN})
  else()
    add_library(vrt::${name} ALIAS vrt_${name})
    target_link_libraries(vrt INTERFACE vrt_${name})
    set_target_properties(vrt_${name} PROPERTIES EXPORT_NAME ${name})
    if(VRT_INSTALL)
      install(TARGETS vrt_${name} EXPORT vrtTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    endif()
  endif()
  if(VRT_INSTALL)
    vrt_install_headers(${name})
  endif()
endfunction()

# The layer's public headers: those whose first line does not call them internal or made for tests.
function(vrt_install_headers layer)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/vrt/${layer}/*.h")
  list(FILTER headers EXCLUDE REGEX "/(testing|emulator|compile_fail)/")
  foreach(header IN LISTS headers)
    file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" first_line LIMIT_COUNT 1)
    if(NOT first_line MATCHES "^// (Internal|For tests|For the layer's tests)")
      get_filename_component(folder "${header}" DIRECTORY)
      install(FILES "${PROJECT_SOURCE_DIR}/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
    endif()
  endforeach()
endfunction()

# Sets `libraries` and `requires` in the caller: the archives name what they need, libvrt.so knows it itself.
function(vrt_pkg_config_fields)
  set(requires "")
  set(libraries "-lvrt")
  if(NOT BUILD_SHARED_LIBS)
    set(libraries "")
    foreach(layer IN LISTS VRT_LAYERS)
      string(PREPEND libraries "-lvrt_${layer} ")
    endforeach()
    set(requires "fmt libcrypto")
    if(VRT_READS_ONNX)
      string(APPEND requires " protobuf-lite")
    endif()
    string(APPEND libraries "-lopencv_imgproc -lopencv_core -ldl -pthread")
  endif()
  set(libraries "${libraries}" PARENT_SCOPE)
  set(requires "${requires}" PARENT_SCOPE)
endfunction()

function(vrt_install_package)
  install(TARGETS vrt EXPORT vrtTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT vrtTargets NAMESPACE vrt:: DESTINATION "${VRT_PACKAGE_FOLDER}")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/vrtConfig.cmake.in" vrtConfig.cmake
                                INSTALL_DESTINATION "${VRT_PACKAGE_FOLDER}" NO_SET_AND_CHECK_MACRO
                                NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  # Before 1.0 each minor version may break its users.
  write_basic_package_version_file(vrtConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/vrtConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/vrtConfigVersion.cmake"
                "${PROJECT_SOURCE_DIR}/cmake/VrtOpenCV.cmake" "${PROJECT_SOURCE_DIR}/cmake/VrtKernels.cmake"
                "${PROJECT_SOURCE_DIR}/cmake/generate_kernel_sources.cmake"
          DESTINATION "${VRT_PACKAGE_FOLDER}")
  vrt_pkg_config_fields()
  file(RELATIVE_PATH prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/vrt.pc.in" vrt.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/vrt.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endfunction()
