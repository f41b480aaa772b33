// Titles of the maps of the program in the user's language.
import { t } from './i18n.svelte';

/** Return the title of a map; `title` is the title of a map that the page does not know. */
export function mapTitle(name: string, title: string): string {
  const titles: Record<string, () => string> = { world: () => t('World'), small: () => t('Small island'), large: () => t('Large continent') };
  return titles[name]?.() ?? title;
}
