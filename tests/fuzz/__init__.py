"""A fuzzer: damaged and generated inputs for all functions that read files, requests or arguments of users."""
