"""A fuzz target with all errors that the fuzzer must detect, for the tests of the fuzzer."""

from __future__ import annotations

import os
import random
import signal

from fuzz.target import Data, Target, expect, refused
from warlight_env.errors import InputError

HARM = ("raises", "lies", "dies", "hangs", "hoards")


class Faulty(Target):
    """A target with data ``(behaviour, text)``. Only a text with "!" causes the behaviour."""

    share = 1

    def make(self, rng: random.Random) -> Data:
        behaviour = rng.choice(HARM) if rng.random() < 0.25 else rng.choice(("taken", "refused"))
        return (behaviour, "x" * rng.randint(50, 90) + "!" + "y" * rng.randint(0, 30))

    def run(self, data: Data) -> bool:
        behaviour, text = data
        if "!" not in text:
            return True
        if behaviour == "raises":
            raise KeyError(text)
        expect(behaviour != "lies", "something that is not so")
        if behaviour == "dies":
            os.kill(os.getpid(), signal.SIGSEGV)
        while behaviour == "hangs":
            pass
        if behaviour == "hoards":
            bytearray(3 * 2**30)
        return refused(InputError("line 1: wrong")) if behaviour == "refused" else True


TARGET = Faulty
