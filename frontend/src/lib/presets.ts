// The rule presets, each with a few words and with one line.
import { t } from './i18n.svelte';

const PRESETS: Record<string, () => { words: string; line: string }> = {
  thesis: () => ({
    words: t('classic'),
    line: t('Each player picks two regions, from one offer per super region. Armies that moved to an own region may move again in the round.'),
  }),
  thesis_draft: () => ({
    words: t('classic, larger offer'),
    line: t('Like “thesis”, but with two offered regions per super region.'),
  }),
  challenge1: () => ({
    words: t('fog, ranked picks'),
    line: t('Fog. Each player ranks six regions and gets three. Armies that moved cannot move again. 100 rounds.'),
  }),
  challenge2: () => ({
    words: t('fog, wastelands'),
    line: t('Fog and neutral wastelands. Players pick in turn. Less luck in battles, and a limit of rounds.'),
  }),
};

/** Return a preset's name with a few words about it; without them if the page does not know it. */
export function presetTitle(name: string): string {
  const preset = PRESETS[name]?.();
  return preset ? `${preset.words} (${name})` : name;
}

/** Return the line about a preset; '': the page does not know it. */
export function presetLine(name: string): string {
  return PRESETS[name]?.().line ?? '';
}
