// The parts of avatars that `parts/Avatar.svelte` draws. Known bots have fixed parts; all other parts are derived from
// a hash of the name.

const GROUNDS = ['#20343f', '#2e2a44', '#3a2b2f', '#23392f', '#3b3524', '#2a3350'];
const SKINS = ['#f2b84b', '#e8805a', '#6fc3a0', '#6aa9e0', '#b58ae0', '#e88fb0', '#9bbf4f', '#d7a27a', '#8fb4c0', '#c9c3b4'];
const HEADS = ['round', 'block', 'tall', 'wide', 'gem', 'drop'] as const;
const TOPS = ['none', 'antenna', 'horns', 'ears', 'crown', 'leaf', 'tuft', 'helmet', 'cap', 'halo', 'bun', 'hat'] as const;
const EYES = ['dots', 'open', 'apart', 'sleepy', 'angry', 'visor', 'one', 'glasses', 'veil'] as const;
const MOUTHS = ['smile', 'grin', 'flat', 'smirk', 'oh', 'fangs', 'grid', 'beard'] as const;

export interface Parts {
  ground: string;
  skin: string;
  head: (typeof HEADS)[number];
  top: (typeof TOPS)[number];
  eyes: (typeof EYES)[number];
  mouth: (typeof MOUTHS)[number];
}

type Chosen = [skin: number, ground: number, head: Parts['head'], top: Parts['top'], eyes: Parts['eyes'], mouth: Parts['mouth']];

/** Parts of the agents of this package, by name. Variants of one agent share several parts. */
const KNOWN: Record<string, Chosen> = {
  random: [0, 1, 'round', 'tuft', 'apart', 'oh'],
  smart_random: [5, 3, 'round', 'cap', 'open', 'smile'],
  one_big_army: [1, 2, 'block', 'helmet', 'dots', 'flat'],
  aggressive: [1, 0, 'wide', 'horns', 'angry', 'fangs'],
  one_ply: [3, 2, 'tall', 'bun', 'open', 'smirk'],
  minimax2: [4, 3, 'gem', 'none', 'glasses', 'flat'],
  maxn: [6, 1, 'gem', 'crown', 'dots', 'smirk'],
  flat_mc: [7, 5, 'wide', 'hat', 'sleepy', 'smirk'],
  mcts_no_defense: [1, 5, 'drop', 'ears', 'angry', 'grin'],
  mcts_thesis: [7, 0, 'tall', 'none', 'glasses', 'beard'],
  mcts: [6, 3, 'drop', 'leaf', 'open', 'smile'],
  'mcts:secs=1': [2, 3, 'drop', 'leaf', 'dots', 'smile'],
  'mcts:secs=5': [6, 0, 'tall', 'leaf', 'sleepy', 'beard'],
  pmcts: [2, 1, 'wide', 'leaf', 'one', 'smile'],
  plan: [7, 3, 'round', 'bun', 'glasses', 'smile'],
  'policy:any': [4, 0, 'block', 'antenna', 'visor', 'smirk'],
  'policy:world': [3, 0, 'round', 'antenna', 'visor', 'grid'],
  'policy:small': [0, 0, 'block', 'antenna', 'one', 'oh'],
  nash: [9, 5, 'tall', 'crown', 'sleepy', 'smirk'],
  'nash:secs=5': [0, 1, 'tall', 'crown', 'angry', 'flat'],
  belief: [5, 1, 'drop', 'halo', 'veil', 'flat'],
};

/** Return the 32-bit FNV-1a hash of a text. */
function hash(text: string): number {
  let found = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) found = Math.imul(found ^ byte, 0x01000193) >>> 0;
  return found;
}

/** Return the parts of an avatar, by a bot's specification or a person's name. */
export function partsOf(key: string): Parts {
  const known = KNOWN[key] ?? KNOWN[key.split(/[:[]/)[0]];
  if (known) {
    const [skin, ground, head, top, eyes, mouth] = known;
    return { ground: GROUNDS[ground], skin: SKINS[skin], head, top, eyes, mouth };
  }
  let rest = hash(key);
  const drawn = <T>(from: readonly T[]): T => {
    const one = from[rest % from.length];
    rest = Math.imul(rest ^ (rest >>> 13), 0x5bd1e995) >>> 0;
    return one;
  };
  const shaven = MOUTHS.filter((mouth) => mouth !== 'beard');
  return { ground: drawn(GROUNDS), skin: drawn(SKINS), head: drawn(HEADS), top: drawn(TOPS), eyes: drawn(EYES), mouth: drawn(shaven) };
}
