# For scripts that run the tests of this archive, which is in $root: where these find their files, and which need an engine.
# shellcheck shell=sh disable=SC2154

export VRT_SOURCE_DIR="$root/share/vrt/tests" VRT_TEST_CENTERFACE="$root/share/vrt/models/centerface.onnx"
export VRT_FAKE_BACKENDS="$root/lib/vrt/fake_backends" VRT_TEST_NETWORKS="$root/share/vrt/tests/networks"
# A test runs a copy of itself from another folder. What the machine's libraries need stays.
export LD_LIBRARY_PATH="$root/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# Suites that run networks, on whatever backend there is.
# shellcheck disable=SC2034
engine_suites='*TestNetworkTest*:*BatchesTest*:*CenterFaceTest*:*CenterFaceOpenEngineTest*:*DepthAnythingTest*:*ImageClassifierTest*'
engine_suites="$engine_suites:*OsNetTest*:*RfDetrTest*:*XFeatTest*:*YoloTest*"

# backend_is_here NAME: whether its module and its library are.
backend_is_here() {
  "$root/bin/vrt" doctor 2>/dev/null | grep -q "^$1  *ok "
}
