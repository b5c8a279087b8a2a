// Runs one of vrt's models on one picture and writes what it found as numbers, for the comparison with reference implementations.
//
//   parity_program REQUEST.json
//
// The request: {"family", "model", "device", "picture": a PPM file, "folder": where to write, and what the family's reader below
// takes from "options"}. Writes FOLDER/result.json and, for what is many numbers, FOLDER/NAME.bin with its type and shape in
// result.json under "arrays".
#include <fstream>
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/parity/families.h"
#include "vrt/base/error.h"

namespace {

nlohmann::json read_request(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw vrt::Error(vrt::ErrorCode::kNotFound, "cannot open the request '" + path + "'");
  return nlohmann::json::parse(stream);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: parity_program REQUEST.json\n";
    return 2;
  }
  vrt::parity::run(read_request(argv[1]));
  return 0;
} catch (const std::exception& error) {
  std::cerr << "parity_program: " << error.what() << "\n";
  return 1;
}
