// Titles of the maps of the program in the user's language.
import { t } from './i18n.svelte';

/** Return the title of a map; `title` is the title of a map that the page does not know. */
export function mapTitle(name: string, title: string): string {
  const titles: Record<string, () => string> = { world: () => t('World'), small: () => t('Small island'), large: () => t('Large continent') };
  return titles[name]?.() ?? title;
}

/** Return the translation of a title that the server sends without the name of the map. */
export function titleText(title: string): string {
  const names: Record<string, string> = { World: 'world', 'Small island': 'small', 'Large continent': 'large' };
  return mapTitle(names[title] ?? '', title);
}
