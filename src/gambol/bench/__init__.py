"""Benchmarks: Gambol and its peers on the same figures, in one run, interleaved, best of several."""
