# vrt_opencv: OpenCV's core and imgproc. OpenCV's own find_package needs the metapackage with all its modules; drawing needs
# two libraries. Imported, so that an installed vrt finds them anew on its user's machine.
if(NOT TARGET vrt_opencv)
  find_path(VRT_OPENCV_INCLUDE_DIR opencv2/imgproc.hpp PATH_SUFFIXES opencv4 REQUIRED)
  find_library(VRT_OPENCV_CORE opencv_core REQUIRED)
  find_library(VRT_OPENCV_IMGPROC opencv_imgproc REQUIRED)
  mark_as_advanced(VRT_OPENCV_INCLUDE_DIR VRT_OPENCV_CORE VRT_OPENCV_IMGPROC)
  add_library(vrt_opencv INTERFACE IMPORTED GLOBAL)
  target_include_directories(vrt_opencv SYSTEM INTERFACE ${VRT_OPENCV_INCLUDE_DIR})
  target_link_libraries(vrt_opencv INTERFACE ${VRT_OPENCV_IMGPROC} ${VRT_OPENCV_CORE})
endif()
