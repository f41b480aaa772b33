// Games in lists: their descriptions, opening a game, and files to download.
import { downloadAs } from './download';
import { call, fetchFile, type GameRow, keepTokens, seatsIn, tokensOf } from './api';
import { titleText } from './map-titles';
import { YOU } from './player-names';
import { route } from './route.svelte';
import { drop } from './storage';
import { moment, t } from './i18n.svelte';

export interface GameListing {
  games: GameRow[];
  total: number; // number of games that match the filter
  all: number;
  reading: number; // number of logs that the server has not read yet
  players: string[];
  maps: string[];
}

/** Return the displayed name of a player. */
export const displayName = (name: string): string => (name === YOU ? t('You') : name);

export const playersText = (game: GameRow): string => game.players.map(displayName).join(' – ');

/** Return a description such as "World, fog · 12 rounds · 3 May 2026, 14:05". */
export function line({ map, fog, rounds, when }: GameRow): string {
  return t('{map}{fog, select, yes {, fog} other {}} · {rounds, plural, one {# round} other {# rounds}} · {when}', { map: titleText(map), fog: fog ? 'yes' : 'no', rounds, when: moment(when) });
}

/** Return the result of a finished game, for the side of this browser's player. */
export function outcome({ id, players, winner }: GameRow): string {
  const seats = seatsIn(tokensOf(id)).map(Number);
  const ownSeat = seats.length === 1 ? seats[0] : players.indexOf(YOU);
  if (winner !== null && ownSeat >= 0) return ownSeat === winner ? t('You won') : t('You lost: {who} won', { who: players[winner] });
  return winner === null ? t('a draw') : t('{who} won', { who: players[winner] });
}

/** Return this browser's token for the game: of a seat, or to watch; '': there is none. */
export function keyOf(game: GameRow): string {
  const tokens = tokensOf(game.id);
  return tokens[seatsIn(tokens)[0]] ?? game.watch ?? '';
}

/** Whether this browser may rename and delete the game: it has a seat's token, or only bots play. */
export function manages(game: GameRow): boolean {
  return game.bots.every((bot) => bot !== null) || seatsIn(tokensOf(game.id)).length > 0;
}

export function open(game: GameRow): void {
  if (game.watch && !Object.keys(tokensOf(game.id)).length) keepTokens({ id: game.id, tokens: {}, watch: game.watch });
  route.go(game.over ? `r/${game.id}` : `g/${game.id}`);
}

/** Make a file name from the title of the game or the names of its players. */
function fileName(game: GameRow): string {
  const text = (game.name || game.players.join(' - ')).normalize('NFKD').replace(/[^\w -]+/g, '').trim().replace(/ +/g, '-');
  return text.slice(0, 60) || game.id;
}

async function save(game: GameRow, kind: 'log' | 'file', end: string): Promise<void> {
  downloadAs(await fetchFile(`games/${game.id}/${kind}`, keyOf(game)), `${fileName(game)}${end}`);
}

/** Download the log of the game. */
export const saveLog = (game: GameRow): Promise<void> => save(game, 'log', '.wl.jsonl.gz');

/** Download the replay as one HTML page that needs no server. */
export const savePage = (game: GameRow): Promise<void> => save(game, 'file', '.html');

export async function rename(game: GameRow, name: string): Promise<string> {
  return (await call<{ name: string }>(`games/${game.id}/name`, { name }, keyOf(game))).name;
}

export async function remove(game: GameRow): Promise<void> {
  await call(`games/${game.id}/delete`, {}, keyOf(game));
  drop(`warlight.keys.${game.id}`);
}
