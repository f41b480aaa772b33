// Calls of the server's API, with the tokens that are stored in this browser.
import type { Face } from './avatars';
import { type Opponent, notPlayed } from './opponents';
import type { Refused } from './reasons';
import { errorMessage, type ErrorBody } from './error-messages';
import { Retry } from './retry';
import { dropTabItem, loadData, loadItem, loadTabData, saveItem, saveTabItem } from './storage';
import type { GameDoc } from './types';
import { t } from './i18n.svelte';

export interface Home {
  version: string;
  opponents: Opponent[];
  maps: { name: string; title: string; regions: number; own?: boolean }[]; // own: the map was drawn on this server
  rules: { name: string; fog: boolean }[];
  games: GameRow[];
  tournaments: string[];
  // address of this server for other devices on the network; null: the server accepts connections from this machine
  // only
  reach: string | null;
}

/** Return the bots that can play a game with the same number of players, map size and rules as `doc`. */
export function botsFor({ opponents }: Home, { players, map, rules }: GameDoc): Opponent[] {
  const game = { players: players.length, regions: map.regions.length, rules: rules.name, fog: rules.fog };
  return opponents.filter((bot) => !notPlayed(bot, game));
}

export interface GameRow {
  id: string;
  name: string; // title that a user gave to the game
  players: string[];
  bots: (string | null)[]; // specifications of the bots by seat; null: a person
  faces: (Face | null)[]; // of bots, by seat
  watch: string | null; // token to watch the game, if only bots play
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
  tokens: Record<string, string>; // seat → token, for the seats that are played in this browser
  invites?: Record<string, string>; // seat → token, for the seats of invited friends
  spectate?: string | null; // token for spectators of a game between people
  watch: string | null;
}

export class CallError extends Error {
  constructor(
    message: string,
    public status: number,
    public details: Refused[] | null,
    public code = '', // an error code of `warlight_env/web/errors.py`
  ) {
    super(message);
  }
}

const KEY = 'warlight.server';

let invited = false; // the last response had the header for guests, who have no server token

const OFFERED = 'warlight.server.offered';

// Token from the address of this page, until the server has accepted or rejected it. A reload of the tab keeps it.
let offered: string | null = loadTabData(OFFERED) as string | null;

/**
 * Return the server's token. It comes from the address that the server printed; after the server accepts it, this
 * browser stores it.
 */
export function serverKey(): string {
  const addressToken = new URLSearchParams(location.search).get('token');
  if (addressToken) {
    offered = addressToken;
    saveTabItem(OFFERED, JSON.stringify(addressToken));
    history.replaceState(null, '', location.pathname + location.hash);
  }
  return offered ?? loadItem(KEY) ?? '';
}

/** Whether the user is a guest, who has a link to one game and no token of this server. */
export function isGuest(): boolean {
  return invited || !serverKey();
}

/** Store the token from the address if the server accepted it. A wrong token does not replace the stored one. */
function settleKey(accepted: boolean): void {
  if (accepted && offered) saveItem(KEY, offered);
  offered = null;
  dropTabItem(OFFERED);
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
  const message = data?.error ? errorMessage(data as ErrorBody) : t('the server answered with HTTP status {status}: try again', { status: response.status });
  return new CallError(message, response.status, data?.details ?? null, data?.code);
}

/** Download a file from the server. */
export async function fetchFile(path: string, token: string): Promise<Blob> {
  const response = await fetch(`/api/${path}`, { headers: headersFor(token) }).catch(() => {
    throw new CallError(t('the server does not answer'), 0, null);
  });
  if (!response.ok) throw await refused(response);
  return response.blob();
}

export async function call<T>(path: string, body?: unknown, token = '', signal?: AbortSignal): Promise<T> {
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
    response = await fetch(`/api/${path}`, { method: body === undefined ? 'GET' : 'POST', headers, body: payload, signal });
  } catch {
    throw new CallError(t('the server does not answer'), 0, null);
  }
  invited = response.headers.has('x-warlight-guest');
  if (offered && key === offered && (response.ok || response.status === 401)) {
    const accepted = response.ok && !invited;
    settleKey(accepted);
    if (!accepted && loadItem(KEY)) return call<T>(path, body, token, signal);
  }
  if (!response.ok) throw await refused(response);
  const data = await response.json().catch(() => null);
  if (data === null) throw new CallError(t('the server closed the connection before its answer was complete: try again'), 0, null);
  return data as T;
}

/**
 * Request the list of opponents, maps and games until the server answers, then call `take`. Stop if the server returns
 * an error; `fail` is called for each error. Returns a function that stops the requests.
 */
export function askHome(take: (home: Home) => void, fail: (error: Error) => void = () => {}): () => void {
  const retry = new Retry();
  const ask = (): void =>
    void call<Home>('home').then(
      (home) => {
        if (!retry.ended) take(home);
      },
      (error) => {
        fail(error);
        if (error instanceof CallError && error.status === 0) retry.schedule(ask);
      },
    );
  ask();
  return () => retry.end();
}

/** Return the message for a user whose browser has no key to a game. */
export function noKey(): string {
  return t('Open the game from the list, or use the complete link to your seat. The link ends with “key0=…” or another number.');
}

const keysOf = (id: string) => `warlight.keys.${id}`;
const linksOf = (id: string) => `warlight.links.${id}`;

/**
 * Return this browser's tokens for a game, by seat. The token "watch" shows the whole game, or only what spectators may
 * see. Tokens stored for this tab have priority.
 */
export function tokensOf(id: string): Record<string, string> {
  const tokens = loadTabData(keysOf(id)) ?? loadData(keysOf(id));
  return tokens && typeof tokens === 'object' ? (tokens as Record<string, string>) : {};
}

/** Return the seats among the tokens of a game, as texts. */
export const seatsIn = (tokens: Record<string, string>): string[] => Object.keys(tokens).filter((seat) => seat !== 'watch');

type Keys = { id: string; tokens: Record<string, string>; watch: string | null };

/** Store the tokens of a game; `tabOnly`: only for this tab, so that the tokens of other tabs stay valid. */
export function keepTokens(game: Keys & Partial<CreatedGame>, tabOnly = false): void {
  const tokens = { ...game.tokens, ...(game.watch ? { watch: game.watch } : {}) };
  (tabOnly ? saveTabItem : saveItem)(keysOf(game.id), JSON.stringify(tokens));
  const { invites = {}, spectate = null } = game;
  if (spectate && !tabOnly) saveItem(linksOf(game.id), JSON.stringify({ invites, spectate }));
}

export interface Links {
  invites: Record<string, string>; // seat → token
  spectate: string;
}

/** Return the links to invite friends and spectators, if the game was created in this browser. */
export function linksTo(id: string): Links | null {
  const links = loadData(linksOf(id)) as Partial<Links> | null;
  return links && typeof links.spectate === 'string' && links.invites && typeof links.invites === 'object' ? (links as Links) : null;
}
