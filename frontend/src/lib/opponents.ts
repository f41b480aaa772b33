// The opponents that the server offers: their profiles, ratings, and the games that each plays.
import type { Face } from './avatars';
import { serverText, t } from './i18n.svelte';

/** Elo points with their 95 % interval, and what was played for them: `as` is the specification that was rated. */
export interface Rating {
  as: string;
  elo: number;
  low: number;
  high: number;
  games: number;
}

export interface Opponent {
  spec: string;
  kind: 'bot' | 'package' | 'file';
  name: string;
  description: string; // a sentence
  level: string | null; // null: unknown
  face: Face | null; // null: derived from the specification
  seconds: number; // limit for a turn; 0: none
  problem: string; // why it cannot be played; '': it can
  players: [least: number, most: number];
  regions: [least: number, most: number];
  rules: [name: string, fog: boolean][] | null; // presets that it plays; null: all
  ratings: Record<string, Rating>; // by map
}

export interface GameKind {
  players: number;
  regions: number;
  rules: string;
  fog: boolean;
}

/** The name of a bot that the server offers; another specification is its own name. */
export function nameOf(opponents: Opponent[], spec: string): string {
  return opponents.find((bot) => bot.spec === spec)?.name ?? spec;
}

/** Its description, and the time that it takes for a turn. */
export function lineOf({ description, seconds }: Opponent): string {
  const text = serverText(description);
  return seconds ? `${text} ${t('{secs, plural, one {One second} other {# seconds}} per turn.', { secs: seconds })}` : text;
}

/** Why it does not play such a game, after its name; '': it does. */
export function notPlayed({ players, regions, rules, problem }: Opponent, game: GameKind): string {
  if (problem) return problem;
  if (game.players < players[0] || game.players > players[1]) return players[1] === 2 ? t('plays two-player games only') : t('plays games of {least} to {most} players', { least: players[0], most: players[1] });
  if (game.regions < regions[0] || game.regions > regions[1]) return regions[0] === 1 ? t('plays maps of up to {most} regions', { most: regions[1] }) : t('plays maps of {least} to {most} regions', { least: regions[0], most: regions[1] });
  if (rules && !rules.some(([name, fog]) => name === game.rules && fog === game.fog)) return game.fog && rules.some(([name, fog]) => name === game.rules && !fog) ? t('does not play in fog') : t('does not play these rules');
  return '';
}

/** Its rating on a map, or where it was rated at all; null: nowhere. */
export function ratingOf({ ratings }: Opponent, map: string): (Rating & { map: string }) | null {
  const place = map in ratings ? map : Object.keys(ratings)[0];
  return place ? { ...ratings[place], map: place } : null;
}

/** A rating in full, with what it was made of. */
export function ratingInWords(rating: Rating & { map: string }, spec: string): string {
  const { elo, low, high, games, as: ratedSpec } = rating;
  const text = t('Rating {elo} (95 % interval {low} to {high}), from {games} games of two players on the map “{map}”.', { elo, low, high, games, map: rating.map });
  return ratedSpec === spec ? text : `${text} ${t('In these games it played as {as}.', { as: ratedSpec })}`;
}
