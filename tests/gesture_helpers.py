"""Gestures of a mouse, a pen and fingers on the page, as input events of the browser (Chrome DevTools protocol)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

Point = tuple[float, float]

DESKTOP: Final = {"viewport": {"width": 1280, "height": 800}}
TABLET: Final = {"viewport": {"width": 820, "height": 1180}, "has_touch": True, "is_mobile": True}
HANDSET: Final = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


class Device(NamedTuple):
    """A screen with its pointer: "mouse", "pen" or "touch"."""

    name: str
    pointer: str
    options: dict[str, Any]


DEVICES: Final = (
    Device("desktop", "mouse", DESKTOP),
    Device("desktop", "pen", DESKTOP),
    Device("tablet", "touch", TABLET),
    Device("tablet", "pen", {"viewport": TABLET["viewport"]}),
    Device("phone", "touch", HANDSET),
)


class Gestures:
    """Gestures of one pointer on one page."""

    def __init__(self, page: Any, pointer: str) -> None:
        self._page = page
        self._pointer = pointer
        self._session = page.context.new_cdp_session(page)

    def _mouse(self, kind: str, at: Point, buttons: int = 0, button: str = "none") -> None:
        self._session.send(
            "Input.dispatchMouseEvent",
            {"type": kind, "x": at[0], "y": at[1], "buttons": buttons, "button": button, "clickCount": 1,
             "pointerType": self._pointer},
        )  # fmt: skip

    def _touch(self, kind: str, *points: Point) -> None:
        fingers = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    def press(self, at: Point) -> None:
        """Click or tap."""
        if self._pointer == "touch":
            # This sends the end of the touch without waiting for an answer to its start. If a busy machine answered
            # late, a touch with two calls of `_touch` would be a long press.
            self._page.touchscreen.tap(*at)
        else:
            self._mouse("mouseMoved", at)
            self._mouse("mousePressed", at, 1, "left")
            self._mouse("mouseReleased", at, 0, "left")

    def hold(self, at: Point, milliseconds: int = 900) -> None:
        """Press for a long time; with a mouse or a pen, press the right button."""
        if self._pointer == "touch":
            self._touch("touchStart", at)
            self._page.wait_for_timeout(milliseconds)
            self._touch("touchEnd")
        else:
            self._mouse("mouseMoved", at)
            self._mouse("mousePressed", at, 2, "right")
            self._mouse("mouseReleased", at, 0, "right")

    def drag(self, start: Point, end: Point, steps: int = 8, pause: int = 16) -> None:
        """Press at `start`, move to `end` in a straight line, and release.

        Args:
            pause: milliseconds after each step of a finger.
        """
        way = [tuple(a + (b - a) * k / steps for a, b in zip(start, end, strict=True)) for k in range(1, steps + 1)]
        if self._pointer == "touch":
            self._touch("touchStart", start)
            for at in way:
                self._touch("touchMove", at)  # type: ignore[arg-type]
                self._page.wait_for_timeout(pause)
            self._touch("touchEnd")
        else:
            self._mouse("mouseMoved", start)
            self._mouse("mousePressed", start, 1, "left")
            for at in way:
                self._mouse("mouseMoved", at, 1, "left")  # type: ignore[arg-type]
            self._mouse("mouseReleased", end, 0, "left")

    def wheel(self, at: Point, down: float, ctrl: bool = False) -> None:
        """Turn the wheel by `down` pixels; with `ctrl` this is also what a touchpad sends for two fingers."""
        self._page.mouse.move(*at)
        if ctrl:
            self._page.keyboard.down("Control")
        self._page.mouse.wheel(0, down)
        if ctrl:
            self._page.keyboard.up("Control")

    def pinch(self, at: Point, start: float, end: float, steps: int = 8) -> None:
        """Move two fingers, from a distance of `start` pixels to a distance of `end` pixels."""
        (x, y) = at
        self._touch("touchStart", (x - start / 2, y), (x + start / 2, y))
        for k in range(1, steps + 1):
            half = (start + (end - start) * k / steps) / 2
            self._touch("touchMove", (x - half, y), (x + half, y))
            self._page.wait_for_timeout(16)
        self._touch("touchEnd")
