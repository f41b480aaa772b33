// Messages in the selected language. The English texts are in the code; texts/ contains the translations, with the
// English text as the key.
import { IntlMessageFormat } from 'intl-messageformat';
import { cs } from '../texts/cs';
import { saveItem, loadItem } from './storage';

export const LANGUAGES = { en: 'English', cs: 'Čeština' } as const;
export type Language = keyof typeof LANGUAGES;
export type Values = Record<string, string | number>;

const TEXTS: Record<Language, Record<string, string> | null> = { en: null, cs };
const KEY = 'warlight.language';

class Locale {
  now = $state<Language>(first());

  choose(language: Language): void {
    this.now = language;
    document.documentElement.lang = language;
    saveItem(KEY, language);
  }
}

/**
 * Return the language that is stored in this browser; else the first known one of the browser's languages; else
 * English.
 */
function first(): Language {
  const wishes = [loadItem(KEY) ?? '', ...navigator.languages.map((wish) => wish.slice(0, 2))];
  const language = wishes.find((wish): wish is Language => Object.hasOwn(LANGUAGES, wish)) ?? 'en';
  document.documentElement.lang = language;
  return language;
}

export const locale = new Locale();

// number of formatted texts that the cache keeps for one message; a map asks for the labels of all regions at every
// step
const KEPT = 1000;

interface Message {
  format: IntlMessageFormat;
  texts: Map<string, string>; // JSON of the values → formatted text
}

const messages = new Map<string, Message>();

function message(english: string, tags: boolean): Message {
  const language = locale.now;
  const key = `${language} ${tags} ${english}`;
  let entry = messages.get(key);
  if (!entry) {
    const format = new IntlMessageFormat(TEXTS[language]?.[english] ?? english, language, undefined, { ignoreTag: !tags });
    messages.set(key, (entry = { format, texts: new Map() }));
  }
  return entry;
}

/**
 * Return a text in the selected language. `english` is an ICU message such as "{n, plural, one {# round} other {#
 * rounds}}"; `values` are the values of its names. A message without a translation appears in English; a test finds
 * these messages.
 */
export function t(english: string, values?: Values): string {
  const { format, texts } = message(english, false);
  const key = values ? JSON.stringify(values) : '';
  let text = texts.get(key);
  if (text === undefined) {
    if (texts.size >= KEPT) texts.clear();
    texts.set(key, (text = format.format(values) as string));
  }
  return text;
}

/** A text of the server in the chosen language: no ICU message. `texts/cs/bots.ts` has the texts of bots. */
export function serverText(english: string): string {
  return TEXTS[locale.now]?.[english] ?? english;
}

/** A piece of a text, and the name of the element around it: "b" for "<b>three</b>"; '': no element. */
export interface Piece {
  text: string;
  in: string;
}

/** Split a text with elements into pieces. Angle brackets in the values do not create elements. */
export function pieces(english: string, values?: Values): Piece[] {
  const wrap = (name: string) => (parts: unknown[]) => ({ text: parts.join(''), in: name });
  const elements = Object.fromEntries(['b', 'i', 'kbd', 'mono'].map((name) => [name, wrap(name)]));
  const formatted = message(english, true).format.format<Piece>({ ...elements, ...values });
  return [formatted].flat().map((piece) => (typeof piece === 'string' ? { text: piece, in: '' } : piece));
}

const figures = new Map<string, Intl.NumberFormat>();

/** Format a number with a fixed number of decimals in the selected language. */
export function figure(value: number, decimals = 0): string {
  const key = `${locale.now} ${decimals}`;
  let format = figures.get(key);
  if (!format) {
    const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    figures.set(key, (format = new Intl.NumberFormat(locale.now, options)));
  }
  return format.format(Number(value.toFixed(decimals)));
}

/**
 * Return a share from 0 to 1 as a rounded percentage. Halves are rounded to even numbers, so that the percentages of two
 * shares with the sum 1 have the sum 100. `rounded_percent` of `warlight analyse` does the same.
 */
export function roundedPercent(share: number, decimals = 0): number {
  const units = 10 ** decimals;
  const exact = Number((100 * units * share).toPrecision(12)); // 100 * 0.575 is a little less than 57.5
  const nearest = Math.round(exact);
  return (exact % 1 === 0.5 && nearest % 2 ? nearest - 1 : nearest) / units;
}

/** Format a share from 0 to 1 as a percentage. */
export function percent(share: number, decimals = 1): string {
  return `${figure(roundedPercent(share, decimals), decimals)}\u00a0%`; // a line must not break before the sign
}

/** Join names: "Brazil, Peru and Chile". Of more than four names, only the first three appear. */
export function joined(names: string[]): string {
  const hiddenCount = names.length - 3;
  const listed = names.length <= 4 ? names : [...names.slice(0, 3), t('{n, plural, one {# more} other {# more}}', { n: hiddenCount })];
  return new Intl.ListFormat(locale.now).format(listed);
}

const collators = new Map<Language, Intl.Collator>();

/** Compare two names in the alphabetical order of the selected language, for `sort`. */
export function compareNames(a: string, b: string): number {
  let collator = collators.get(locale.now);
  if (!collator) collators.set(locale.now, (collator = new Intl.Collator(locale.now)));
  return collator.compare(a, b);
}

/** Format a number with its sign, including a plus sign. */
export function signed(value: number, decimals = 0): string {
  const size = figure(Math.abs(value), decimals);
  return `${!Number(Math.abs(value).toFixed(decimals)) ? '' : value > 0 ? '+' : '−'}${size}`;
}

/** Format a date and time; `seconds` since 1970. */
export function moment(seconds: number): string {
  // the browser's variant of the language, for example en-GB
  const custom = navigator.languages.find((wish) => wish.slice(0, 2) === locale.now) ?? locale.now;
  return new Date(seconds * 1000).toLocaleString(custom, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Return a text such as "5 minutes ago". */
export function ago(seconds: number): string {
  const units = [['day', 86400], ['hour', 3600], ['minute', 60]] as const;
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? (['second', 1] as const);
  return new Intl.RelativeTimeFormat(locale.now).format(-Math.round(seconds / size), unit);
}
