// The opponents that the server offers: names, descriptions, ratings, and the games that they can play.
import { t } from './i18n.svelte';

/** Elo rating with its 95 % interval and the number of games; `as` is the bot specification that played them. */
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
  line: string; // description by the server, in English
  problem: string; // why the bot cannot be played; '': it can
  players: [least: number, most: number];
  regions: [least: number, most: number];
  rules: [name: string, fog: boolean][] | null; // rule presets that the bot can play; null: all
  ratings: Record<string, Rating>; // ratings by the name of the map
}

export interface GameKind {
  players: number;
  regions: number;
  rules: string;
  fog: boolean;
}

/** Return the displayed name of a bot. Bots of this package have invented names; others keep their specification. */
export function nameOf(spec: string): string {
  const [agent, rest] = [spec.split(/[:[]/)[0], spec.replace(/^[^:[]*:?/, '')];
  const own: Record<string, string> = {
    random: 'Pip', smart_random: 'Momo', one_big_army: 'Bruno', aggressive: 'Attila', one_ply: 'Vera', minimax2: 'Minna', maxn: 'Max', flat_mc: 'Monty',
    mcts_no_defense: 'Rex', mcts_thesis: 'Theo', mcts: 'Linden', pmcts: 'Gemini', plan: 'Petra', nash: 'Ada', belief: 'Cassandra',
  };
  if (agent === 'policy') return { any: 'Nova', world: 'Atlas', small: 'Nano' }[rest] ?? rest.replace(/^.*\//, '').replace(/\.npz$/, '');
  if (spec === 'nash:secs=5') return 'Athena';
  if (spec === 'mcts:secs=1') return 'Willow';
  if (spec === 'mcts:secs=5') return 'Sequoia';
  return own[agent] ?? spec;
}

/** Describe a bot in one line. */
export function lineOf({ spec, kind, line }: Opponent): string {
  const [agent, rest] = [spec.split(/[:[]/)[0], spec.replace(/^[^:[]*:?/, '')];
  if (kind === 'file') return t('A policy from your own folder.');
  if (kind === 'package') return t('An agent from another package.');
  if (agent === 'policy') {
    if (rest === 'any') return t('A neural network for every map. No search.');
    if (rest === 'world') return t('A neural network that was trained on the world map only.');
    if (rest === 'small') return t('A neural network that was trained on the small map.');
    return t('A trained policy.');
  }
  const secs = Number(/\bsecs=([\d.]+)/.exec(rest)?.[1] ?? 0);
  switch (agent) {
    case 'random': return t('Plays random orders.');
    case 'smart_random': return t('Plays a random one of a few sensible turns.');
    case 'one_big_army': return t('Gathers one big army and attacks with it.');
    case 'aggressive': return t('Attacks every weaker neighbour in every round.');
    case 'one_ply': return t('Looks one round ahead and plays the best turn.');
    case 'minimax2': return t('Expects your best answer to every turn.');
    case 'maxn': return t('Looks ahead for all players. Each plays for itself.');
    case 'flat_mc': return t('Tries random turns and plays the best one.');
    case 'mcts_no_defense': return t('A tree search without defensive deploys.');
    case 'mcts_thesis': return t('The original tree search of the thesis.');
    case 'pmcts': return t('Searches two trees in parallel and combines the results.');
    case 'plan': return t('Plans goals: bonuses, captures, borders. No search.');
    case 'belief': return t('Guesses the hidden regions in fog.');
    case 'mcts': return secs ? t('Searches a tree of turns for {secs, plural, one {one second} other {# seconds}}.', { secs }) : t('Searches a tree of turns with a few hundred simulations.');
    case 'nash': return secs ? t('Compares turns by your best answers for {secs, plural, one {one second} other {# seconds}}.', { secs }) : t('Compares turns by your best answers.');
    default: return line;
  }
}

/** Return why a bot cannot play a game, as a text that follows the bot's name; '': it can. */
export function notPlayed({ players, regions, rules, problem }: Opponent, game: GameKind): string {
  if (problem) return problem;
  if (game.players < players[0] || game.players > players[1]) return players[1] === 2 ? t('plays two-player games only') : t('plays games of {least} to {most} players', { least: players[0], most: players[1] });
  if (game.regions < regions[0] || game.regions > regions[1]) return regions[0] === 1 ? t('plays maps of up to {most} regions', { most: regions[1] }) : t('plays maps of {least} to {most} regions', { least: regions[0], most: regions[1] });
  if (rules && !rules.some(([name, fog]) => name === game.rules && fog === game.fog)) return game.fog && rules.some(([name, fog]) => name === game.rules && !fog) ? t('does not play in fog') : t('does not play these rules');
  return '';
}

/** Return the rating of a bot on a map; else on another map; null: it has no rating. */
export function ratingOf({ ratings }: Opponent, map: string): (Rating & { map: string }) | null {
  const place = map in ratings ? map : Object.keys(ratings)[0];
  return place ? { ...ratings[place], map: place } : null;
}

/** Return a rating as a full sentence, with the games on which it is based. */
export function ratingInWords(rating: Rating & { map: string }, spec: string): string {
  const { elo, low, high, games, as } = rating;
  const told = t('Rating {elo} (95 % interval {low} to {high}), from {games} games of two players on the map “{map}”.', { elo, low, high, games, map: rating.map });
  return as === spec ? told : `${told} ${t('In these games it played as {as}.', { as })}`;
}
