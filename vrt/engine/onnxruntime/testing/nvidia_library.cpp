// Stands in for a library of NVIDIA's: only its name and what it needs matter.
extern "C" __attribute__((visibility("default"))) int VRT_NAME() { return 13; }
