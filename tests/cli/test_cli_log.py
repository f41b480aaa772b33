"""``warlight replay``, ``warlight log`` and ``match --log``: their output, their files and their errors."""

from __future__ import annotations

import json
import os
import pty
import resource
import signal
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from arena_agents import Idle
from forked_python import WARLIGHT, ForkedProgram
from helpers import read_terminal
from log_helpers import play_logged, read_lines
from warlight_env.arena import PlayOptions, play_game
from warlight_env.cli import main
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.record import GameLog, LogWriter, MemoryRecorder, result_of
from warlight_env.record.pictures import LAST, VIDEO_RATE, frames


@pytest.fixture(scope="module")
def game(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("logs") / "game.wl.jsonl.gz"
    play_logged(file, map="small", seed=5, picks="agents")
    return file


@pytest.fixture
def foggy(tmp_path) -> Path:
    file = tmp_path / "foggy.wl.jsonl"
    play_logged(file, map="small", rules="challenge1", seed=2, max_rounds=4)
    return file


def run(capsys, *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


# Replay


def test_replay_as_text_equals_the_output_of_watch(capsys, tmp_path):
    options = ("random", "aggressive", "--map", "small", "--seed", "3")
    assert run(capsys, "match", *options, "-n", "1", "-q", "--log", tmp_path)[0] == 0
    code, watched, _ = run(capsys, "watch", *options)
    assert code == 0
    (file,) = tmp_path.glob("game-*")
    assert run(capsys, "replay", file) == (0, watched, "")


def test_replay_shows_one_round(capsys, game):
    code, text, _ = run(capsys, "replay", game, "--round", "3")
    assert code == 0
    assert text.count("Small island · round") == 1
    assert "round 3" in text
    code, text, _ = run(capsys, "replay", game, "--round", "0")
    assert "deploys" not in text


def test_replay_marks_an_incomplete_log(capsys, game, tmp_path):
    lines = read_lines(game)
    file = tmp_path / "cut.wl.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines[:6]))
    code, text, _ = run(capsys, "replay", file)
    assert code == 0
    assert text.endswith("the log ends after 3 rounds (incomplete)\n")


def test_replay_reports_the_failure_that_ended_a_game(capsys):
    file = Path(__file__).parents[1] / "logs" / "v1-failed.partial.wl.jsonl"
    (failure,) = GameLog.load(file).failures
    code, text, _ = run(capsys, "replay", file)
    assert code == 0
    assert text.endswith(f"failed in round 3: {failure.reason}\nthe log ends after 2 rounds (failed)\n")


def test_replay_of_a_seat_hides_regions_and_orders_in_the_fog(capsys, foggy):
    log = GameLog.load(foggy)
    _, all_seen, _ = run(capsys, "replay", foggy)
    _, seen, _ = run(capsys, "replay", foggy, "--seat", "2")
    assert "?" not in all_seen
    assert "?" in seen
    own = [r for r, by in enumerate(log.start.owner) if by == 1]
    near = {q for r in own for q in log.header.map.neighbors[r]}
    first = seen.split("round 1")[0]
    for r, region in enumerate(log.header.map.regions):
        assert (f"?{region.code}" in first) == (r not in near and r not in own)
    deploys = {line.split()[0] for line in seen.splitlines() if " deploys " in line}
    assert deploys == {"2"}


def test_replay_of_a_seat_shows_only_its_own_decision_info(capsys, tmp_path):
    file = tmp_path / "a.wl.jsonl"
    specs = ("mcts:sims=5", "mcts:sims=5,picks=search")
    play_logged(
        file, specs, map="small", rules=Rules.of("thesis", fog=True), seed=2, picks="agents", insight=True, max_rounds=2
    )
    for seat in (1, 2):
        _, text, _ = run(capsys, "replay", file, "--decision-info", "--seat", str(seat))
        assert {line.split()[0] for line in text.splitlines() if " considered (" in line} == {str(seat)}


def test_a_log_and_its_replay_distinguish_skipped_answers_from_empty_turns(capsys, tmp_path):
    class Failing(Idle):
        """An agent that fails in its picks and in every second round, and gives empty turns in the other rounds."""

        def pick(self, view):
            raise ValueError("no picks")

        def act(self, view, budget=None):
            if view.round % 2:
                raise ZeroDivisionError("nothing left to divide")
            return Orders()

    def lines(log: GameLog, *options: str) -> list[str]:
        file = tmp_path / f"{log.header.rules.name}.wl.jsonl"
        log.save(file)
        _, text, _ = run(capsys, "replay", file, *options)
        assert "thought" not in text
        return [line for line in text.splitlines() if "gave no" in line]

    logs = []
    for rules in ("thesis", "challenge1"):
        recorder = MemoryRecorder(insight=True)
        options = PlayOptions(on_crash="skip")
        agents = [Failing(1), Idle(2)]
        play_game(agents, "small", rules, 3, picks="agents", max_rounds=3, observer=recorder, options=options)
        logs.append(recorder.log)
        assert [[i.player for i in step.insights] for step in recorder.log.steps] == [[0], [], [0], []]
    plain, foggy = logs
    no_picks, no_orders = lines(plain, "--decision-info")
    assert no_picks.strip().startswith("1 idle gave no picks: ValueError: no picks (test_cli_log.py, line ")
    assert no_orders.strip().startswith("1 idle gave no orders: ZeroDivisionError: nothing left to divide (test_")
    assert len(lines(foggy, "--seat", "1")) == 2 and not lines(foggy, "--seat", "2")


def test_pictures_of_a_seat_show_only_the_visible_orders_of_others(tmp_path):
    class Pushy(Idle):
        """An agent with many deploys and attacks, of which few are legal."""

        def act(self, view, budget=None):
            own = [r for r, by in enumerate(view.owner) if by == view.player]
            rows = [(r, q, 900 + q) for r in range(view.map.n_regions) for q in view.map.neighbors[r]]
            return Orders([(own[0], view.income), *((r, 77) for r in own)], rows)

    file = tmp_path / "pushy.wl.jsonl"
    with LogWriter(file) as writer:
        play_game([Idle(1), Pushy(2)], "small", Rules.of("thesis", fog=True), 3, max_rounds=4, observer=writer)
    log = GameLog.load(file)
    for frame in frames(log, player=0)[:-1]:
        result = result_of(log, frame.position.round + 1).seen_by(0)
        assert frame.orders[0] == log.rounds[frame.position.round].orders[0]
        assert frame.orders[1].deploys == [(d.region, d.armies) for d in result.deploys]
        assert frame.orders[1].attacks == [(e.source, e.target, e.armies) for e in result.events]
    drawn_rounds = [
        replace(r, orders=(r.orders[0], f.orders[1]), dropped=()) for f, r in zip(frames(log), log.rounds, strict=False)
    ]
    assert [r.deploys for r in drawn_rounds] == [r.deploys for r in log.rounds]
    assert all(r.dropped for r in log.rounds), "the agent gives illegal orders, and pictures show only legal ones"
    assert [f.orders[1].attacks for f in frames(log)[:-1]] == [r.legal_orders[1].attacks for r in log.rounds]


def test_replay_shows_decision_info(capsys, tmp_path):
    file = tmp_path / "a.wl.jsonl"
    play_logged(file, ("mcts:sims=20,picks=search", "random"), map="small", seed=2, picks="agents", insight=True)
    _, text, _ = run(capsys, "replay", file, "--decision-info", "--round", "1")
    assert "considered (" in text
    assert "of 10 visits, value " in text
    _, text, _ = run(capsys, "replay", file, "--decision-info", "--round", "0")
    preferences = GameLog.load(file).steps[0].preferences[0]
    codes = " ".join(GameLog.load(file).header.map.regions[r].code.lower() for r in preferences)
    assert f"value {read_lines(file)[2]['data']['candidates'][0]['value']:.2f}): {codes}" in text


def test_replay_writes_one_svg_per_round(capsys, game, tmp_path):
    log = GameLog.load(game)
    code, text, _ = run(capsys, "replay", game, "--svg", tmp_path / "new" / "svg", "--width", "400")
    assert (code, text) == (0, "")
    files = sorted((tmp_path / "new" / "svg").iterdir())
    assert [file.name for file in files] == [f"round-{n:03d}.svg" for n in range(len(log.rounds) + 1)]
    arrows = []
    for file in files:
        tree = ET.parse(file).getroot()
        assert tree.get("width") == "400"
        titles = [title.text or "" for title in tree.iter("{http://www.w3.org/2000/svg}title")]
        arrows.append(sum("attacks with" in title for title in titles))
    assert any(arrows)
    assert arrows[-1] == 0


def test_replay_writes_a_gif(capsys, game, tmp_path):
    log, file = GameLog.load(game), tmp_path / "game.gif"
    assert run(capsys, "replay", game, "--gif", file, "--delay", "0.25", "--width", "300", "-q")[0] == 0
    with Image.open(file) as picture:
        shown = []
        for index in range(picture.n_frames):
            picture.seek(index)
            shown.append((picture.convert("RGB").copy(), picture.info["duration"]))
    assert sum(time for _, time in shown) == 250 * (len(log.rounds) + LAST)
    assert shown[0][0].size[0] == 300
    drawn = frames(log)
    for (picture, _), frame in ((shown[0], drawn[0]), (shown[-1], drawn[-1])):
        difference = np.abs(np.asarray(picture).astype(int) - frame.rgb(300).astype(int))
        assert difference.mean() < 2


def test_replay_writes_a_video(capsys, game, tmp_path):
    imageio = pytest.importorskip("imageio.v2")
    pytest.importorskip("imageio_ffmpeg")
    log, file = GameLog.load(game), tmp_path / "game.mp4"
    assert run(capsys, "replay", game, "--mp4", file, "--delay", "0.2", "--width", "301", "-q")[0] == 0
    with imageio.get_reader(file) as reader:
        pictures = list(reader.iter_data())
        assert reader.get_meta_data()["fps"] == VIDEO_RATE
    assert len(pictures) == 2 * (len(log.rounds) + LAST)
    first = frames(log)[0].rgb(301)
    assert np.abs(pictures[0][: first.shape[0], :301].astype(int) - first.astype(int)).mean() < 6
    assert [path.name for path in tmp_path.iterdir()] == ["game.mp4"]


def test_the_error_for_a_missing_video_library_names_the_extra(capsys, game, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio.v2", None)
    code, _, errors = run(capsys, "replay", game, "--mp4", tmp_path / "game.mp4", "--html", tmp_path / "game.html")
    assert code == 1
    assert 'pip install "warlight-env[export]"' in errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option, name", [("--svg", "x"), ("--gif", "x.gif"), ("--mp4", "x.mp4")])
def test_write_errors_of_pictures_are_reported_before_a_page_is_written(capsys, game, tmp_path, option, name):
    (tmp_path / "file").write_text("mine")
    page = tmp_path / "page.html"
    code, _, errors = run(capsys, "replay", game, option, tmp_path / "file" / name, "--html", page, "--round", "1")
    assert code == 1
    assert errors.startswith("error: cannot write ")
    assert not page.exists()


@pytest.mark.parametrize(
    "words, reason",
    [
        (["--round", "999"], "round 999: the log has rounds 0 to"),
        (["--round", "-1"], "round -1: the log has rounds 0 to"),
        (["--seat", "3"], "seat 3: the game has seats 1 to 2"),
        (["--gif", "x.png"], "--gif x.png: must end in .gif"),
        (["--mp4", "x.gif"], "--mp4 x.gif: must end in .mp4"),
        (["--delay", "0"], "--delay 0.0: must be"),
        (["--width", "100"], "--width 100: must be"),
    ],
)
def test_invalid_arguments_of_replay_are_an_error(capsys, game, words, reason):
    code, _, errors = run(capsys, "replay", game, *words)
    assert code == 2
    assert reason in errors


def test_a_write_error_keeps_the_old_gif(capsys, game, tmp_path):
    file = tmp_path / "game.gif"
    assert run(capsys, "replay", game, "--gif", file, "--width", "200", "-q")[0] == 0
    before, limits = file.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before), limits[1]))  # as on a full disk
        code, _, error = run(capsys, "replay", game, "--gif", file, "--width", "400", "-q")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert code == 1 and "cannot write" in error
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_replay_redraws_a_terminal(game):
    ours, theirs = pty.openpty()
    child = ForkedProgram(WARLIGHT, "replay", str(game), "--delay", "0.02", output=theirs, errors=theirs)
    os.close(theirs)
    shown = read_terminal(ours)
    assert child.wait() == 0
    assert shown.count(b"\x1b[H\x1b[2J") == len(GameLog.load(game).rounds) + 1


# Verify


def test_verify_reports_valid_and_invalid_logs(capsys, game, tmp_path):
    lines = read_lines(game)
    lines[4]["hash"] = "0" * 16
    (tmp_path / "b.wl.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "c.wl.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines[:4]))
    (tmp_path / "d.wl.jsonl").write_text("{}\n")
    code, text, _ = run(capsys, "log", "verify", game, tmp_path)
    assert code == 1
    first, b, c, d = text.splitlines()
    assert first == f"{game}: ok, {len(GameLog.load(game).rounds)} rounds"
    assert b.startswith(f"{tmp_path / 'b.wl.jsonl'}: round 2: hash: the log has '0000000000000000'")
    assert c == f"{tmp_path / 'c.wl.jsonl'}: ok, 1 round (incomplete)"
    assert "not the log of a game" in d
    code, text, _ = run(capsys, "log", "verify", game, "--json")
    assert code == 0
    assert json.loads(text)[0]["ok"] is True


def test_verify_needs_logs(capsys, tmp_path):
    assert run(capsys, "log", "verify")[0] == 2
    code, _, errors = run(capsys, "log", "verify", tmp_path)
    assert (code, "there are no logs in this folder" in errors) == (2, True)


@pytest.mark.parametrize("name", ["nope", "nope.wl.jsonl"])
def test_a_missing_log_is_an_error(capsys, game, tmp_path, name):
    missing = tmp_path / name
    says = (2, "", f"error: {missing}: cannot be read: No such file or directory\n")
    assert run(capsys, "replay", missing) == says
    assert run(capsys, "log", "verify", game, missing) == says


# Continue


def test_continue_plays_on_with_other_bots(capsys, game, tmp_path):
    file = tmp_path / "on.wl.jsonl.gz"
    code, text, _ = run(capsys, "log", "continue", game, "one_big_army", "random", "--round", "3", "-o", file)
    assert code == 0
    assert text.startswith("from round 3, 1 one_big_army against 2 random: ")
    log, old = GameLog.load(file), GameLog.load(game)
    assert log.rounds[:3] == old.rounds[:3]
    assert log.names == ("one_big_army", "random")
    assert run(capsys, "log", "verify", file)[0] == 0
    code, text, _ = run(capsys, "log", "continue", game, "--round", "3", "--json")
    data = json.loads(text)
    assert (code, data["from_round"], data["agents"], data["output"]) == (0, 3, ["random", "aggressive"], None)


@pytest.mark.parametrize(
    "words, reason",
    [
        ([], "the game is over after round"),
        (["--round", "99"], "the log has rounds 0 to"),
        (["random", "--round", "1"], "1 agents for a game of 2 players"),
        (["random", "nobody", "--round", "1"], "no agent 'nobody'"),
        (["--round", "1", "--decision-info"], "--decision-info needs --out"),
        (["--round", "3", "--rounds", "2"], "max_rounds = 2"),
        (["--round", "1", "-o", "x.json"], "the name of a log must end in"),
    ],
)
def test_invalid_arguments_of_continue_are_an_error(capsys, game, words, reason):
    code, _, errors = run(capsys, "log", "continue", game, *words)
    assert code == 2
    assert reason in errors


# List


def test_list_shows_the_games_of_a_folder(capsys, tmp_path):
    options = ["match", "random", "aggressive", "-n", "3", "--map", "small", "-q", "--log", tmp_path / "logs"]
    assert run(capsys, *options)[0] == 0
    (tmp_path / "logs" / "bad.wl.jsonl").write_text("[]\n")
    code, text, errors = run(capsys, "log", "list", tmp_path)
    assert (code, errors) == (0, "")
    head, bad, *games = text.splitlines()
    assert head.split() == ["log", "players", "winner", "rounds", "map", "rules", "status"]
    assert "unreadable: line 1: not the log of a game" in bad
    assert len(games) == 3
    code, text, _ = run(capsys, "log", "list", tmp_path, "--json", "--status", "complete", "--last", "2")
    data = json.loads(text)
    assert [entry["game"] for entry in data] == [2, 3]
    assert all(entry["winner"] in (None, 1, 2) for entry in data)
    assert run(capsys, "log", "list", tmp_path, "--agent", "mcts")[1] == f"{tmp_path}: no logs match\n"


def test_list_repairs_a_damaged_index_and_prints_a_notice(capsys, game, tmp_path):
    (tmp_path / "a.wl.jsonl.gz").write_bytes(game.read_bytes())
    (tmp_path / ".warlight-logs.sqlite").write_bytes(b"damaged" * 100)
    code, text, errors = run(capsys, "log", "list", tmp_path)
    assert (code, "a.wl.jsonl.gz" in text) == (0, True)
    assert errors.startswith("notice: ")
    assert "was made again" in errors
    assert run(capsys, "log", "list", tmp_path)[2] == ""


def test_list_reports_empty_and_missing_folders(capsys, tmp_path):
    assert run(capsys, "log", "list", tmp_path)[:2] == (0, f"{tmp_path}: the folder has no logs\n")
    code, _, errors = run(capsys, "log", "list", tmp_path / "x")
    assert (code, "this folder does not exist" in errors) == (2, True)
    assert run(capsys, "log", "list", tmp_path, "--last", "0")[0] == 2


# Match


def test_match_logs_decision_info(capsys, tmp_path):
    options = ["match", "mcts:sims=5", "random", "-n", "1", "--map", "small", "-q", "--rounds", "2"]
    assert run(capsys, *options, "--log", tmp_path, "--decision-info")[0] == 0
    (file,) = tmp_path.glob("game-*")
    assert [line["event"] for line in read_lines(file)[1:]] == ["start", "insight", "round", "insight", "round", "end"]
    code, _, errors = run(capsys, *options, "--decision-info")
    assert (code, "--decision-info needs --log" in errors) == (2, True)
    code, _, errors = run(capsys, *options[:-1], "3", "--log", tmp_path)
    assert (code, "contains logs of another match" in errors) == (2, True)
