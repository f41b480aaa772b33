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

/**
 * Split the name of rules, for example "thesis:fog=true,luck=0.5", into the preset and the changes of its fields. Fog is
 * left out, because the page shows it for all rules.
 */
function split(name: string): [string, string] {
  const [preset, fields = ''] = name.split(':', 2);
  const changes = fields.split(',').filter((field) => field && field !== 'fog=true');
  return [preset, changes.join(', ')];
}

/** Return a few words about rules; their name if the page does not know the preset. */
export function presetWords(name: string): string {
  const [preset, changes] = split(name);
  const words = PRESETS[preset]?.().words;
  return words === undefined ? name : changes ? `${words} (${changes})` : words;
}

/** Return the line about a preset; '': the page does not know it, or its fields other than fog are changed. */
export function presetLine(name: string): string {
  const [preset, changes] = split(name);
  return changes ? '' : (PRESETS[preset]?.().line ?? '');
}
