// Tips of a first game's later rounds: each is told once, where what it is about has come up.
import { against, idle, towardFront } from '../facts';
import type { Desk } from '../desk.svelte';
import { nameOf } from '../people';
import { income } from '../rules';
import type { Show } from '../show.svelte';
import { t } from '../words.svelte';
import type { Step } from './step';

export const TIP_NAMES = ['end', 'rest', 'bonus', 'enemy', 'idle', 'goal'] as const;

export interface Tip extends Step {
  name: (typeof TIP_NAMES)[number];
}

/** The first of some tips that fits; null: none does. */
export function tipFor(show: Show, desk: Desk, over: boolean, among: readonly Tip['name'][]): Tip | null {
  const { doc, position } = show;
  const me = doc.seat ?? 0;
  const name = (r: number) => doc.map.regions[r].name;
  const fits: Record<Tip['name'], () => Omit<Tip, 'name'> | null> = {
    end: () => (over && show.atEnd ? { says: ended(show, me) } : null),
    rest: () => {
      const left = desk.draft?.left ?? 0;
      if (!desk.editing || left <= 0 || !(desk.draft!.phase === 'review' || desk.asking)) return null;
      const says = t('{n, plural, one {One army is} other {# armies are}} not deployed. What is left when you commit is lost: nothing is saved for later.', { n: left });
      return { says, at: { css: desk.asking ? '[data-guide="back"]' : '[data-guide="deploy"]' } };
    },
    bonus: () => {
      const mark = show.current?.marks.find((m) => m.kind === 'won');
      const won = doc.map.supers.findIndex((x) => x.regions.every((r) => position.owner[r] === me));
      if (!desk.editing || !mark || won < 0) return null;
      const { name: of, bonus } = doc.map.supers[won];
      const values = { of, bonus, all: income(doc, position.owner, me) };
      return { says: t('{of} is yours, and brings {bonus} armies more in every round as long as you hold all of it: {all} now.', values), at: { css: `[data-super="${won}"]` } };
    },
    enemy: () => {
      const [r] = position.owner.flatMap((o, r) => (o === me && against(doc.map, position, me, r) ? [r] : []));
      if (!desk.editing || r === undefined) return null;
      const beside = doc.map.regions[r].near.find((n) => position.owner[n] >= 0 && position.owner[n] !== me)!;
      const who = nameOf(doc, position.owner[beside]);
      const values = { who, from: name(beside), r: name(r), n: income(doc, position.owner, position.owner[beside]) };
      return { says: t('{who} stands beside you, in {from}. It deploys {n} armies a round where you do not see it beforehand: send more than what stands there now, or deploy on {r} to hold it.', values), at: { region: beside } };
    },
    idle: () => {
      const [r] = idle(doc.map, position, me);
      const to = r === undefined ? null : towardFront(doc.map, position.owner, me, r);
      if (!desk.editing || to === null) return null;
      const values = { n: position.army[r] - 1, from: name(r), to: name(to) };
      return { says: t('{n, plural, one {An army stands} other {# armies stand}} idle in {from}: nothing foreign is beside it. Send them up, by way of {to}, as you would attack.', values), at: { region: r } };
    },
    goal: () => {
      if (!desk.editing) return null;
      const says = t('That is all you need: take every region of the other player. In games with fog you see only your regions and their neighbours; here you see all.');
      return { says };
    },
  };
  for (const kind of among) {
    const tip = fits[kind]();
    if (tip) return { name: kind, ...tip };
  }
  return null;
}

function ended(show: Show, me: number): string {
  const won = show.history.end?.winner === me;
  return won ? t('You have won your first game. Now try a stronger bot.') : t('This game is over, and not yours. Begin the guide once more, or another game.');
}
