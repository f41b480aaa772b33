// Short, unique names and codes for new regions.

/** Return "Region 3" for the third region, or the next free number. */
export function freshName(word: string, usedNames: string[]): string {
  const usedLower = new Set(usedNames.map((name) => name.toLowerCase()));
  for (let n = usedNames.length + 1; ; n++) if (!usedLower.has(`${word} ${n}`.toLowerCase())) return `${word} ${n}`;
}

/**
 * Return a code of two or three capital letters by the rule of `warlight_env.maps`; `usedWords`: codes and names of the
 * other regions.
 */
export function codeFor(name: string, usedWords: string[]): string {
  const usedLower = new Set(usedWords.map((word) => word.toLowerCase()));
  for (const code of candidates(name)) if (!usedLower.has(code.toLowerCase())) return code;
  return 'R';
}

function* candidates(name: string): Generator<string> {
  const plain = name.normalize('NFKD').replace(/[\u0300-\u036f]/g, '').toUpperCase();
  const words = plain.match(/[A-Z]+/g) ?? [];
  const digits = plain.match(/\d+$/)?.[0] ?? '';
  const [first = 'R', ...others] = words.join('');
  if (digits && digits.length < 5) yield first + digits;
  const second = words[1] ?? '';
  for (const letter of second) yield first + letter;
  for (const letter of others) yield first + letter;
  for (let i = 0; i < others.length; i++) for (const letter of others.slice(i + 1)) yield first + others[i] + letter;
  for (let n = 1; n < 100_000; n++) yield `${first}${n}`;
}

/** Make the map's short name from its title: lower-case letters, digits and hyphens. */
export function slug(title: string): string {
  const plain = title.normalize('NFKD').replace(/[\u0300-\u036f]/g, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 64);
}
