// What the server refuses, in the reader's language: by the codes of `warlight_env/web/errors.py`.
import { illegal, type Refused } from './reasons';
import { t, type Values } from './words.svelte';

export interface Refusal {
  error: string; // in English
  details?: Refused[] | null;
  code?: string;
  values?: Values;
}

const SENTENCES: Record<string, (values: Values, details: Refused[]) => string> = {
  token: () => t('the server’s token is missing or wrong: open the address that it printed'),
  'too-many': () => t('too many requests: wait a moment'),
  'files-wait': () => t('others are sending logs or maps: wait a moment'),
  'too-long': (values) => t('at most {bytes, number} bytes', values),
  'too-slow': (values) => t('the request did not come in {seconds, number} s', values),
  busy: () => t('the server has too much to do: try again in a moment'),
  'takes-long': (values) => t('this takes more than {seconds, number} s, too long for this server', values),
  memory: () => t('this takes more memory than there is for it'),
  process: (values) => t('the process that worked on this: {reason}', values),
  unable: (values) => t('the server cannot do that now: {reason}', values),
  'cannot-write': (values) => t('the server cannot write: {reason}; nothing was changed', values),
  waits: (values) => t('the game waits, and nothing is lost: the server cannot write its log ({reason})', values),
  stopped: (values) => t('the game cannot go on ({kind}): the server’s log says why', values),
  'games-full': (values) => t('there are {n, plural, one {# game} other {# games}} already, and all are looked at', values),
  'memory-full': (values) => t('there are games of {size, number} MiB already, and all are looked at', values),

  'no-map': (values) => t('there is no map {name}', values),
  'map-bundled': (values) => t('a map that comes with the program is called {name}: choose another short name', values),
  'map-there': (values) => t('there is a map {name} already: replace it, or choose another short name', values),
  'maps-full': (values) => t('there are {most} maps already: remove one', values),

  'no-game': () => t('no such game, or its token is another'),
  'no-bot': (values) => t('no bot {bot} is offered here', values),
  unprintable: (values) => t('player {player}: the name has characters that cannot be printed', values),
  'looking-only': () => t('this token is for looking only'),
  'bots-only': () => t('only games between bots can be paused'),

  illegal: (_, details) => details.map(illegal).join('; '),
  over: () => t('the game is over: no such turn now'),
  'other-phase': () => t('this is not the time for such a turn'),
  'other-round': (values) => t('round {number}: the game is in round {now}', values),
  committed: () => t('this turn is committed already'),
  'not-to-move': () => t('this seat is not to move now'),
  final: () => t('a turn is final in a game of several people'),
  'no-turn-back': () => t('there is no turn to be taken back: the round is being played, or was'),

  resigned: () => t('this seat has resigned'),
  'not-in-game': () => t('this seat is not in the game any more'),
  'game-over': () => t('the game is over'),
  'being-played': () => t('the round is being played: wait a moment'),
  'bots-draw': () => t('bots agree on no draws'),
  'no-help': () => t('in a game with friends nobody is helped'),
  'no-host': () => t('friends are invited by somebody who plays, too'),
  'shared-clock': () => t('people at one screen have no clock: they would share their time'),
  'no-rematch-yet': () => t('a rematch is played once the game is over'),

  'no-file-yet': () => t('the game can be taken along once it is over'),
  'unprintable-name': () => t('the name has characters that cannot be printed'),

  'no-replay-yet': () => t('the replay is there once the game is over'),
  'no-report-yet': () => t('the report is made once the game is over'),
  'no-branch-yet': () => t('a game can be played on in another way once it is over'),
  'no-analysis-yet': () => t('past rounds can be analysed once the game is over'),
  'no-turn': () => t('there is nothing to think about: no turn of this player now'),
  'bot-failed': (values) => t('{bot}: {reason}', values),
  questions: (values) => t('{n, plural, one {# question} other {# questions}} to bots are still being answered: wait for those', values),
  'bots-busy': () => t('the bots are asked too much: try again in a moment'),
  'reports-wait': () => t('other reports are being made: wait a moment'),
  'report-failed': (values) => t('the report cannot be made ({kind}): the server’s log says why', values),
  'report-rounds': (values) => t('reports are made of games of 1 to {most} rounds: this one has {rounds}', values),

  log: (values) => t('this is no log that can be read: {reason}', values),
  'log-gone': () => t('that log is not open any more: open it again'),
  'log-long': (values) => t('the log has {size, number} MiB up to there: at most {most, number} are played on here', values),
  'no-log': () => t('there is no log of that game: play the tournament with --log'),
  'no-tournament': (values) => t('there is no tournament {name}', values),
  'old-result': (values) => t('the result of {name} is of an older program; its command writes it anew', values),
};

/** Why the server refuses; what has no sentence of its own is rare, and said as the server says it. */
export function refusal({ error, details, code = '', values = {} }: Refusal): string {
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : null;
  return sentence ? sentence(values, details ?? []) : t('the server says: {error}', { error });
}
