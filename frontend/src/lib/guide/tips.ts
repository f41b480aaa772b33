// Tips for the later rounds of a first game. Each is shown once, when its subject first occurs.
import { idle, towardFront } from '../position-queries';
import type { TurnInput } from '../turn-input.svelte';
import { nameOf } from '../player-names';
import { income } from '../rules';
import type { Playback } from '../playback.svelte';
import { joined, t } from '../i18n.svelte';
import type { Step } from './step';

export const TIP_NAMES = ['end', 'rest', 'bonus', 'enemy', 'idle', 'goal'] as const;

export interface Tip extends Step {
  name: (typeof TIP_NAMES)[number];
}

/** Return the first tip that fits the situation; null: none does. */
export function tipFor(show: Playback, turnInput: TurnInput, over: boolean, names: readonly Tip['name'][]): Tip | null {
  const { doc, position } = show;
  const me = doc.seat ?? 0;
  const name = (r: number) => doc.map.regions[r].name;
  const tips: Record<Tip['name'], () => Omit<Tip, 'name'> | null> = {
    end: () => (over && show.atEnd ? { says: endText(show, me), at: { css: '.result [data-guide="analysis"]' } } : null),
    rest: () => {
      const left = turnInput.draft?.left ?? 0;
      if (!turnInput.editing || left <= 0 || !(turnInput.draft!.phase === 'review' || turnInput.asking)) return null;
      const says = t('{n, plural, one {One army is} other {# armies are}} not deployed. You lose armies that are not deployed when you commit.', { n: left });
      return { says, at: { css: turnInput.asking ? '[data-guide="back"]' : '[data-guide="deploy"]' } };
    },
    bonus: () => {
      const mark = show.current?.marks.find((m) => m.kind === 'won');
      const won = doc.map.supers.findIndex((x) => x.regions.every((r) => position.owner[r] === me));
      if (!turnInput.editing || !mark || won < 0) return null;
      const { name: superName, bonus } = doc.map.supers[won];
      const values = { of: superName, bonus, all: income(doc, position.owner, me) };
      return { says: t('You hold all of {of}. While you hold it, it gives {bonus, plural, one {# more army} other {# more armies}} in every round: your income is now {all}.', values), at: { css: `[data-super="${won}"]` } };
    },
    enemy: () => {
      const enemyRegions = doc.map.regions.flatMap(({ near }, n) => (position.owner[n] >= 0 && position.owner[n] !== me && near.some((r) => position.owner[r] === me) ? [n] : []));
      if (!turnInput.editing || !enemyRegions.length) return null;
      const strongest = enemyRegions.reduce((a, b) => (position.army[b] > position.army[a] ? b : a));
      const owner = position.owner[strongest];
      const ownNeighbours = doc.map.regions[strongest].near.filter((r) => position.owner[r] === me);
      const weakest = ownNeighbours.reduce((a, b) => (position.army[b] < position.army[a] ? b : a));
      const from = joined(enemyRegions.filter((n) => position.owner[n] === owner).map(name));
      const values = { who: nameOf(doc, owner), from, r: name(weakest), n: income(doc, position.owner, owner) };
      return { says: t('{who} is your neighbour in {from}. It deploys {n, plural, one {# army} other {# armies}} in each round, and you do not see where. Send more armies than are there now, or deploy on {r} to defend it.', values), at: { region: strongest } };
    },
    idle: () => {
      const [r] = idle(doc.map, position, me);
      const to = r === undefined ? null : towardFront(doc.map, position.owner, me, r);
      if (!turnInput.editing || to === null) return null;
      const values = { n: position.army[r] - 1, from: name(r), to: name(to) };
      return { says: t('{n, plural, one {One army is} other {# armies are}} idle in {from}, besides the one that must stay: all neighbours of {from} are yours. Move {n, plural, one {it} other {them}} to the front through {to}, with an order like an attack.', values), at: { region: r } };
    },
    goal: () => {
      if (!turnInput.editing) return null;
      const says = t('Now you know the game. In games with fog you see only your regions and their neighbours. In this game you see all regions.');
      return { says };
    },
  };
  for (const kind of names) {
    const tip = tips[kind]();
    if (tip) return { name: kind, ...tip };
  }
  return null;
}

function endText(show: Playback, me: number): string {
  const won = show.history.end?.winner === me;
  const values = { open: t('Open the analysis') };
  return won
    ? t('You have won your first game. The analysis shows which of your turns were mistakes, and better turns. Press {open} here, or the marked button. Then try a stronger bot.', values)
    : t('This game is over, and you did not win. The analysis shows which of your turns were mistakes, and better turns. Press {open} here, or the marked button. Then start the guide again, or start another game.', values);
}
