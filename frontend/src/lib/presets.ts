// The rule presets, each explained in one line.
import { t } from './i18n.svelte';

/** Return a preset's name with a few words about it; without them if the page does not know it. */
export function presetTitle(name: string): string {
  const words: Record<string, () => string> = {
    thesis: () => t('classic'),
    thesis_draft: () => t('classic, larger offer'),
    challenge1: () => t('fog, ranked picks'),
    challenge2: () => t('fog, wastelands'),
  };
  return words[name] ? `${words[name]()} (${name})` : name;
}

/** Return the line about a preset; '': the page does not know it. */
export function presetLine(name: string): string {
  const lines: Record<string, () => string> = {
    thesis: () => t('Each player picks two regions, from one offer per super region. Armies that moved to an own region may move again in the round.'),
    thesis_draft: () => t('Like “thesis”, but with two offered regions per super region.'),
    challenge1: () => t('Fog. Each player ranks six regions and gets three. Armies that moved cannot move again. 100 rounds.'),
    challenge2: () => t('Fog and neutral wastelands. Players pick in turn. Less luck in battles, and a limit of rounds.'),
  };
  return lines[name]?.() ?? '';
}
