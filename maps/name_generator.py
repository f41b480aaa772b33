"""Pronounceable names for generated maps. The names of the regions in one super region sound similar."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Sound:
    """The parts of words in an invented language. Each field is a string of parts, separated by spaces."""

    onsets: str  # beginnings of syllables
    vowels: str
    codas: str  # ends of inner syllables; "-" means no letter
    endings: str  # ends of names of regions
    lands: str  # ends of names of super regions


SOUNDS = (
    Sound(
        "b d f g gr h k l m n r s sk st t th tr v",
        "a e i o u ei",
        "- - - l n r s",
        "ar en heim ik ill ing or und vik",
        "mark land gard",
    ),
    Sound(
        "b c d f g l m n p r s t v z",
        "a e i o a o",
        "- - - - l n r s",
        "ano ara ella enza era ia ino ona ora osa",
        "ania itania ovia",
    ),
    Sound(
        "b br c d dr g gw l ll m n p r rh t tr",
        "a e i o y",
        "- - - l n r",
        "an ach edd en ion on or wen wyn ydd",
        "aeth ydor wydd",
    ),
    Sound(
        "b ch d g h j k m n p r s sh t z",
        "a e i o u a",
        "- - - - n sh",
        "aba ai ako amu ani ari eko imi oru uma",
        "una ayana umara",
    ),
    Sound(
        "b d f gh h j k kh l m n q r s sh t z",
        "a i u a aa",
        "- - - l m n r",
        "ad ah al an ar im ir un ut",
        "istan abad ahar",
    ),
    Sound(
        "b br ch d g k l m n p r s sl t v z zd",
        "a e i o u a",
        "- - - l n r v",
        "ava ets ice ina itsa ok or ov ow",
        "oslavia avia enia",
    ),
    Sound(
        "h k l m n p t v w r",
        "a e i o u a ea",
        "- - - - - -",
        "aki alu amoa ane ei ika oa ola una uri",
        "anesia onga aloa",
    ),
    Sound(
        "ch c h k l m n p qu s t tl x y",
        "a e i o u a",
        "- - - l n",
        "aca ako alli ama ango atl eca ipan oca uy",
        "acan ayo atlan",
    ),
)
# Fragments that no name may contain.
_AVOIDED = re.compile("anal|anus|ass|cum|cunt|dick|fag|fuck|nazi|nig|piss|porn|rape|sex|shit|slut|tit|whor")


def make_names(rng: random.Random, sizes: Sequence[int]) -> tuple[list[str], list[list[str]]]:
    """Return unique names: one for each super region, and ``sizes[k]`` names for the regions of super region k."""
    used_names: set[str] = set()
    order = _shuffled(rng, len(SOUNDS))
    supers = []
    regions = []
    for k, size in enumerate(sizes):
        sound = SOUNDS[order[k % len(order)]]
        supers.append(_fresh(rng, sound, sound.lands, used_names))
        regions.append([_fresh(rng, sound, sound.endings, used_names) for _ in range(size)])
    return supers, regions


def _fresh(rng: random.Random, sound: Sound, endings: str, used_names: set[str]) -> str:
    tries = 0
    while True:
        tries += 1
        syllables = 2 if tries > 40 or rng.random() < 0.3 else 1
        name = _word(rng, sound, syllables, endings.split())
        is_similar = any(name[:4] == t[:4] for t in used_names) and tries < 30
        if name not in used_names and not is_similar and not _AVOIDED.search(name) and 4 <= len(name) <= 11:
            used_names.add(name)
            return name.capitalize()


def _word(rng: random.Random, sound: Sound, syllables: int, endings: list[str]) -> str:
    onsets, vowels, codas = sound.onsets.split(), sound.vowels.split(), sound.codas.split()
    word = ""
    for _ in range(syllables):
        word += _pick(rng, onsets) + _pick(rng, vowels) + _pick(rng, codas).replace("-", "")
    ending = _pick(rng, endings)
    if word[-1] in "aeiouyw" and ending[0] in "aeiouyw":
        word += _pick(rng, [o for o in onsets if len(o) == 1])
    return word + ending


def _pick(rng: random.Random, items: Sequence[str]) -> str:
    return items[int(rng.random() * len(items))]


def _shuffled(rng: random.Random, n: int) -> list[int]:
    return [i for _, i in sorted((rng.random(), i) for i in range(n))]
