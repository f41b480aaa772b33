// Calls of the server, with the keys that this browser holds.
import { type Opponent, notPlayed } from './opponents';
import { refusal, type Refusal, type Refused } from './refusals';
import { Retry } from './retry';
import { keep, kept, keptData } from './storage';
import type { Doc } from './types';
import { t } from './words.svelte';

export interface Home {
  version: string;
  opponents: Opponent[];
  maps: { name: string; title: string; regions: number; own?: boolean }[]; // own: drawn on this server
  rules: { name: string; fog: boolean }[];
  games: GameRow[];
  tournaments: string[];
}

/** The bots that can be asked about games of a document's kind. */
export function botsFor({ opponents }: Home, { players, map, rules }: Doc): string[] {
  const game = { players: players.length, regions: map.regions.length, rules: rules.name, fog: rules.fog };
  return opponents.filter((bot) => !notPlayed(bot, game)).map((bot) => bot.spec);
}

export interface GameRow {
  id: string;
  name: string; // that somebody gave it
  players: string[];
  bots: (string | null)[]; // their specifications, by seat
  watch: string | null; // of games between bots, which everybody may watch
  map: string;
  rules: string;
  rounds: number;
  fog: boolean;
  over: boolean;
  winner: number | null;
  when: number;
}

export interface Made {
  id: string;
  kind: 'play' | 'hotseat' | 'watch';
  tokens: Record<string, string>;
  watch: string | null;
}

export class CallError extends Error {
  constructor(
    message: string,
    public status: number,
    public details: Refused[] | null,
  ) {
    super(message);
  }
}

const KEY = 'warlight.server';

let offered: string | null = null; // the server's token by the address, until the server has taken it

/** The server's token: out of the address that it printed, and once it was taken kept in this browser. */
export function serverKey(): string {
  const given = new URLSearchParams(location.search).get('token');
  if (given) {
    offered = given;
    history.replaceState(null, '', location.pathname + location.hash);
  }
  return offered ?? kept(KEY) ?? '';
}

/** A token that was offered is kept if it was taken; a wrong one does not displace the one that is kept. */
function settleKey(taken: boolean): void {
  if (taken && offered) keep(KEY, offered);
  offered = null;
}

function headersFor(token: string): Record<string, string> {
  const headers: Record<string, string> = {};
  if (token) headers.authorization = `Bearer ${token}`;
  const key = serverKey();
  if (key) headers['x-warlight-token'] = key;
  return headers;
}

async function refused(response: Response): Promise<CallError> {
  const data = await response.json().catch(() => null);
  const told = data?.error ? refusal(data as Refusal) : t('the server answers with status {status}', { status: response.status });
  return new CallError(told, response.status, data?.details ?? null);
}

/** A file that the server makes. */
export async function fetchFile(path: string, token: string): Promise<Blob> {
  const response = await fetch(`/api/${path}`, { headers: headersFor(token) }).catch(() => {
    throw new CallError(t('the server does not answer'), 0, null);
  });
  if (!response.ok) throw await refused(response);
  return response.blob();
}

export async function call<T>(path: string, body?: unknown, token = ''): Promise<T> {
  const headers = headersFor(token);
  const key = headers['x-warlight-token'] ?? '';
  let payload: BodyInit | undefined;
  if (body instanceof ArrayBuffer) payload = body;
  else if (body !== undefined) {
    payload = JSON.stringify(body);
    headers['content-type'] = 'application/json';
  }
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, { method: body === undefined ? 'GET' : 'POST', headers, body: payload });
  } catch {
    throw new CallError(t('the server does not answer'), 0, null);
  }
  if (offered && key === offered && (response.ok || response.status === 401)) {
    settleKey(response.ok);
    if (!response.ok && kept(KEY)) return call<T>(path, body, token);
  }
  if (!response.ok) throw await refused(response);
  const data = await response.json().catch(() => null);
  if (data === null) throw new CallError(t('the server broke off in the middle of its answer'), 0, null);
  return data as T;
}

/** What the server has to offer, as soon as it answers; where it refuses, nothing. Returns what ends the asking. */
export function askHome(take: (home: Home) => void): () => void {
  const retry = new Retry();
  const ask = (): void =>
    void call<Home>('home').then(
      (home) => {
        if (!retry.ended) take(home);
      },
      (error) => {
        if (error instanceof CallError && error.status === 0) retry.again(ask);
      },
    );
  ask();
  return () => retry.end();
}

/** What to do without a key to a game. */
export function noKey(): string {
  return t('Open the game from the list, or with the whole link to your seat: it ends with “key0=…”, or another number.');
}

/** The tokens that this browser holds of a game, by seat; "watch" sees everything. */
export function tokensOf(id: string): Record<string, string> {
  const tokens = keptData(`warlight.keys.${id}`);
  return tokens && typeof tokens === 'object' ? (tokens as Record<string, string>) : {};
}

export function keepTokens(made: { id: string; tokens: Record<string, string>; watch: string | null }): void {
  const all = { ...made.tokens, ...(made.watch ? { watch: made.watch } : {}) };
  keep(`warlight.keys.${made.id}`, JSON.stringify(all));
}
