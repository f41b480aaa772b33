"""Functions that draw a logged game as SVG files, as a GIF or as a video."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.engine.orders import Orders
from warlight_env.engine.visibility import visible
from warlight_env.errors import InputError, RunError
from warlight_env.folder_lock import FolderLock
from warlight_env.output import replacing, write_errors, write_file
from warlight_env.record.reader import GameLog
from warlight_env.record.replay import replay, result_of
from warlight_env.render import ShownPosition, to_rgb, to_svg
from warlight_env.render.shown_position import UNKNOWN

#: The number of pictures per second of a video. Each position is shown for several pictures.
VIDEO_RATE: Final = 10
#: The last position is shown three times as long as every other position.
LAST: Final = 3
#: A function that is called after each frame is written, with the number of frames so far.
OnFrame = Callable[[int], None]


class ExportError(RunError):
    """A picture or a video cannot be written, or a library for it is not installed."""


@dataclass(frozen=True)
class ReplayFrame:
    """A position of a logged game, and the orders of the next round without illegal orders.

    If the frame shows the view of one player under fog, it contains only orders that this player saw.
    """

    position: ShownPosition
    orders: Mapping[int, Orders]

    def svg(self, width: int) -> str:
        """Return the frame as an SVG document."""
        return to_svg(self.position, self.orders, width)

    def rgb(self, width: int) -> npt.NDArray[np.uint8]:
        """Return the frame as pixels, uint8[H, W, 3]."""
        return to_rgb(self.position, self.orders, width)


def frames(
    log: GameLog, round: int | None = None, player: int | None = None, *, orders: bool = True
) -> list[ReplayFrame]:
    """Return the frames of a logged game: the positions after 0, 1, 2 … rounds, or only one position.

    Args:
        log: the log of the game.
        round: return only the position after this number of rounds; None: all positions.
        player: if the rules have fog, show the view of this player, with only those orders that it saw. If `player` is
            None, show all regions and orders.
        orders: whether to show the orders of the next round.

    Raises:
        InputError: the log has fewer than `round` rounds, or the game has no player with this number.
    """
    header = log.header
    if round is not None and not 0 <= round <= len(log.rounds):
        raise InputError(f"round {round}: the log has rounds 0 to {len(log.rounds)}")
    if player is not None and not 0 <= player < len(header.players):
        raise InputError(f"seat {player + 1}: the game has seats 1 to {len(header.players)}")
    positions = {position.round: position for position in replay(log)}  # the last position of each round number
    replay_frames = []
    for number, position in positions.items():
        if round is not None and number != round:
            continue
        owner: Sequence[int] = position.owner
        next_orders = log.rounds[number].legal_orders if orders and number < len(log.rounds) else ()
        shown_orders = {p: turn for p, turn in enumerate(next_orders) if turn is not None}
        if player is not None and header.rules.fog:
            visible_regions = visible(header.map.neighbors, owner, player)
            owner = [holder if r in visible_regions else UNKNOWN for r, holder in enumerate(owner)]
            shown_orders = {
                p: turn if p == player else _seen_orders(log, number + 1, player, p) for p, turn in shown_orders.items()
            }
        replay_frames.append(
            ReplayFrame(
                ShownPosition(header.map, owner, position.army, len(header.players), number, log.names), shown_orders
            )
        )
    return replay_frames


def _seen_orders(log: GameLog, number: int, player: int, other: int) -> Orders:
    """Return those orders of the player `other` in a round that `player` saw."""
    result = result_of(log, number).seen_by(player)
    return Orders(
        [(d.region, d.armies) for d in result.deploys if d.player == other],
        [(e.source, e.target, e.armies) for e in result.events if e.player == other],
    )


def write_svgs(replay_frames: Sequence[ReplayFrame], folder: Path, width: int, on_frame: OnFrame) -> None:
    """Write each frame to an SVG file in a folder. The name contains the number of rounds: ``round-000.svg``.

    Raises:
        FolderLockedError: another run writes to the folder.
        ExportError: the folder cannot be written.
    """

    def unwritable(error: OSError) -> ExportError:
        return ExportError(f"cannot write pictures to {folder}: {error.strerror or error}")

    with FolderLock(folder, unwritable=unwritable):
        try:
            for count, frame in enumerate(replay_frames, 1):
                write_file(folder / f"round-{frame.position.round:03d}.svg", frame.svg(width), sync=False)
                on_frame(count)
        except OSError as error:
            raise unwritable(error) from None


def write_gif(replay_frames: Sequence[ReplayFrame], path: Path, width: int, seconds: float, on_frame: OnFrame) -> None:
    """Write an animated GIF that shows each frame for `seconds`.

    All frames use the same palette, so that colours do not flicker, and unchanged parts of a frame need no space.
    """
    from PIL import Image

    samples = [replay_frames[0], replay_frames[len(replay_frames) // 2], replay_frames[-1]]
    mosaic = Image.fromarray(np.concatenate([frame.rgb(width) for frame in samples]))
    palette = mosaic.quantize(256, method=Image.Quantize.MEDIANCUT)

    def pictures() -> Iterator[Any]:
        for count, frame in enumerate(replay_frames, 1):
            picture = Image.fromarray(frame.rgb(width))
            yield picture.quantize(palette=palette, dither=Image.Dither.NONE)
            on_frame(count)

    images = pictures()
    times = [round(1000 * seconds)] * (len(replay_frames) - 1) + [round(1000 * seconds * LAST)]
    data = io.BytesIO()
    next(images).save(
        data, "GIF", save_all=True, append_images=images, duration=times if len(replay_frames) > 1 else times[0], loop=0
    )
    with write_errors(path, ExportError):
        write_file(path, data.getvalue())


def write_mp4(replay_frames: Sequence[ReplayFrame], path: Path, width: int, seconds: float, on_frame: OnFrame) -> None:
    """Write an MP4 video (H.264) that shows each frame for `seconds`.

    The function needs the libraries of the extra ``export``.
    """
    try:
        import imageio.v2 as imageio
        import imageio_ffmpeg  # noqa: F401 -- the program that does it
    except ImportError as error:
        raise ExportError(
            f'a video needs {error.name}, which is not installed: pip install "warlight-env[export]" or ".[export]"'
        ) from None
    repeats = max(1, round(seconds * VIDEO_RATE))
    with write_errors(path, ExportError), replacing(path) as temporary:
        options: dict[str, Any] = {"codec": "libx264", "quality": 8, "macro_block_size": 2}
        writer: Any = imageio.get_writer(temporary, format="FFMPEG", fps=VIDEO_RATE, **options)
        with writer as film:
            for count, frame in enumerate(replay_frames, 1):
                picture = _even(frame.rgb(width))
                for _ in range(repeats * (LAST if count == len(replay_frames) else 1)):
                    film.append_data(picture)
                on_frame(count)


def _even(picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return a picture with even height and width, which videos need.

    If a size is odd, repeat the last row or column.
    """
    height, width = picture.shape[:2]
    return np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
