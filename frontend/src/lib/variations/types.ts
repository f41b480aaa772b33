// Types of variations and studies; see `docs/reference/game-log.md`.
import type { Change, Chance, Move, Orders } from '../types';

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

/** A turn to try in a position. */
export interface TriedTurn extends Orders {
  parent: number | null;
  round: number;
  seat: number;
  reply: Reply;
  bot?: string;
  seconds?: number;
}

/** The judgement on a turn, in win probabilities of its player; see `Judgement` of the Python package. */
export interface Judgement {
  orders: string;
  worth: number;
  played: number;
  best: number;
  gain: number;
  gain_error: number;
  lost: number;
  lost_error: number;
  passed: boolean;
  better: string;
}

export interface JudgeQuery extends Orders {
  round: number;
  seat: number;
  bot: string;
  seconds: number;
}

/** The server's requests for the variations of a game, an opened log or a study. */
export interface VariationServer {
  add(turn: TriedTurn): Promise<{ node: number; variations: Tree }>;
  note(of: { node: number | null; round: number; name: string; comment: string }): Promise<{ variations: Tree }>;
  remove(node: number): Promise<{ variations: Tree }>;
  take(file: ArrayBuffer): Promise<{ variations: Tree }>; // adds the variations of a study's file
  file(round: number): Promise<Blob>; // a study's file of a position
  whole: (() => Promise<Blob>) | null; // the log with its variations; null: a study has no log
  judge: ((query: JudgeQuery) => Promise<Judgement>) | null;
}
