"""A fuzzer: damaged and invented inputs for all functions that read files, requests or arguments of other people."""
