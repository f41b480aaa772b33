// What the page says, in the language that is chosen: English stands in the code, other languages by it in texts/.
import { IntlMessageFormat } from 'intl-messageformat';
import { cs } from '../texts/cs';
import { keep, kept } from './storage';

export const LANGUAGES = { en: 'English', cs: 'Čeština' } as const;
export type Language = keyof typeof LANGUAGES;
export type Values = Record<string, string | number>;

const TEXTS: Record<Language, Record<string, string> | null> = { en: null, cs };
const KEY = 'warlight.language';

class Tongue {
  now = $state<Language>(first());

  choose(language: Language): void {
    this.now = language;
    document.documentElement.lang = language;
    keep(KEY, language);
  }
}

/** What was chosen here, else what the browser asks for, else English. */
function first(): Language {
  const wishes = [kept(KEY) ?? '', ...navigator.languages.map((wish) => wish.slice(0, 2))];
  const found = wishes.find((wish): wish is Language => wish in LANGUAGES) ?? 'en';
  document.documentElement.lang = found;
  return found;
}

export const tongue = new Tongue();

const formats = new Map<string, IntlMessageFormat>();

/**
 * A text in the chosen language. `english` is an ICU message: "{n, plural, one {# round} other {# rounds}}", with the
 * values of its names. A text that has no translation is said in English; a test finds those.
 */
export function t(english: string, values?: Values): string {
  const language = tongue.now;
  const text = TEXTS[language]?.[english] ?? english;
  if (!values && !/[{'<]/.test(text)) return text;
  const key = `${language} ${english}`;
  let format = formats.get(key);
  if (!format) formats.set(key, (format = new IntlMessageFormat(text, language, undefined, { ignoreTag: true })));
  return format.format(values) as string;
}
