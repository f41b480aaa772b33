// The rule presets, each with a few words and with one line.
import { t } from './i18n.svelte';

const PRESETS: Record<string, () => { words: string; line: string }> = {
  thesis: () => ({
    words: t('classic'),
    line: t('Each player picks two regions, from one offer per super region. Transferred armies may move again in the same round.'),
  }),
  thesis_draft: () => ({
    words: t('classic, larger offer'),
    line: t('Like “classic”, but with two offered regions per super region.'),
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

/** Return a few words about a preset; its name if the page does not know it. */
export function presetWords(name: string): string {
  return PRESETS[name]?.().words ?? name;
}

/** Return the line about a preset; '': the page does not know it. */
export function presetLine(name: string): string {
  return PRESETS[name]?.().line ?? '';
}
