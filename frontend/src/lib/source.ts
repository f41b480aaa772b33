// The source of a replay or a study: loads it, and sends requests for bot analyses, reports and new games from its positions.
import { call, CallError, fetchFile, keepTokens, type CreatedGame, noKey, seatsIn, tokensOf } from './api';
import type { AnalysisNews, AnalysisQuery } from './analysis/types';
import type { GameDoc, Orders, DecisionInfo, WinProbabilities } from './types';
import type { Judgement, VariationServer } from './variations/types';
import { t } from './i18n.svelte';

/** A request for a bot's turn in the position in which the player must move. */
export interface BotQuery {
  bot: string;
  seconds: number;
}

export interface BotAnswer {
  data: DecisionInfo; // with at least one candidate
  chances: [number, number, number][] | null;
  round: number;
  player: number;
  orders: Orders;
}

export type Oracle = (query: BotQuery, signal: AbortSignal) => Promise<BotAnswer>;

export interface Branch {
  round: number;
  players: { name?: string; bot?: string }[];
}

export interface Source {
  load(): Promise<GameDoc>;
  game: GameRequests | null; // null: a study
  variations: VariationServer;
}

export interface GameRequests {
  chances(): Promise<WinProbabilities | null>; // of all positions; the server may need some seconds
  analyse(query: AnalysisQuery): Promise<AnalysisNews>;
  branch(options: Branch): Promise<CreatedGame>;
}

type Send = <T>(action: string, body?: unknown) => Promise<T>;
type Fetch = (path: string) => Promise<Blob>;

/** Return the requests for variations. log: the path of the log; null: there is none. */
function variationServer(send: Send, fetch: Fetch, log: string | null): VariationServer {
  return {
    add: (turn) => send('variations', turn),
    note: (note) => send('variations/note', note),
    remove: (node) => send('variations/delete', { node }),
    take: (file) => send('variations/import', file),
    file: (round) => fetch(`variations/file?round=${round}`),
    whole: log === null ? null : () => fetch(log),
    judge: log === null ? null : (query) => send<Judgement>('variations/judge', query),
  };
}

/** A study on this server. */
export function studySource(id: string): Source {
  return {
    load: () => call<GameDoc>(`studies/${id}`),
    game: null,
    variations: variationServer((action, body) => call(`studies/${id}/${action}`, body), (path) => fetchFile(`studies/${id}/${path}`, ''), null),
  };
}

/** A game on this server. */
export function gameSource(id: string): Source {
  const tokens = tokensOf(id);
  const token = tokens.watch ?? Object.values(tokens)[0] ?? '';
  const seats = seatsIn(tokens);
  const ownSeat = seats.length === 1 ? Number(seats[0]) : null;
  return {
    load: () => (token ? call<GameDoc>(`games/${id}/replay`, undefined, token).then((doc) => ({ ...doc, own: ownSeat })) : Promise.reject(new Error(`${t('This browser has no key for this game.')} ${noKey()}`))),
    game: {
      chances: () => call(`games/${id}/chances`, undefined, token),
      analyse: (query) => call<AnalysisNews>(`games/${id}/analysis`, query, token),
      branch: (options) => storeTokens(call<CreatedGame>(`games/${id}/branch`, options, token)),
    },
    variations: variationServer((action, body) => call(`games/${id}/${action}`, body, token), (path) => fetchFile(`games/${id}/${path}`, token), 'log'),
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
  const open = async (): Promise<GameDoc> => {
    const doc = await load();
    log = doc.log;
    return doc;
  };
  const request = async <T>(action: string, body?: unknown): Promise<T> => {
    if (!log) await open();
    try {
      return await call<T>(`replays/${log}/${action}`, body);
    } catch (error) {
      if (!(error instanceof CallError && error.status === 410)) throw error;
      await open();
      return call<T>(`replays/${log}/${action}`, body);
    }
  };
  const variations = variationServer(request, (path) => fetchFile(`replays/${log}/${path}`, ''), 'log');
  const game: GameRequests = { chances: () => request('chances'), analyse: (query) => request('analysis', query), branch: (body) => storeTokens(request('branch', body)) };
  return { load: open, game, variations };
}

async function storeTokens(call: Promise<CreatedGame>): Promise<CreatedGame> {
  const game = await call;
  keepTokens(game);
  return game;
}
