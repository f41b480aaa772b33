"""The C++ baseline plays the same games as the kernels; otherwise a comparison of their speeds is invalid."""

from __future__ import annotations

import numpy as np


def test_games_in_cpp_equal_games_of_the_kernels(benchmarks):
    from bench import Playouts, cpp_baseline

    library = cpp_baseline.build()
    assert library is not None, "a C++ compiler is needed"
    playouts = Playouts(50)
    ours, rounds, _ = playouts.play()
    theirs, their_rounds, _ = playouts.play_in_cpp(library)
    assert rounds == their_rounds > 500
    for mine, other in zip(ours, theirs, strict=True):
        assert np.array_equal(mine, other)
