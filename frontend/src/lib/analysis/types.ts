// Types of the analysis of a game; see `warlight_env/web/workers/analysis_jobs.py`. All values are win probabilities
// from 0 to 1, except armies.
import type { Chance, DecisionInfo } from '../types';

/** Marks of turns by their change of win probability: a good turn, an inaccuracy, a mistake, a blunder. */
export type TurnMark = '!' | '?!' | '?' | '??';

/** Why a player lost win probability in a round; see `warlight_env/web/workers/turning_points.py`. */
export interface Reason {
  code: 'turn-moves' | 'turn-puts' | 'turn-stays' | 'turn-order' | 'dice-battle' | 'dice-order' | 'others-took' | 'others-better';
  values: { armies?: number; region?: string; source?: string; target?: string; regions?: string[]; bonuses?: string[] };
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

/** The analysis of the position after `played` rounds, by player. */
export interface AnalysedPosition {
  played: number;
  seconds: number; // of search for each turn
  games: number; // playouts behind each value
  turns: (TurnReport | null)[]; // reports on the played turns
  best: (string | null)[]; // the best turns that the searches found
  decisions: (DecisionInfo | null)[]; // of the last search
  chances: Chance[];
}

export interface Summary {
  players: { accuracy: number; error: number; lost: number; luck: number; armies: number; marks: Record<'?!' | '?' | '??', number> }[];
  turning: { round: number; player: number }[];
  cumulative: number[][];
}

/** The new results of an analysis. total: null: not known yet. */
export interface AnalysisNews {
  bot: string;
  seconds: number;
  version: number;
  done: number;
  total: number | null;
  positions: AnalysedPosition[];
  summary: Summary | null;
}

export interface AnalysisQuery {
  bot: string;
  seconds: number;
  focus: number; // number of rounds before the displayed position
  since: number; // the version of the last answer
}

/** A report that a file contains. */
export interface Report extends Summary {
  judge: string;
  rolls: number;
  playouts: number;
  rounds: (TurnReport | null)[][];
}
