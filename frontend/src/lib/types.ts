// Types of the data from the server and in exported files; see `warlight_env/web/documents/replay_document.py` and
// `docs/reference/game-log.md`.

import type { Face } from './avatars';

export interface RegionDoc {
  name: string;
  code: string;
  super: number;
  path: string;
  label: [number, number];
  radius: number;
  near: number[];
}

export interface SuperDoc {
  name: string;
  bonus: number;
  path: string;
  colour: string;
  regions: number[];
}

export interface MapDoc {
  name: string;
  title: string;
  source: string;
  digest: string;
  box: [number, number, number, number];
  regions: RegionDoc[];
  supers: SuperDoc[];
  links: [[number, number], [number, number]][];
  lines: [[number, number], [number, number]][];
  around: [number, number][];
}

export interface Rules {
  name: string;
  base_income: number;
  attack_kill: number;
  defense_kill: number;
  luck: number;
  rounding: 'nearest' | 'stochastic';
  fog: boolean;
  picks: number;
  max_orders: number;
  repeated_attack: 'merge' | 'illegal';
  // whether armies may move again in the same round; see `Rules` of the Python package
  moved_armies: 'free' | 'challenge1' | 'challenge2';
  [field: string]: unknown;
}

export interface Colours {
  fill: string[];
  dark: string[];
  light: string[];
  shape: string[];
  neutral: string;
}

/** The share of playouts that a player won, and the limits of its 95 % interval. */
export type Chance = [share: number, low: number, high: number];
/** `chances[k][p]`: win probability of player p after k rounds. */
export type WinProbabilities = Chance[][];

export interface GameDoc {
  version: number;
  program: string;
  map: MapDoc;
  rules: Rules;
  limit: number;
  players: { name: string; spec: string | null }[];
  faces: (Face | null)[]; // of bots, by player
  colours: Colours;
  continues: number | null;
  seed?: number;
  kind: 'replay' | 'play' | 'hotseat' | 'watch' | 'together';
  id?: string;
  seat?: number | null;
  own?: number | null; // in a replay: the seat of this browser's player in the finished game
  people?: number[];
  friends?: number[]; // seats of invited people
  spectator?: boolean; // whether the viewer is a spectator of a game between people
  events?: GameEvent[];
  chances?: WinProbabilities | null;
  awaited?: number[]; // seats from which a running game waits for a turn
  report?: Report;
  variations?: Tree;
  bots?: Record<string, string>; // displayed names of the bots of the variations, by specification
  study?: { title: string; round: number }; // round: number of rounds before the first position
  log?: string; // id of a log that the server has opened
}

export type Deploy = [player: number, region: number, armies: number];
export type Move = [player: number, from: number, to: number, armies: number, lost?: number, killed?: number, captured?: 0 | 1];
export type Change = [region: number, owner: number, army: number];
export type Dropped = [player: number, kind: 'deploy' | 'attack' | 'pick', index: number, order: number[], reason: string];
export interface Orders {
  deploys: [number, number][];
  attacks: [number, number, number][];
}

export interface Candidate {
  visits?: number; // number of visits, if a search found the candidate
  value?: number; // of the bot's search
  win?: number; // win probability, from playouts
  orders?: string;
  picks?: number[];
  prior?: number;
  refined?: boolean; // found by local search; then the value is from local search and there are no visits
}

/** A goal of a planning bot: the region, the action, the armies that it needs, and its value in armies. */
export interface Goal {
  region: number;
  goal: 'take' | 'attack' | 'hold';
  armies: number;
  worth: number;
}

export interface DecisionInfo {
  goals?: Goal[];
  simulations?: number[];
  trials?: number; // number of turns that local search tried after the simulations
  seconds?: number;
  candidates?: Candidate[];
  regions?: number[];
  error?: string;
  hint?: string;
}

export type GameEvent =
  | { event: 'start'; owner: number[]; army: number[]; offers?: number[][] }
  | { event: 'picks'; wishes: (number[] | null)[]; changed: Change[]; dropped?: Dropped[] }
  | {
      event: 'round';
      round: number;
      orders: (Orders | null)[];
      deploys: Deploy[];
      moves: Move[];
      changed: Change[];
      dropped?: Dropped[];
    }
  | { event: 'insight'; player: number; round: number; data: DecisionInfo }
  | { event: 'failure'; player: number; round: number; reason: string } // reason "resigned": a person resigned
  | { event: 'draw'; round: number; players: number[] }
  | { event: 'end'; winner: number | null; rounds: number; placements: number[]; cut_off: boolean };

/** The state of a running game that is not in the log: expected turns, bots at work, and what the viewer may do. */
export interface LiveState {
  phase: 'pick' | 'play' | 'over';
  round: number;
  awaited: number[];
  out: number[];
  resigned: number[];
  draw: number[]; // seats that have agreed to a draw
  here: number[]; // seats of the people who have the game open
  watching: number; // number of spectators
  // seconds for this turn; waits: seats of the people who must open the game before the clock of the first turn starts
  clock: { limit: number; left: number; runs: boolean; waits: number[] } | null;
  rematch: { id: string; seat: number | null; token: string } | null; // the next game and the token of this seat
  thinking: Record<string, number>; // seat of a bot that computes → seconds so far
  // seat of a bot whose process starts or compiles → seconds so far, compiled kernels, kernels that it needs (0: unknown)
  preparing: Record<string, [seconds: number, ready: number, expected: number]>;
  // seat of a bot → its last turn that failed; round 0: the picks; seconds: its limit if it was late
  failed: Record<string, { round: number; seconds: number | null }>;
  clocks: [last: number, spent: number][];
  paused: boolean;
  pace: number;
  error: string | null; // why the game has stopped; `code` is its error code
  code?: string;
  values?: Record<string, string | number>;
  chances?: [round: number, values: [number, number, number][]] | null;
  you?: { income: number; offers: number[]; picks: number; in: boolean; alive: boolean };
}

export const NEUTRAL = -1;
export const UNKNOWN = -2;

export interface Position {
  owner: number[];
  army: number[];
}

// Variations and studies; see `docs/reference/game-log.md`.

export type Reply = 'known' | 'believed' | 'given';

/** A round that a user tried, and its result. */
export interface Variation {
  id: number;
  parent: number | null;
  round: number; // number of rounds played before
  seat: number; // the player whose turn the user tried
  reply: Reply; // how the turns of the other players were chosen
  bot: string | null;
  orders: (Orders | null)[];
  seed: number;
  believed?: Change[]; // regions as the player believed them to be before the round
  moves: Move[];
  changed: Change[];
  name: string;
  comment: string;
  chances: Chance[] | null; // win probability of each player after the round
}

/** A name and a comment of a position of the game. */
export interface Note {
  round: number;
  name: string;
  comment: string;
}

export interface Tree {
  version: number;
  next: number;
  notes: Note[];
  nodes: Variation[];
}

// Reports on games; see `warlight_env/web/workers/game_report.py`. All values are win probabilities from 0 to 1, except
// armies.

/** Marks of turns by their change of win probability: a good turn, an inaccuracy, a mistake, a blunder. */
export type TurnMark = '!' | '?!' | '?' | '??';

/** Why a player lost win probability in a round; see `warlight_env/web/workers/turning_points.py`. */
export interface Reason {
  code: 'turn-bonus' | 'turn-breaks' | 'turn-holds' | 'turn-takes' | 'turn-saves' | 'turn-kills' | 'turn-guards' | 'turn-even' | 'dice-battle' | 'dice-order' | 'others-took' | 'others-better';
  values: {
    armies?: number;
    region?: string;
    source?: string;
    target?: string;
    regions?: string[];
    bonuses?: string[];
    bonus?: string;
    income?: number;
    better?: number; // share of cases after the better turn
    played?: number; // share of cases after the played turn
    player?: number; // seat of the player who holds the bonus, is next to the region or took regions
    players?: number[]; // seats of the players who took the regions
    taken?: number; // number of regions that `player` took
    gain?: number; // by how much the win probability of `player` rose
    chance?: number; // the probability of capture in a battle
    captured?: boolean;
    only?: OnlyDifference;
    later?: LaterAdvantage[];
  };
}

/** The largest advantage of a better turn some rounds later, in simulated games. */
export interface LaterAdvantage {
  rounds: number;
  code: 'turn-bonus' | 'turn-breaks' | 'turn-holds' | 'turn-takes' | 'turn-saves' | 'turn-kills';
  values: Pick<Reason['values'], 'armies' | 'region' | 'bonus' | 'income' | 'better' | 'played' | 'player'>;
}

/** The only difference between a played and a better turn. */
export interface OnlyDifference {
  kind: 'attack' | 'move' | 'deploys' | 'order';
  source?: string;
  target?: string;
  armies?: number; // of the better turn
  was?: number; // armies of the played turn
}

/** Evaluation of a player's turn; see `warlight_env/web/workers/turn_report.py`. */
export interface TurnReport {
  before: number;
  worth: number;
  after: number;
  armies: number;
  gain: number;
  lost: number;
  error: number;
  stake: number;
  luck: number;
  mark: TurnMark | null;
  better: { orders: string; gain: number; error: number } | null;
  reason: Reason | null;
}

export interface Summary {
  players: { accuracy: number | null; error: number; lost: number; luck: number; armies: number; marks: Record<'?!' | '?' | '??', number> }[];
  turning: { round: number; player: number }[];
  cumulative: number[][];
}

/** A report that a file contains. */
export interface Report extends Summary {
  judge: string;
  rolls: number;
  playouts: number;
  rounds: (TurnReport | null)[][];
}
