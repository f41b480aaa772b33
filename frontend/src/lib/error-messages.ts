// Error messages in the user's language, by the error codes of `warlight_env/web/errors.py`.
import { illegal, type Refused } from './reasons';
import { t, type Values } from './i18n.svelte';

export interface ErrorBody {
  error: string; // English text
  details?: Refused[] | null;
  code?: string;
  values?: Values;
}

const SENTENCES: Record<string, (values: Values, details: Refused[]) => string> = {
  token: () => t('the server’s token is missing or wrong: open the address that the server printed'),
  'too-many': () => t('too many requests: try again in a moment'),
  'files-wait': () => t('other users are sending logs or maps: try again in a moment'),
  'too-long': (values) => t('the request is too large: at most {bytes, number} bytes are allowed', values),
  'too-slow': (values) => t('the request did not arrive within {seconds, number} s: try again', values),
  busy: () => t('the server is busy: try again in a moment'),
  'takes-long': (values) => t('the request takes more than {seconds, number} s, the limit of this server', values),
  memory: () => t('the request needs more memory than the server allows'),
  process: (values) => t('the process for this request failed: {reason}', values),
  unable: (values) => t('the server cannot do that now: {reason}', values),
  'cannot-write': (values) => t('the server cannot write: {reason}; nothing was changed', values),
  waits: (values) => t('the game is paused and nothing is lost: the server cannot write its log ({reason})', values),
  stopped: (values) => t('the game cannot continue ({kind}): see the server’s log', values),
  'games-full': (values) => t('the server has {n, plural, one {# game} other {# games}}, and all are in use: try again later', values),
  'memory-full': (values) => t('the games on the server have {size, number} MiB, and all are in use: try again later', values),

  'no-map': (values) => t('there is no map {name}', values),
  'map-bundled': (values) => t('{name} is the name of a map of the program: choose another short name', values),
  'map-there': (values) => t('there is a map {name} already: replace it, or choose another short name', values),
  'maps-full': (values) => t('there are {most} maps already: remove one', values),

  'no-game': () => t('there is no such game, or the link has a wrong token'),
  'no-bot': (values) => t('this server has no bot {bot}', values),
  unprintable: (values) => t('player {player}: the name has characters that cannot be printed', values),
  'looking-only': () => t('this token is only for watching'),
  'bots-only': () => t('only games between bots can be paused'),

  illegal: (_, details) => details.map(illegal).join('; '),
  over: () => t('the game is over: you cannot send a turn'),
  'other-phase': () => t('the game is in another phase: you cannot send this turn now'),
  'other-round': (values) => t('the turn is for round {number}, but the game is in round {now}', values),
  committed: () => t('this turn is already committed'),
  'not-to-move': () => t('it is not the turn of this seat'),
  final: () => t('in a game of several people you cannot take a turn back'),
  'no-turn-back': () => t('you cannot take a turn back now: the round has started'),

  resigned: () => t('this seat has resigned'),
  'not-in-game': () => t('this seat is no longer in the game'),
  'game-over': () => t('the game is over'),
  'being-played': () => t('the round is in progress: try again in a moment'),
  'bots-draw': () => t('bots do not accept draws'),
  'no-help': () => t('in a game with friends you cannot ask a bot for help'),
  'no-host': () => t('to invite friends, you must play in the game'),
  'shared-clock': () => t('a hotseat game cannot have a clock: its players would share the time'),
  'no-rematch-yet': () => t('you can start a rematch after the end of the game'),

  cancelled: () => t('the request was cancelled'),

  'no-file-yet': () => t('you can download the game after its end'),
  'unprintable-name': () => t('the name has characters that cannot be printed'),

  'no-replay-yet': () => t('the replay is available after the end of the game'),
  'no-report-yet': () => t('the analysis is available after the end of the game'),
  'no-branch-yet': () => t('you can play on from an earlier round after the end of the game'),
  'no-turn': () => t('this player has no turn now: choose another player or round'),
  'bot-failed': (values) => t('{bot}: {reason}', values),
  questions: (values) => t('{n, plural, one {# bot query is} other {# bot queries are}} still running: try again in a moment', values),
  'bots-busy': () => t('the bots have too many queries: try again in a moment'),
  'reports-wait': () => t('the server is analysing other games: try again in a moment'),
  'report-failed': (values) => t('the analysis failed ({kind}): see the server’s log', values),
  'report-rounds': (values) =>
    values.rounds ? t('this game has {rounds} rounds, and the page analyses at most {most} (the command “warlight analyse” has no limit)', values) : t('the game ended before its first round'),

  study: (values) => t('this study cannot be used: {reason}', values),
  variation: (values) => t('this variation is not possible: {reason}', values),
  'no-variations-yet': () => t('variations are available after the end of the game'),
  'studies-full': (values) => t('there are {most} studies already: delete one', values),
  'no-study': () => t('there is no such study'),

  log: (values) => t('this log cannot be read: {reason}', values),
  'log-gone': () => t('this log is no longer open: open it again'),
  'log-long': (values) => t('the log up to this round has {size, number} MiB: you can play on from at most {most, number} MiB', values),
  'no-log': () => t('this game has no log: run the tournament with --log'),
  'no-tournament': (values) => t('there is no tournament {name}', values),
};

/** Return the message of an error. For an unknown code it contains the server's English text. */
export function errorMessage({ error, details, code = '', values = {} }: ErrorBody): string {
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : null;
  return sentence ? sentence(values, details ?? []) : t('the server says: {error}', { error });
}
