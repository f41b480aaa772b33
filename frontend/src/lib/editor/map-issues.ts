// The problems that the server finds in a map, in the user's language, with the affected parts of the map.
import type { Values } from '../i18n.svelte';
import { t } from '../i18n.svelte';
import type { Sketch } from './sketch';

/** One problem in the server's answer; see `maps/checks.py`. */
export interface MapIssueData {
  code: string;
  message: string;
  part: 'map' | 'region' | 'super_region' | 'border' | 'link';
  indices: number[];
  entry: string;
  values: Values;
}

export interface Answer {
  problems: MapIssueData[];
  remarks: MapIssueData[];
  players: Record<string, number>;
}

export interface MapIssue {
  part: MapIssueData['part'];
  keys: number[]; // keys of the affected regions (two for a border) or of the super region
  entry: string;
  says: string;
  soft: boolean; // a warning only: games on the map are possible
}

type Saying = (values: Values, names: string[]) => string;

const SENTENCES: Record<string, Saying> = {
  'map-name': () => t('The short name can have only lower-case letters, digits, “.”, “_” and “-”. It must begin with a letter or digit.'),
  unprintable: () => t('This text has characters that cannot be printed: remove them.'),
  'no-regions': () => t('The map has no regions yet.'),
  regions: (values) => t('The map has {n} regions: at most {most} are possible.', values),
  borders: (values) => t('The map has {n} borders: at most {most} are possible.', values),
  'no-super-region': (_, [name]) => t('{name} is in no super region.', { name }),
  'name-empty': () => t('The name is missing.'),
  'name-form': (values) => t('The name must have at most {most} characters, with single spaces between words.', values),
  'name-repeated': (_, [name]) => t('Two entries have the name {name}: change one.', { name }),
  bonus: (values, [name]) => t('{name}: the bonus must be a whole number from 0 to {most}.', { ...values, name }),
  'no-members': (_, [name]) => t('{name} has no regions: paint some, or remove it.', { name }),
  code: (_, [name]) => t('{name}: the code must have 1 to 6 capital letters or digits.', { name }),
  'code-taken': (values, [name]) => t('{name}: the code is also the code or the name of {other}. Choose another code.', { ...values, name }),
  army: (values, [name]) => t('{name}: the armies at the start must be a whole number from 1 to {most}.', { ...values, name }),
  'border-self': (_, [name]) => t('{name} has a border to itself.', { name }),
  'border-unknown': () => t('A border leads to a region that does not exist.'),
  'border-order': () => t('A border is listed twice.'),
  'not-connected': (values, names) =>
    t('{n, plural, one {{names} cannot be reached from {first}: it needs a border.} other {{names} cannot be reached from {first}: they need borders.}}', {
      ...values,
      names: listed(names),
    }),
  'no-view-box': () => t('The drawing has no sheet.'),
  'no-shape': (values, names) =>
    t('{n, plural, one {{names} has no outline} other {{names} have no outlines}}: give all regions an outline, or none.', { ...values, names: listed(names) }),
  'view-box': (values) => t('The sheet must be from 1 to {most, number} units wide and high.', values),
  'view-box-high': () => t('The sheet may be at most ten times as high as wide.'),
  path: (_, [name]) => t('The outline of {name} cannot be read.', { name }),
  label: (_, [name]) => t('The label of {name} is outside of the sheet.', { name }),
  'link-unknown': (_, names) => t('A line connects {names}, but they have no border.', { names: listed(names) }),
  'link-line': (_, names) => t('The line between {names} is not finite.', { names: listed(names) }),

  'outline-crosses': (_, [name]) => t('The outline of {name} crosses itself.', { name }),
  'label-outside': (_, [name]) => t('The label of {name} is outside of the region.', { name }),
  overlap: (_, [a, b]) => t('{a} and {b} overlap.', { a, b }),
  'side-without-border': (_, [a, b]) => t('{a} and {b} touch, but they have no border.', { a, b }),
  'border-without-side': (_, [a, b]) => t('{a} and {b} have a border, but they do not touch, and no line connects them.', { a, b }),
};

const NAMED = 4; // largest number of names in a list; the others are counted

function listed(names: string[]): string {
  return names.length > NAMED ? t('{names} and {n} more', { names: names.slice(0, NAMED).join(', '), n: names.length - NAMED }) : names.join(', ');
}

/** Return the problems in the server's answer; `sketch` is the map that was checked. */
export function mapIssuesOf(answer: Answer, sketch: Sketch): MapIssue[] {
  const issues = [...answer.problems.map((data) => ({ data, soft: false })), ...answer.remarks.map((data) => ({ data, soft: true }))];
  return issues.map(({ data, soft }) => {
    const parts = data.part === 'super_region' ? sketch.supers : sketch.regions;
    const affected = data.indices.map((i) => parts[i]).filter((part) => part !== undefined);
    const names = affected.map((part) => part.name || t('a region without a name'));
    const sentence = Object.hasOwn(SENTENCES, data.code) ? SENTENCES[data.code] : null;
    return { part: data.part, keys: affected.map(({ key }) => key), entry: data.entry, says: sentence ? sentence(data.values, names) : data.message, soft };
  });
}
