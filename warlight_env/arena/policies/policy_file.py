"""Policy files: NumPy archives with a policy's network, its action encoding and the settings of its training games."""

from __future__ import annotations

import dataclasses
import functools
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env import bounded_io
from warlight_env.agents.records.value_record import check_digest
from warlight_env.agents.turn_net.turn_network_file import BUNDLED
from warlight_env.agents.weights import THESIS, Weights, WeightsError
from warlight_env.arguments import kind_in_words, path_of, short_repr
from warlight_env.engine.board import Board
from warlight_env.engine.rules import MAX_PLAYERS, Rules, RulesError
from warlight_env.envs.actions import EncodingFactory, FactoredActions, StrategyActions
from warlight_env.envs.actions.strategies import STRATEGIES
from warlight_env.errors import InputError, clipped, did_you_mean
from warlight_env.features.columns import global_features, node_features
from warlight_env.features.definitions import GLOBALS, NODES
from warlight_env.features.registry import FeatureNameError
from warlight_env.maps import Map
from warlight_env.networks.archive import check_network, have_shapes, packed, unpacked
from warlight_env.networks.forward import Arrays, PolicyNet, choose, expected_shapes
from warlight_env.networks.npz import ArraysError

#: The version number of the file format. A file with another number cannot be read.
VERSION: Final = 1
#: The maximum number of regions of the maps in each size class.
SIZE_CLASSES: Final = {"small": 20, "medium": 80, "large": 10**6}
#: The action encodings that a policy in a policy file may have.
ACTIONS: Final = ("strategies", "factored")
#: The names of rules that only concern the start of a game. Policies with the encoding `strategies` may play with other
#: values of these rules than in training, because this encoding does not learn its picks.
_PICKING: Final = ("picking", "picks", "ranked", "offers_per_super_region", "dealt_apart", "wastelands_repeat")
_FOLDER: Final = Path(__file__).parent
#: The pattern of a file name with a digest of the expected content: ``NAME.npz#0123456789abcdef``.
_PINNED: Final = re.compile(r"(.+\.npz)#([0-9a-f]{16})", re.DOTALL)


class PolicyFileError(InputError):
    """An error for a file that contains no policy, or for a game that differs from the training of the policy."""


def size_class(n_regions: int) -> str:
    """Return the name of the size class of a map with `n_regions` regions."""
    return next(name for name, maximum in SIZE_CLASSES.items() if n_regions <= maximum)


def regions_of(size: str) -> tuple[int, int]:
    """Return the minimum and the maximum number of regions of the maps in a size class."""
    minimum = [1, *(maximum + 1 for maximum in SIZE_CLASSES.values())][list(SIZE_CLASSES).index(size)]
    return minimum, SIZE_CLASSES[size]


def _range(size: str) -> str:
    """Return the range of the numbers of regions of a size class as text, for example "up to 20"."""
    minimum, maximum = regions_of(size)
    if size == list(SIZE_CLASSES)[-1]:
        return f"from {minimum}"
    return f"up to {maximum}" if minimum == 1 else f"from {minimum} to {maximum}"


def differing_rules(policy_rules: Rules, game_rules: Rules, learned_picks: bool) -> list[str]:
    """Return a text for each difference between two sets of rules.

    learned_picks: whether the policy learned to pick start regions. If `learned_picks` is False, the rules
    about picking are ignored.
    """
    policy, game = dataclasses.asdict(policy_rules), dataclasses.asdict(game_rules)
    free = ("name", *(() if learned_picks else _PICKING))
    return [
        f"{key} = {policy[key]!r} (not {game[key]!r})" for key in policy if key not in free and policy[key] != game[key]
    ]


#: The fields of a `PolicyFile` that contain the names of the network's input features.
_READS: Final = ("node_features", "global_features")


@dataclass(frozen=True)
class PolicyFile:
    """The content of a policy file. The input of the policy is the observation "flat" of an environment.

    Attributes:
        action: the name of the action encoding, one of `ACTIONS`.
        map: the name of the map in training.
        size: the size class of the maps on which the policy can play.
        rules, players: the rules and the number of players of the games.
        max_cycles: the argument of the environment in training; the feature "time" depends on it.
        width, layers, hidden: the sizes of the network.
        arrays: a dict from a name to an array of the network's parameters, float32.
        weights: the weights of the position evaluation that the encoding uses.
        sampled: whether the policy samples an action from the probabilities; if False, the policy takes the most likely
            action.
        note: how the policy was made, as JSON data.
        node_features, global_features: the names of the network's input features, in their order; None: all features
            of this version of the package.

    Raises:
        FeatureNameError: a feature does not exist for this number of players.
    """

    action: str
    map: str
    size: str
    rules: Rules
    max_cycles: int
    width: int
    layers: int
    hidden: int
    arrays: Arrays
    players: int = 2
    weights: Weights = THESIS
    sampled: bool = False
    note: dict[str, Any] = field(default_factory=dict)
    name: str = "policy"
    node_features: tuple[str, ...] | None = None
    global_features: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for field_name, group, features_of in (
            ("node_features", NODES, node_features), ("global_features", GLOBALS, global_features),
        ):  # fmt: skip
            names = getattr(self, field_name)
            if names is None:
                names = features_of(self.players)
            group.places(names, self.players)
            object.__setattr__(self, field_name, tuple(names))

    def to_bytes(self) -> bytes:
        """Return the content of the policy file: an .npz archive with the arrays, and with all other fields as JSON."""
        names = [f.name for f in dataclasses.fields(self) if f.name not in ("arrays", "name", *_READS)]
        header = {
            "version": VERSION, **{name: getattr(self, name) for name in names}, "rules": self.rules.to_dict(),
            "weights": self.weights._asdict(), **{name: list(getattr(self, name)) for name in _READS},
            "strategies": list(STRATEGIES),
        }  # fmt: skip
        return packed(header, self.arrays)

    def shared(self) -> PolicyFile:
        """Make the arrays read-only, because several users of a cache share this object; return this object."""
        for array in self.arrays.values():
            array.flags.writeable = False
        return self

    @classmethod
    def from_bytes(cls, content: bytes, name: str = "policy") -> PolicyFile:
        """Return the `PolicyFile` with the given content, a result of `to_bytes`.

        Raises:
            PolicyFileError: the content is not a policy, or has another version. The error message begins with `name`.
        """
        if not isinstance(content, bytes):
            raise PolicyFileError(f"content = {short_repr(content)}: must be bytes")
        if not isinstance(name, str):
            raise PolicyFileError(f"name = {short_repr(name)}: must be a string")
        try:
            text, arrays = unpacked(content)
        except (ArraysError, UnicodeDecodeError) as error:
            raise PolicyFileError(f"{name}: not a policy ({error})") from None
        header = bounded_io.parse_json(text, f"{name}: not a policy: header", PolicyFileError)
        if isinstance(header, dict) and "kind" in header:
            raise PolicyFileError(f"{name}: the file contains {header['kind']!r:.60}, not a policy of an environment")
        version = header.pop("version", None) if isinstance(header, dict) else None
        if version != VERSION:
            raise PolicyFileError(f"{name}: the file has version {version!r}, but this program reads version {VERSION}")
        try:
            reads = {key: header.pop(key) for key in _READS}
            strategies, weights = header.pop("strategies"), header.pop("weights")
            header["weights"] = Weights.from_array(Weights(**weights))  # missing weights get their default values
            if any(value is None for value in reads.values()):
                raise ValueError("the file has no list of features")
            fields = {**header, **reads, "rules": Rules.of(header["rules"])}
            file = cls(**fields, arrays=arrays, name=Path(name).stem)
            file._check_fields()
            if strategies != list(STRATEGIES):
                raise PolicyFileError(f"{name}: the policy uses strategies that differ from those of this version")
            expected = file.shapes()
        except FeatureNameError as error:
            raise PolicyFileError(f"{name}: {error}") from None
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RulesError, WeightsError) as error:
            if isinstance(error, PolicyFileError):
                raise
            raise PolicyFileError(f"{name}: the header is damaged ({clipped(repr(error), 300)})") from None
        if not have_shapes(arrays, expected):
            raise PolicyFileError(f"{name}: the arrays do not fit the network that the header describes")
        return file

    @classmethod
    def load(cls, source: str | Path) -> PolicyFile:
        """Load a policy from a file, or by its name in `built_in_policies`. An unchanged file is read only once.

        The name of a file may end with ``#`` and the expected digest of the file's content. If the content has a
        different digest, an error is raised.

        Raises:
            PolicyFileError: there is no file or policy with this name, or the file contains no policy that this
                version of the package can play.
        """
        return _load(locate_policy(source))

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the name and the shape of each array of the network. Raise ValueError if a size is impossible."""
        if self.action not in ACTIONS or self.size not in SIZE_CLASSES:
            raise ValueError(f"action {self.action!r} or size {self.size!r} is unknown")
        values = len(STRATEGIES) if self.action == "strategies" else FactoredActions.row_width
        assert self.node_features is not None and self.global_features is not None
        feature_counts = len(self.node_features), len(self.global_features)
        return expected_shapes(self.action, *feature_counts, self.width, self.layers, self.hidden, values)

    def _check_fields(self) -> None:
        """Raise `ValueError` if the sizes of the network are impossible, or if a field has a wrong type."""
        check_network(self.width, self.layers, self.hidden)
        limits = {"players": (2, MAX_PLAYERS), "max_cycles": (1, 10**9)}
        for key, (low, high) in limits.items():
            value = getattr(self, key)
            if type(value) is not int or not low <= value <= high:
                raise ValueError(f"{key} = {value!r:.60}: must be an integer in {low} .. {high}")
        for key, kind in (("map", str), ("sampled", bool), ("note", dict)):
            if not isinstance(getattr(self, key), kind):
                raise ValueError(f"{key} = {getattr(self, key)!r:.60}: must be {kind_in_words(kind)}")

    def check(self, map: Map, rules: Rules, players: int) -> None:
        """Raise PolicyFileError if the policy was not trained for this size of map, these rules or these players."""
        if players != self.players:
            raise self._refusal(f"games of {self.players} players, not {players}")
        if size_class(map.n_regions) != self.size:
            sizes = f"{self.size} maps ({_range(self.size)} regions)"
            raise self._refusal(f"{sizes}; the map {map.name!r} has {map.n_regions}")
        differing = differing_rules(self.rules, rules, learned_picks=self.action != "strategies")
        if differing:
            raise self._refusal(f"the rules {self.rules.name!r}: {', '.join(differing)}")

    def _refusal(self, purpose: str) -> PolicyFileError:
        return PolicyFileError(f"policy {self.name!r} is for {purpose}")

    @property
    def environment(self) -> dict[str, Any]:
        """The arguments of an environment in which this policy can play, see `PolicyAgent`.

        Observations for this policy are not padded; their size depends on the map.
        """
        action = encoding_of(self.action, self.weights)
        return {"action": action, "observation": "flat", "max_cycles": self.max_cycles}

    def bind(self, board: Board, sampled: bool | None = None) -> FilePolicy:
        """Return the policy for games on one map, which is given as a `Board`.

        sampled: whether the policy samples its actions; None: use the field `sampled` of the file.
        """
        return FilePolicy(self, board, self.sampled if sampled is None else sampled)


class FilePolicy:
    """The policy of a policy file for games on one board."""

    def __init__(self, file: PolicyFile, board: Board, sampled: bool) -> None:
        assert file.node_features is not None and file.global_features is not None
        feature_names = file.node_features, file.global_features
        self._net = PolicyNet(file.arrays, file.action, board, file.players, *feature_names)
        self._single_action, self._sampled, self._seed = file.action == "strategies", sampled, 0

    def reseed(self, seed: int) -> None:
        """Set the seed for the random actions of the next calls."""
        self._seed = seed

    def __call__(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Return the actions for B observations: int64[B], or int64[B, R] for actions of R choices."""
        actions = choose(self._net.logits(observations), masks, self._seed if self._sampled else None)
        return actions[:, 0] if self._single_action else actions


def encoding_of(action: str, weights: Weights) -> EncodingFactory:
    """Return a function that makes the action encoding with the name `action`.

    weights: the weights of the position evaluation in the encoding `strategies`.
    """
    return functools.partial(StrategyActions, weights=weights) if action == "strategies" else FactoredActions


def built_in_policies() -> dict[str, Path]:
    """Return a dict from the name of each policy that is included in this package to its policy file.

    The dict does not contain turn networks, which are in `turn_network_file.BUNDLED`.
    """
    return {path.stem: path for path in sorted(_FOLDER.glob("*.npz"))}


class PolicyLocation(NamedTuple):
    """The path of a policy file, and the expected digest of its content."""

    path: Path
    mtime_ns: int  #: the time of the file's last change, in nanoseconds
    label: str  #: the expected digest of the content; "": any content is accepted

    def read(self) -> bytes:
        """Return the content of the policy file.

        Raises:
            PolicyFileError: the file cannot be read, or its content does not have the expected digest.
        """
        content = bounded_io.read_bytes(self.path, bounded_io.ARRAYS_BYTES, PolicyFileError, "policy")
        check_digest(content, self.label, self.path, "policy", PolicyFileError)
        return content


def locate_policy(source: str | Path) -> PolicyLocation:
    """Find the file of a policy.

    source: the name of a policy in this package, or the path of a file. A path may end with ``#`` and the expected
    digest of the file's content.

    Raises:
        PolicyFileError: there is no policy or file with the name `source`.
    """
    path_of(source, "policy", PolicyFileError)
    paths = {**BUNDLED, **built_in_policies()}
    named = _PINNED.fullmatch(str(source))
    name, digest = named.groups() if named else (str(source), "")
    path = paths.get(name, Path(name))
    if path.suffix != ".npz":
        hint = did_you_mean(str(source), paths)
        raise PolicyFileError(f"no policy {str(source)!r}{hint}; there are {', '.join(paths)}, or give a .npz file")
    try:
        return PolicyLocation(path, path.stat().st_mtime_ns, digest)
    except (OSError, ValueError) as error:
        hint = ""
        if isinstance(error, FileNotFoundError):
            hint = "; train a policy first: warlight train ppo writes the file policy.npz in the folder of its run"
        raise PolicyFileError(f"cannot read {bounded_io.shown(path)}: {bounded_io.reason(error)}{hint}") from None


@functools.lru_cache(maxsize=16)
def _load(location: PolicyLocation) -> PolicyFile:
    return PolicyFile.from_bytes(location.read(), str(location.path)).shared()
