// Calls of the server, with the keys that this browser holds.
import type { Face } from './avatars';
import { type Opponent, notPlayed } from './opponents';
import type { Refused } from './reasons';
import { errorMessage, type ErrorBody } from './error-messages';
import { Retry } from './retry';
import { loadData, loadItem, loadTabData, saveItem, saveTabItem } from './storage';
import type { GameDoc } from './types';
import { t } from './i18n.svelte';

export interface Home {
  version: string;
  opponents: Opponent[];
  maps: { name: string; title: string; regions: number; own?: boolean }[]; // own: drawn on this server
  rules: { name: string; fog: boolean }[];
  games: GameRow[];
  tournaments: string[];
  reach: string | null; // address for others on the network; null: the server answers this machine alone
}

/** The bots that can be asked about games of a document's kind. */
export function botsFor({ opponents }: Home, { players, map, rules }: GameDoc): string[] {
  const game = { players: players.length, regions: map.regions.length, rules: rules.name, fog: rules.fog };
  return opponents.filter((bot) => !notPlayed(bot, game)).map((bot) => bot.spec);
}

export interface GameRow {
  id: string;
  name: string; // that somebody gave it
  players: string[];
  bots: (string | null)[]; // their specifications, by seat
  faces: (Face | null)[]; // of bots, by seat
  watch: string | null; // of games between bots, which everybody may watch
  map: string;
  rules: string;
  rounds: number;
  fog: boolean;
  over: boolean;
  winner: number | null;
  when: number;
}

export interface CreatedGame {
  id: string;
  kind: 'play' | 'hotseat' | 'watch' | 'together';
  tokens: Record<string, string>; // of the seats at this screen
  invites?: Record<string, string>; // of friends' seats, to be given away
  spectate?: string | null; // of those who watch people, likewise
  watch: string | null;
}

export class CallError extends Error {
  constructor(
    message: string,
    public status: number,
    public details: Refused[] | null,
    public code = '', // of `warlight_env/web/errors.py`
  ) {
    super(message);
  }
}

const KEY = 'warlight.server';

let invited = false; // the server took the last call as that of a guest, who has no key of the server

let offered: string | null = null; // the server's token by the address, until the server has taken it

/** The server's token: out of the address that it printed, and once it was taken kept in this browser. */
export function serverKey(): string {
  const given = new URLSearchParams(location.search).get('token');
  if (given) {
    offered = given;
    history.replaceState(null, '', location.pathname + location.hash);
  }
  return offered ?? loadItem(KEY) ?? '';
}

/** Whether who looks is a guest: with a link to one game, and nothing else on this server. */
export function isGuest(): boolean {
  return invited || !serverKey();
}

/** A token that was offered is kept if it was taken; a wrong one does not displace the one that is kept. */
function settleKey(taken: boolean): void {
  if (taken && offered) saveItem(KEY, offered);
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
  const told = data?.error ? errorMessage(data as ErrorBody) : t('the server answered with HTTP status {status}: try again', { status: response.status });
  return new CallError(told, response.status, data?.details ?? null, data?.code);
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
  invited = response.headers.has('x-warlight-guest');
  if (offered && key === offered && (response.ok || response.status === 401)) {
    const taken = response.ok && !invited;
    settleKey(taken);
    if (!taken && loadItem(KEY)) return call<T>(path, body, token);
  }
  if (!response.ok) throw await refused(response);
  const data = await response.json().catch(() => null);
  if (data === null) throw new CallError(t('the server closed the connection before its answer was complete: try again'), 0, null);
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
  return t('Open the game from the list, or use the complete link to your seat. The link ends with “key0=…” or another number.');
}

const keysOf = (id: string) => `warlight.keys.${id}`;
const linksOf = (id: string) => `warlight.links.${id}`;

/** The tokens that this browser holds of a game, by seat; "watch" sees everything, or what spectators see. A link that was opened over others counts in its tab. */
export function tokensOf(id: string): Record<string, string> {
  const tokens = loadTabData(keysOf(id)) ?? loadData(keysOf(id));
  return tokens && typeof tokens === 'object' ? (tokens as Record<string, string>) : {};
}

type Keys = { id: string; tokens: Record<string, string>; watch: string | null };

/** Keep the tokens of a game; `here`: in this tab alone, beside others that the browser has. */
export function keepTokens(made: Keys & Partial<CreatedGame>, here = false): void {
  const all = { ...made.tokens, ...(made.watch ? { watch: made.watch } : {}) };
  (here ? saveTabItem : saveItem)(keysOf(made.id), JSON.stringify(all));
  const { invites = {}, spectate = null } = made;
  if (spectate && !here) saveItem(linksOf(made.id), JSON.stringify({ invites, spectate }));
}

export interface Links {
  invites: Record<string, string>; // by seat
  spectate: string;
}

/** The keys that may be given away, of a game that was made in this browser. */
export function linksTo(id: string): Links | null {
  const links = loadData(linksOf(id)) as Partial<Links> | null;
  return links && typeof links.spectate === 'string' && links.invites && typeof links.invites === 'object' ? (links as Links) : null;
}
