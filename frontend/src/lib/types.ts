// What the server and exported files hold; `warlight_env/web/documents/replay_document.py` and
// `docs/reference/game-log.md` say more.

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
  moved_armies: 'free' | 'challenge1' | 'challenge2'; // whether they may move on in the round
  [field: string]: unknown;
}

export interface Colours {
  fill: string[];
  dark: string[];
  light: string[];
  shape: string[];
  neutral: string;
}

/** The share of playouts that a player won, and the ends of its 95 % interval. */
export type Chance = [share: number, low: number, high: number];
/** By positions and players. */
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
  people?: number[];
  friends?: number[]; // seats of people who were invited
  spectator?: boolean; // who watches people
  events?: GameEvent[];
  chances?: WinProbabilities | null;
  awaited?: number[]; // seats, of a game in play
  report?: Report;
  log?: string; // the key of a log that the server opened
}

export type Deploy = [player: number, region: number, armies: number];
export type Move = [player: number, from: number, to: number, armies: number, lost?: number, killed?: number, captured?: boolean];
export type Change = [region: number, owner: number, army: number];
export type Dropped = [player: number, kind: 'deploy' | 'attack' | 'pick', index: number, order: number[], reason: string];
export interface Orders {
  deploys: [number, number][];
  attacks: [number, number, number][];
}

export interface Candidate {
  visits?: number; // of searches
  value?: number;
  orders?: string;
  picks?: number[];
  prior?: number;
  refined?: boolean; // by local search: no visits of the tree, and a value of its own
}

/** What a bot that plans set out to do: a region, what with it, the armies that takes, and what it is worth in armies. */
export interface Goal {
  region: number;
  goal: 'take' | 'attack' | 'hold';
  armies: number;
  worth: number;
}

export interface DecisionInfo {
  goals?: Goal[];
  simulations?: number[];
  trials?: number; // of local search, after the simulations
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
  | { event: 'failure'; player: number; round: number; reason: string } // reason "resigned": of a person who gave up
  | { event: 'draw'; round: number; players: number[] }
  | { event: 'end'; winner: number | null; rounds: number; placements: number[]; cut_off: boolean };

/** What is not in the log: who is awaited, who thinks, and what the viewer may do. */
export interface LiveState {
  phase: 'pick' | 'play' | 'over';
  round: number;
  awaited: number[];
  out: number[];
  resigned: number[];
  draw: number[]; // seats that agree on one
  here: number[]; // seats of people whose pages are open
  watching: number; // spectators
  clock: { limit: number; left: number; runs: boolean } | null; // seconds that people have for this turn
  rematch: { id: string; seat: number | null; token: string } | null; // the game that is played next, and one's key to it
  thinking: Record<string, number>;
  clocks: [last: number, spent: number][];
  paused: boolean;
  pace: number;
  error: string | null; // why the game does not go on, with its code
  code?: string;
  values?: Record<string, string | number>;
  chances?: [round: number, values: [number, number, number][]] | null;
  you?: { income: number; offers: number[]; picks: number; in: boolean; alive: boolean };
}

/** What a player's turn was worth; `warlight_env/web/workers/game_report.py` says more. Win probabilities of 0 to 1, but for armies. */
export interface TurnReport {
  before: number;
  worth: number;
  after: number;
  armies: number;
  lost: number;
  error: number;
  luck: number;
  better: { orders: string; gain: number; error: number } | null;
}

export interface Report {
  judge: string;
  rolls: number;
  playouts: number;
  rounds: (TurnReport | null)[][];
  players: { accuracy: number; error: number; luck: number; armies: number }[];
  turning: { round: number; player: number }[];
}

export const NEUTRAL = -1;
export const UNKNOWN = -2;

export interface Position {
  owner: number[];
  army: number[];
}
