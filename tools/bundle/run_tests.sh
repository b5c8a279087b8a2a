#!/bin/sh
# Runs every test of this archive on this machine. What needs an engine for the model is left out unless a backend is here.
cd "$(dirname "$0")" || exit 1
root=$(pwd -P)
# shellcheck source=tools/bundle/test_environment.sh
. "$root/test_environment.sh"

# Of OpenVINO's tests nothing can run, and of ONNX Runtime's, most of which need stand-ins that are not here, nothing does.
excluded='*OpenVino*:*Float16GateTest*:*OnnxRuntime*'
if backend_is_here onnxruntime; then
  excluded="$excluded:ListBackendsTest.TellsOfTheModuleBesideTheProgramOrWhereItWasSought" # It takes none to be here, or OpenVINO.
else
  # Of a suite for each backend nothing is left, which GoogleTest takes for a mistake.
  excluded="$excluded:$engine_suites:GoogleTestVerification.*"
fi
echo "left out: $excluded"

failed=
for layer in base device image scene engine hub models; do
  "bin/vrt_${layer}_test" --gtest_brief=1 --gtest_filter="*:-$excluded" || failed="$failed $layer"
done
if [ -n "$failed" ]; then
  echo "failed:$failed" >&2
  exit 1
fi
