// Messages in the selected language. The code has the English texts; texts/ has the translations by the English text.
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

/** The language that was selected in this browser, else one of the browser's languages, else English. */
function first(): Language {
  const wishes = [loadItem(KEY) ?? '', ...navigator.languages.map((wish) => wish.slice(0, 2))];
  const found = wishes.find((wish): wish is Language => Object.hasOwn(LANGUAGES, wish)) ?? 'en';
  document.documentElement.lang = found;
  return found;
}

export const locale = new Locale();

const KEPT = 1000; // texts of a message: the labels of a map's regions are asked for at every step of a game

interface Message {
  format: IntlMessageFormat;
  said: Map<string, string>; // by values
}

const messages = new Map<string, Message>();

function message(english: string, tags: boolean): Message {
  const language = locale.now;
  const key = `${language} ${tags} ${english}`;
  let found = messages.get(key);
  if (!found) {
    const format = new IntlMessageFormat(TEXTS[language]?.[english] ?? english, language, undefined, { ignoreTag: !tags });
    messages.set(key, (found = { format, said: new Map() }));
  }
  return found;
}

/**
 * A text in the chosen language. `english` is an ICU message: "{n, plural, one {# round} other {# rounds}}", with the
 * values of its names. A text that has no translation is said in English; a test finds those.
 */
export function t(english: string, values?: Values): string {
  const { format, said } = message(english, false);
  const key = values ? JSON.stringify(values) : '';
  let text = said.get(key);
  if (text === undefined) {
    if (said.size >= KEPT) said.clear();
    said.set(key, (text = format.format(values) as string));
  }
  return text;
}

/** A text of the server in the chosen language: no ICU message. `texts/cs/bots.ts` has the texts of bots. */
export function serverText(english: string): string {
  return TEXTS[locale.now]?.[english] ?? english;
}

/** A piece of a text, and the element in which it stands: "<b>three</b> rounds"; '': in none. */
export interface Piece {
  text: string;
  in: string;
}

/** A text with elements in it, as pieces; what values say is never taken for an element. */
export function pieces(english: string, values?: Values): Piece[] {
  const inside = (name: string) => (within: unknown[]) => ({ text: within.join(''), in: name });
  const elements = Object.fromEntries(['b', 'i', 'kbd', 'mono'].map((name) => [name, inside(name)]));
  const found = message(english, true).format.format<Piece>({ ...elements, ...values });
  return [found].flat().map((piece) => (typeof piece === 'string' ? { text: piece, in: '' } : piece));
}

const figures = new Map<string, Intl.NumberFormat>();

/** A number with so many decimals, as the language writes it. */
export function figure(value: number, decimals = 0): string {
  const key = `${locale.now} ${decimals}`;
  let format = figures.get(key);
  if (!format) {
    const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    figures.set(key, (format = new Intl.NumberFormat(locale.now, options)));
  }
  return format.format(Number(value.toFixed(decimals)));
}

/** A share of 0 to 1 in per cent. */
export function percent(share: number, decimals = 1): string {
  return `${figure(100 * share, decimals)} %`;
}

/** A number with its sign, also where that is plus. */
export function signed(value: number, decimals = 0): string {
  const size = figure(Math.abs(value), decimals);
  return `${!Number(Math.abs(value).toFixed(decimals)) ? '' : value > 0 ? '+' : '−'}${size}`;
}

/** A day and time of day; `seconds` since 1970. */
export function moment(seconds: number): string {
  const custom = navigator.languages.find((wish) => wish.slice(0, 2) === locale.now) ?? locale.now; // of a country, perhaps
  return new Date(seconds * 1000).toLocaleString(custom, { dateStyle: 'medium', timeStyle: 'short' });
}

/** "5 minutes ago". */
export function ago(seconds: number): string {
  const units = [['day', 86400], ['hour', 3600], ['minute', 60]] as const;
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? (['second', 1] as const);
  return new Intl.RelativeTimeFormat(locale.now).format(-Math.round(seconds / size), unit);
}
