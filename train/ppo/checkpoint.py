"""The state of a PPO run between two iterations, as arrays and plain data. Loading a checkpoint executes no code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from warlight_env import bounded_io
from warlight_env.networks.npz import ArraysError, read_arrays, write_arrays
from warlight_env.train.common.journal import JournalError

#: The name of the checkpoint file in the folder of a run.
CHECKPOINT: Final = "checkpoint.npz"
_HEADER, _POLICY, _MOMENTS = "header", "policy.", "optimizer."


@dataclass(frozen=True)
class Checkpoint:
    """The state from which a PPO run continues.

    Attributes:
        entry: the last entry of the journal (the log of the run).
        league: the frequencies and statistics of the opponents, see `League.to_dict`.
        steps: number of environment steps so far.
        policy, optimizer: the state dicts of PyTorch.
    """

    entry: dict[str, Any]
    league: dict[str, Any]
    steps: int
    policy: dict[str, torch.Tensor]
    optimizer: dict[str, Any]

    def to_bytes(self) -> bytes:
        """Return the content of the checkpoint file: an .npz archive with the tensors and a header in JSON."""
        header = {
            "entry": self.entry, "league": self.league, "steps": self.steps, "groups": self.optimizer["param_groups"],
        }  # fmt: skip
        tensors = {f"{_POLICY}{name}": values for name, values in self.policy.items()}
        for number, moments in self.optimizer["state"].items():
            tensors |= {f"{_MOMENTS}{number}.{name}": values for name, values in moments.items()}
        arrays = {name: values.detach().cpu().numpy() for name, values in tensors.items()}
        return write_arrays({_HEADER: np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays})

    @classmethod
    def load(cls, path: Path) -> Checkpoint:
        """Return the checkpoint in a file that contains a result of `to_bytes`.

        Raises:
            JournalError: the file is damaged, or is not a checkpoint.
        """
        content = bounded_io.read_bytes(path, bounded_io.ARRAYS_BYTES, JournalError, "checkpoint")
        try:
            arrays = read_arrays(content)
            text = arrays.pop(_HEADER).tobytes().decode()
        except (ArraysError, KeyError, UnicodeDecodeError) as error:
            raise JournalError(f"{path}: damaged ({error})") from None
        header = bounded_io.parse_json(text, f"{path}: damaged", JournalError)
        policy: dict[str, torch.Tensor] = {}
        moments: dict[int, dict[str, torch.Tensor]] = {}
        try:
            for name, values in arrays.items():
                tensor = torch.from_numpy(values)
                if name.startswith(_POLICY):
                    policy[name.removeprefix(_POLICY)] = tensor
                else:
                    number, _, kind = name.removeprefix(_MOMENTS).partition(".")
                    moments.setdefault(int(number), {})[kind] = tensor
            groups = [{**group, "betas": tuple(group["betas"])} for group in header["groups"]]
            optimizer = {"state": moments, "param_groups": groups}
            entry, league, steps = header["entry"], header["league"], header["steps"]
            if not (isinstance(entry, dict) and isinstance(league, dict) and type(steps) is int):
                raise TypeError("'entry', 'league' or 'steps' has a wrong type")
            if type(entry["iteration"]) is not int:
                raise TypeError("'entry': 'iteration' is not an integer")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise JournalError(f"{path}: damaged ({error!r:.200})") from None
        return cls(entry, league, steps, policy, optimizer)
