// Types of the analysis of a game; see `warlight_env/web/workers/analysis_jobs.py`. All values are win probabilities
// from 0 to 1, except armies.
import type { Chance, DecisionInfo, TurnReport, Summary } from '../types';

/** The analysis of the position after `played` rounds, by player. */
export interface AnalysedPosition {
  played: number;
  seconds: number; // of search for each turn
  preliminary: boolean; // whether the search has not had the chosen time yet
  complete: boolean; // whether no pass follows
  games: number; // playouts behind each value
  turns: (TurnReport | null)[]; // reports on the played turns
  best: (string | null)[]; // the best turns that the searches found
  decisions: (DecisionInfo | null)[]; // of the last search
  chances: Chance[];
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

