// The source of a replay: loads it, and sends requests for bot analyses, reports and new games from its positions.
import { call, CallError, keepTokens, type CreatedGame, noKey, tokensOf } from './api';
import type { AnalysisNews, AnalysisQuery } from './analysis/types';
import type { GameDoc, Orders, DecisionInfo } from './types';
import { t } from './i18n.svelte';

/** A request for a bot's turn in the position in which the player must move. */
export interface BotQuery {
  bot: string;
  seconds: number;
}

export interface BotAnswer {
  data: DecisionInfo | null;
  chances: [number, number, number][] | null;
  round: number;
  player: number;
  orders: Orders;
}

export type Oracle = (asked: BotQuery) => Promise<BotAnswer>;

export interface Branch {
  round: number;
  players: { name?: string; bot?: string }[];
}

export interface Source {
  load(): Promise<GameDoc>;
  analyse(query: AnalysisQuery): Promise<AnalysisNews>;
  branch(wanted: Branch): Promise<CreatedGame>;
}

/** A game on this server. */
export function gameSource(id: string): Source {
  const tokens = tokensOf(id);
  const token = tokens.watch ?? Object.values(tokens)[0] ?? '';
  return {
    load: () => (token ? call<GameDoc>(`games/${id}/replay`, undefined, token) : Promise.reject(new Error(`${t('This browser has no key for this game.')} ${noKey()}`))),
    analyse: (query) => call<AnalysisNews>(`games/${id}/analysis`, query, token),
    branch: (wanted) => made(call<CreatedGame>(`games/${id}/branch`, wanted, token)),
  };
}

/** A log file that the user selected or dropped on the page. */
export function fileSource(bytes: ArrayBuffer): Source {
  return logSource(() => call<GameDoc>('replays', bytes));
}

/** A game of a tournament; contests and games are numbered from 1. */
export function tournamentSource(name: string, contest: string, game: string): Source {
  return logSource(() => call<GameDoc>(`tournaments/${[name, 'games', contest, game].map(encodeURIComponent).join('/')}`));
}

/** A log that the server opened. If the server no longer has it (status 410), load it again. */
function logSource(load: () => Promise<GameDoc>): Source {
  let log: string | undefined;
  const opened = async (): Promise<GameDoc> => {
    const doc = await load();
    log = doc.log;
    return doc;
  };
  const asked = async <T>(what: string, body: unknown): Promise<T> => {
    if (!log) await opened();
    try {
      return await call<T>(`replays/${log}/${what}`, body);
    } catch (error) {
      if (!(error instanceof CallError && error.status === 410)) throw error;
      await opened();
      return call<T>(`replays/${log}/${what}`, body);
    }
  };
  return { load: opened, analyse: (query) => asked('analysis', query), branch: (body) => made(asked('branch', body)) };
}

async function made(call: Promise<CreatedGame>): Promise<CreatedGame> {
  const game = await call;
  keepTokens(game);
  return game;
}
