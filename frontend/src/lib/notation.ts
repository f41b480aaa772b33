// Orders as text in the notation of logs and the terminal: `d na 4; a na eg 9; t br na 4`.
import type { MapDoc, Orders } from './types';
import { t } from './i18n.svelte';

export function regionIndex(map: MapDoc, word: string): number {
  const key = word.trim().toLowerCase();
  return map.regions.findIndex((r) => r.code.toLowerCase() === key || r.name.toLowerCase() === key);
}

/** Return "Western Australia (AW)" for the regions whose names begin with a word or have it as their initials. */
function similar(map: MapDoc, word: string): string {
  const prefix = word.toLowerCase();
  const initials = (name: string) => name.split(/[\s-]+/).map((part) => part[0]).join('').toLowerCase();
  const matches = map.regions.filter(({ name }) => initials(name) === prefix || name.toLowerCase().split(/[\s-]+/).some((part) => part.startsWith(prefix)));
  return matches.slice(0, 4).map(({ name, code }) => `${name} (${code})`).join(', ');
}

/** Parse orders; throws an Error that contains the wrong part and the reason. */
export function parseOrders(map: MapDoc, text: string): Orders {
  const orders: Orders = { deploys: [], attacks: [] };
  text.replace(/^[\s:>]+/, '').split(';').forEach((part, i) => {
    const words = part.trim().split(/\s+/).filter(Boolean);
    if (!words.length) return;
    const fail = (reason: string) => new Error(t('order {n} (“{part}”): {reason}', { n: i + 1, part: part.trim(), reason }));
    const kind = words[0].toLowerCase();
    const width = { d: 3, a: 4, t: 4 }[kind];
    if (!width) throw fail(t('must begin with d (deploy), a (attack) or t (transfer)'));
    const form = kind === 'd' ? t('d REGION ARMIES') : t('{kind} FROM TO ARMIES', { kind });
    if (words.length === width - 1 && !/^\d+$/.test(words.at(-1)!)) throw fail(t('the number of armies is missing: {form}', { form }));
    if (words.length < width) throw fail(t('a word is missing: {form}', { form }));
    if (words.length > width) throw fail(t('too many words: {form}; write a region as its code, such as {code}', { form, code: map.regions[0].code }));
    const regions = words.slice(1, -1).map((word) => {
      const r = regionIndex(map, word);
      const names = r < 0 ? similar(map, word) : '';
      if (r < 0) throw fail(names ? t('there is no region {word}; similar: {names}', { word, names }) : t('there is no region {word}', { word }));
      return r;
    });
    const armies = /^\d{1,7}$/.test(words.at(-1)!) ? Number(words.at(-1)) : 0;
    if (armies < 1) throw fail(t('{word} is not a number of armies', { word: words.at(-1)! }));
    if (kind === 'd') orders.deploys.push([regions[0], armies]);
    else orders.attacks.push([regions[0], regions[1], armies]);
  });
  return orders;
}
