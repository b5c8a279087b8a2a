#!/bin/sh
# Runs every test of this archive on this machine. What needs an engine for the model is left out unless a backend is here.
cd "$(dirname "$0")" || exit 1
root=$(pwd -P)
export VRT_SOURCE_DIR="$root/share/vrt/tests" VRT_TEST_CENTERFACE="$root/share/vrt/models/centerface.onnx"
export VRT_FAKE_BACKENDS="$root/lib/vrt/fake_backends" VRT_TEST_NETWORKS="$root/share/vrt/tests/networks"
# A test runs a copy of itself from another folder.
export LD_LIBRARY_PATH="$root/lib"

filter='*'
if ! ls lib/vrt/libvrt_backend_*.so >/dev/null 2>&1; then
  filter='-*OpenVino*:*OnnxRuntime*:*TestNetworkTest*:*CenterFaceTest*:*CenterFaceOpenEngineTest*'
  echo "no backend here: left out $filter"
fi

failed=
for test in bin/vrt_*_test; do
  "$test" --gtest_brief=1 --gtest_filter="$filter" || failed="$failed $test"
done
if [ -n "$failed" ]; then
  echo "failed:$failed" >&2
  exit 1
fi
