// The orders of a round as the lines of a list, with their results and arrows.
import { type Round, tell, tellDeploy } from './history';
import { nameOf } from './player-names';
import { reason } from './reasons';
import type { Arrow } from './scene';
import type { GameDoc } from './types';
import { t } from './i18n.svelte';

export interface Line {
  step: number; // step of the round that a click on the line shows
  player: number;
  regions: number[]; // indices of the regions concerned
  text: string;
  result: string;
  kind: 'deploy' | 'transfer' | 'taken' | 'held' | 'dropped';
  good: boolean | null; // for the viewer's side; null: neither, or the viewer has no side
  says: string; // the order and its result as a sentence
  arrow: Arrow | null;
}

/**
 * Return all known orders of a round: deploys, then moves in the order of execution, then illegal orders. `before`: the
 * owners of the regions before the round. `side`: the player on whose side the viewer is; null: none.
 */
export function linesOf(doc: GameDoc, round: Round, before: number[] = [], side: number | null = null): Line[] {
  const owner = [...before];
  /** Judge a battle for the viewer: `holder` is the owner of the attacked region. */
  const judge = (player: number, holder: number | undefined, captured: boolean): boolean | null => {
    if (side === null || player === side) return captured || null;
    return holder === side ? !captured : null;
  };
  const name = (r: number) => doc.map.regions[r]?.name ?? `${r}`;
  const deploys = round.deploys.map((deploy): Line => {
    const [player, region, armies] = deploy;
    const says = tellDeploy(doc, deploy);
    return { step: 1, player, regions: [region], text: name(region), result: `+${armies}`, kind: 'deploy', good: null, says, arrow: null };
  });
  const moves = round.moves.map(([player, from, to, armies, lost, killed, captured], k): Line => {
    const transfer = lost === undefined;
    const isGood = transfer ? null : judge(player, owner[to], Boolean(captured));
    if (captured) owner[to] = player;
    return {
      step: k + 2,
      player,
      regions: [from, to],
      text: `${name(from)} ${transfer ? '⇢' : '⚔'} ${name(to)}`,
      result: transfer ? `${armies}` : `${armies} −${lost}/−${killed}${!captured ? '' : isGood === false ? ' ⚑' : ' ✓'}`,
      kind: transfer ? 'transfer' : captured ? 'taken' : 'held',
      good: isGood,
      says: tell(doc, round, k + 2),
      arrow: { player, from, to, armies, transfer, style: 'ghost' },
    };
  });
  const dropped = round.dropped.map(([player, kind, , order, english]): Line => {
    const regions = order.slice(0, kind === 'deploy' ? 1 : 2).filter((r) => r in doc.map.regions);
    const text = regions.map(name).join(' → ');
    const cause = reason(english);
    const says = t('{who}: {kind, select, deploy {deploy} pick {pick} other {attack}} {text} is not executed, {reason}', { who: nameOf(doc, player), kind, text, reason: cause });
    const kinds = { deploy: t('deploy'), attack: t('attack'), pick: t('pick') };
    return { step: 1, player, regions, text: text || kinds[kind], result: cause, kind: 'dropped', good: null, says, arrow: null };
  });
  return [...deploys, ...moves, ...dropped];
}
