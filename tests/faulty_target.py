"""A fuzz target with all errors that the fuzzer must detect, for the tests of the fuzzer."""

from __future__ import annotations

import os
import random
import signal

from fuzz.target import Data, Target, expect, refused
from warlight_env.errors import InputError

HARM = ("raises", "lies", "dies", "hangs", "hoards")


class Faulty(Target):
    """``(what it does, text)``"""

    share = 1

    def make(self, rng: random.Random) -> Data:
        what = rng.choice(HARM) if rng.random() < 0.25 else rng.choice(("taken", "refused"))
        return (what, "x" * rng.randint(50, 90) + "!" + "y" * rng.randint(0, 30))

    def run(self, data: Data) -> bool:
        what, text = data
        if "!" not in text:
            return True
        if what == "raises":
            raise KeyError(text)
        expect(what != "lies", "something that is not so")
        if what == "dies":
            os.kill(os.getpid(), signal.SIGSEGV)
        while what == "hangs":
            pass
        if what == "hoards":
            bytearray(3 * 2**30)
        return refused(InputError("line 1: wrong")) if what == "refused" else True


TARGET = Faulty
