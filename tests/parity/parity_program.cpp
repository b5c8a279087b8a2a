// Runs one of vrt's models on one picture and writes what it found, for the comparison with reference implementations.
//
//   parity_program REQUEST.json [DEVICE]
//
// The request: {"family", "model", "picture": a PPM file, "options": what families.cpp reads}; files relative to the working folder. Writes
// result.json there and, for what is many numbers, NAME.bin, whose type and shape are in result.json under "arrays".
#include <fstream>
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/parity/families.h"
#include "vrt/base/error.h"
#include "vrt/device/device.h"

namespace {

nlohmann::json read_request(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw vrt::Error(vrt::ErrorCode::kNotFound, "cannot open the request '" + path + "'");
  return nlohmann::json::parse(stream);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: parity_program REQUEST.json [DEVICE]\n";
    return 2;
  }
  vrt::parity::run(read_request(argv[1]), vrt::Device::parse(argc == 3 ? argv[2] : "cpu"));
  return 0;
} catch (const std::exception& error) {
  std::cerr << "parity_program: " << error.what() << "\n";
  return 1;
}
