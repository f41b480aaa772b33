// Orders as text in the notation of logs and the terminal: `d na 4; a na eg 9; t br na 4`.
import type { MapDoc, Orders } from './types';
import { t } from './i18n.svelte';

export function regionIndex(map: MapDoc, word: string): number {
  const wanted = word.trim().toLowerCase();
  return map.regions.findIndex((r) => r.code.toLowerCase() === wanted || r.name.toLowerCase() === wanted);
}

/** Parse orders; throws an Error that contains the wrong part and the reason. */
export function parseOrders(map: MapDoc, text: string): Orders {
  const orders: Orders = { deploys: [], attacks: [] };
  text.split(';').forEach((part, i) => {
    const words = part.trim().split(/\s+/).filter(Boolean);
    if (!words.length) return;
    const fail = (reason: string) => new Error(t('order {n} (“{part}”): {reason}', { n: i + 1, part: part.trim(), reason }));
    const kind = words[0].toLowerCase();
    const width = { d: 3, a: 4, t: 4 }[kind];
    if (!width) throw fail(t('must begin with d (deploy), a (attack) or t (transfer)'));
    if (words.length !== width) throw fail(kind === 'd' ? t('d REGION ARMIES') : t('{kind} FROM TO ARMIES', { kind }));
    const regions = words.slice(1, -1).map((word) => {
      const r = regionIndex(map, word);
      if (r < 0) throw fail(t('there is no region {word}', { word }));
      return r;
    });
    const armies = /^\d{1,7}$/.test(words.at(-1)!) ? Number(words.at(-1)) : 0;
    if (armies < 1) throw fail(t('{word} is not a number of armies', { word: words.at(-1)! }));
    if (kind === 'd') orders.deploys.push([regions[0], armies]);
    else orders.attacks.push([regions[0], regions[1], armies]);
  });
  return orders;
}
