// Types of requests about variations; `lib/types.ts` has the types of the tree.
import type { Orders, Reply, Tree } from '../types';

export type { Note, Reply, Tree, Variation } from '../types';

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

/** A tree with the displayed names of its bots, by specification. */
export interface NamedTree {
  variations: Tree;
  bots: Record<string, string>;
}

/** The server's requests for the variations of a game, an opened log or a study. */
export interface VariationServer {
  add(turn: TriedTurn): Promise<NamedTree & { node: number }>;
  note(of: { node: number | null; round: number; name: string; comment: string }): Promise<NamedTree>;
  remove(node: number): Promise<NamedTree>;
  take(file: ArrayBuffer): Promise<NamedTree>; // adds the variations of a study's file
  file(round: number): Promise<Blob>; // a study's file of a position
  whole: (() => Promise<Blob>) | null; // the log with its variations; null: a study has no log
  judge: ((query: JudgeQuery) => Promise<Judgement>) | null;
}
