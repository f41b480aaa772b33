"""Texts of the page: the script reports missing translations, and each error code has a text."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import get_args, get_type_hints

from language_helpers import FRONTEND, czech
from node_helpers import needs_node

from warlight_env.agents.bot_profile import Face, Level
from warlight_env.agents.registry import describe, package_agents
from warlight_env.engine.orders import REASONS
from warlight_env.web.opponents.catalog import PACKAGE_AGENT, USER_POLICY

ROOT = FRONTEND.parent
SCRIPT = Path("scripts") / "texts.mjs"


def run_script(frontend: Path, *folder: Path) -> tuple[int, list[str]]:
    """Return the exit code and the lines of the script, for the page or for another folder."""
    command = ["node", str(SCRIPT), *map(str, folder)]
    done = subprocess.run(command, cwd=frontend, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


@needs_node
def test_every_text_of_the_page_has_a_czech_translation(frontend: Path):
    code, lines = run_script(frontend)
    assert lines[:-1] == []
    assert code == 0
    summary = re.fullmatch(r"(\d+) messages, (\d+) of them in Czech; 0 problems", lines[-1])
    assert summary is not None
    assert summary[1] == summary[2] == str(len(czech()) - len(czech("bots.ts")))


def test_texts_with_numbers_of_armies_have_a_singular():
    decimals = "on average|more than expected"  # "1.0 armies" is right
    texts = [text for text in czech() if re.search(r"\{\w+\} (\w+ )?armies", text) and not re.search(decimals, text)]
    assert texts == ["Wasteland: {n} armies"]  # the number is always six


COMPONENT = """<script lang="ts">
  import { pieces, t } from './words';
  let { n, name, error = $bindable('') } = $props();
  const title = n ? 'nothing is here' : t('fine');
  function fail(): void {
    error = 'broken';
    throw new Error(`no ${name} there`);
  }
</script>

<h1 title="Look here" class="big one">Plain text</h1>
<p style:width="{n}px" aria-label={n ? 'yes' : t('fine')}>{n === 'x' ? 'once' : t('fine')}</p>
<p>{t('{n, plural, one {# day} other {# days}}', { n })}</p>
<p>{t(name)} {t('unknown')} {t('{a} and {b}', { a: 1, b: 2 })} {pieces('<b>loud</b>')} {title}</p>
<button onclick={fail}>{t('{how, select, up {up} other {down}}', { how: name })} {t('broken')} <kbd>Enter</kbd></button>
"""
TEXTS = """export const cs = {
  fine: 'dobře',
  '{n, plural, one {# day} other {# days}}': '{n, plural, one {# den} other {# dnů}}',
  '{a} and {b}': '{a} a {c}',
  '<b>loud</b>': 'hlasitě',
  '{how, select, up {up} other {down}}': '{how, select, high {nahoru} other {dolů}}',
  broken: '{',
  unused: 'nepoužité',
  fine: 'podruhé',
};
"""


@needs_node
def test_the_script_reports_problems_with_their_place(frontend: Path, tmp_path: Path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "cs.ts").write_text(TEXTS, encoding="utf-8")
    (tmp_path / "Part.svelte").write_text(COMPONENT, encoding="utf-8")
    (tmp_path / "words.ts").write_text("export const t = (s: string) => s;\nexport const says = 'it is said';\n")
    code, lines = run_script(frontend, tmp_path)
    assert code == 1
    reported = set(lines[:-1])
    expected = {
        'Part.svelte:4: a sentence outside of t(): "nothing is here"',
        'Part.svelte:4: a text outside of t(): "nothing is here"',
        'Part.svelte:6: a text outside of t(): "broken"',
        'Part.svelte:7: a text outside of t(): "no"',
        'Part.svelte:7: a text outside of t(): "there"',
        'Part.svelte:11: title outside of t(): "Look here"',
        'Part.svelte:11: a text outside of t(): "Plain text"',
        'Part.svelte:12: a text outside of t(): "yes"',
        'Part.svelte:12: a text outside of t(): "once"',
        'Part.svelte:14: a message that is no literal: "t(name)"',
        'Part.svelte:14: no Czech: "unknown"',
        'words.ts:2: a text outside of t(): "it is said"',
        'texts/cs.ts:3: a plural without few: "{n, plural, one {# den} other {# dnů}}"',
        'texts/cs.ts:4: does not say b: "{a} a {c}"',
        'texts/cs.ts:4: says c, which the English has not: "{a} a {c}"',
        'texts/cs.ts:5: does not say <b>: "hlasitě"',
        "texts/cs.ts:6: chooses by how among high other, the English among other up: "
        '"{how, select, high {nahoru} other {dolů}}"',
        'texts/cs.ts:8: nothing says: "unused"',
        'texts/cs.ts:9: translated twice: "fine"',
    }
    assert expected - reported == set()
    rest = reported - expected
    assert all(line.startswith(("texts/cs.ts:7: cannot be read", "words.ts:2: a sentence")) for line in rest), rest
    assert len(rest) == 2
    assert lines[-1].endswith(f"{len(lines) - 1} problems")


def test_the_page_translates_exactly_the_texts_of_the_bots():
    infos = [info for info in describe() if not info.name.startswith("test-") and info.name not in package_agents()]
    profiles = [profile for info in infos for profile in info.profiles.values()]
    texts = {info.summary for info in infos} | {profile.description for profile in profiles}
    assert set(czech("bots.ts")) == texts | {*get_args(Level), PACKAGE_AGENT, USER_POLICY}
    assert all(czech("bots.ts").values())


def test_the_page_draws_exactly_the_colours_and_shapes_of_faces():
    text = (FRONTEND / "src" / "lib" / "avatars.ts").read_text(encoding="utf-8")
    lists = {
        name: set(re.findall(r"'(\w+)'", names)) for name, names in re.findall(r"^const (\w+) = \[(.+)\]", text, re.M)
    }
    colours = {
        name: set(re.findall(r"(\w+): '#", names))
        for name, names in re.findall(r"^const (\w+) = \{(.+?)\}", text, re.M | re.S)
    }
    drawn = {"head": "HEADS", "top": "TOPS", "eyes": "EYES", "mouth": "MOUTHS", "ground": "GROUNDS", "skin": "SKINS"}
    hints = get_type_hints(Face)
    assert hints.keys() == drawn.keys()
    assert {field: set(get_args(hint)) for field, hint in hints.items()} == {
        field: (lists | colours)[name] for field, name in drawn.items()
    }


def codes() -> set[str]:
    """Return the codes of all errors of the server."""
    forms = (r'\bcode="([a-z-]+)"', r'\bcode(?:, values)? = "([a-z-]+)"', r'\bcode="[a-z-]+" if .+ else "([a-z-]+)"')
    sources = [file.read_text(encoding="utf-8") for file in (ROOT / "warlight_env" / "web").rglob("*.py")]
    return {code for source in sources for form in forms for code in re.findall(form, source)}


def test_the_page_has_a_text_for_exactly_the_error_codes_of_the_server():
    text = (FRONTEND / "src" / "lib" / "error-messages.ts").read_text(encoding="utf-8")
    page_codes = set(re.findall(r"^  '?([a-z-]+)'?: \(", text, re.MULTILINE))
    assert len(page_codes) > 30
    assert page_codes == codes()


def test_the_page_has_a_text_for_exactly_the_reasons_of_the_rules():
    text = (FRONTEND / "src" / "lib" / "reasons.ts").read_text(encoding="utf-8")
    page_reasons = set(re.findall(r"""^  ['"](.+)['"]: \(\) =>""", text, re.MULTILINE))
    picks = (ROOT / "warlight_env" / "game_input.py").read_text(encoding="utf-8")
    pick_reasons = set(re.findall(r'IllegalOrder\(player, "pick", index, \(region,\), "([^"]+)"\)', picks))
    assert len(pick_reasons) == 2
    assert page_reasons == set(REASONS[1:]) | pick_reasons
