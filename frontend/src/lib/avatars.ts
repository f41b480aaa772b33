// Faces: the server sends those of bots (`agents/bot_profile.py`); others are derived from a text. `parts/Avatar.svelte` draws them.

const GROUNDS = { slate: '#20343f', violet: '#2e2a44', brown: '#3a2b2f', green: '#23392f', olive: '#3b3524', navy: '#2a3350' };
const SKINS = {
  yellow: '#f2b84b', orange: '#e8805a', mint: '#6fc3a0', blue: '#6aa9e0', purple: '#b58ae0',
  pink: '#e88fb0', lime: '#9bbf4f', tan: '#d7a27a', steel: '#8fb4c0', grey: '#c9c3b4',
};
const HEADS = ['round', 'block', 'tall', 'wide', 'gem', 'drop'] as const;
const TOPS = ['none', 'antenna', 'horns', 'ears', 'crown', 'leaf', 'tuft', 'helmet', 'cap', 'halo', 'bun', 'hat'] as const;
const EYES = ['dots', 'open', 'apart', 'sleepy', 'angry', 'visor', 'one', 'glasses', 'veil'] as const;
const MOUTHS = ['smile', 'grin', 'flat', 'smirk', 'oh', 'fangs', 'grid', 'beard'] as const;

export interface Face {
  ground: keyof typeof GROUNDS;
  skin: keyof typeof SKINS;
  head: (typeof HEADS)[number];
  top: (typeof TOPS)[number];
  eyes: (typeof EYES)[number];
  mouth: (typeof MOUTHS)[number];
}

/** The colours of a face. */
export function coloursOf({ ground, skin }: Face): { ground: string; skin: string } {
  return { ground: GROUNDS[ground], skin: SKINS[skin] };
}

/** A number of 32 bits that follows from a text (FNV-1a). */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}

/** The face of a person, by name, or of a bot without a face, by its specification. */
export function faceFor(key: string): Face {
  let bits = hash(key);
  const drawn = <T>(from: readonly T[]): T => {
    const item = from[bits % from.length];
    bits = Math.imul(bits ^ (bits >>> 13), 0x5bd1e995) >>> 0;
    return item;
  };
  const shaven = MOUTHS.filter((mouth) => mouth !== 'beard');
  const [grounds, skins] = [Object.keys(GROUNDS) as Face['ground'][], Object.keys(SKINS) as Face['skin'][]];
  return { ground: drawn(grounds), skin: drawn(skins), head: drawn(HEADS), top: drawn(TOPS), eyes: drawn(EYES), mouth: drawn(shaven) };
}
