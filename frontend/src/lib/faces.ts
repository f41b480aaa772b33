// Faces put together from parts: chosen for those we know, drawn from the name for everybody else.

const GROUNDS = ['#20343f', '#2e2a44', '#3a2b2f', '#23392f', '#3b3524', '#2a3350'];
const SKINS = ['#f2b84b', '#e8805a', '#6fc3a0', '#6aa9e0', '#b58ae0', '#e88fb0', '#9bbf4f', '#d7a27a', '#8fb4c0', '#c9c3b4'];
const DARK = '#1b2329';
const LIGHT = '#fdfaf2';

/** Shapes of a head in a square of 48. */
const HEADS = {
  round: '<circle cx="24" cy="27" r="16"/>',
  block: '<rect x="9" y="12" width="30" height="30" rx="9"/>',
  tall: '<rect x="11" y="8" width="26" height="35" rx="13"/>',
  wide: '<ellipse cx="24" cy="28" rx="19" ry="14.5"/>',
  gem: '<path d="M24 9 40 19v14L24 44 8 33V19z" stroke-linejoin="round"/>',
  drop: '<path d="M24 7c9 9 16 14 16 22a16 15 0 0 1-32 0C8 21 15 16 24 7z"/>',
} as const;

/** What is on it; `currentColor` is the head's own. */
const TOPS = {
  none: '',
  antenna: `<path d="M24 13V5" stroke="${LIGHT}" stroke-width="2"/><circle cx="24" cy="5" r="2.6" fill="#ffd75e"/>`,
  horns: `<path d="M12 17C8 13 7 9 8 5c4 2 8 5 9 9zM36 17c4-4 5-8 4-12-4 2-8 5-9 9z" fill="${LIGHT}"/>`,
  ears: '<path d="M10 19 9 6l11 7zM38 19 39 6l-11 7z" fill="currentColor"/>',
  crown: '<path d="M12 15 11 4l7 5 6-7 6 7 7-5-1 11z" fill="#ffd75e"/>',
  leaf: '<path d="M24 13c0-6 3-10 10-11 0 7-4 10-10 11zM24 13c-1-5-4-8-9-8 0 5 4 8 9 8z" fill="#7cc46a"/>',
  tuft: `<path d="M17 13c1-6 4-8 5-10 1 3 2 4 2 6 1-2 3-4 6-5-1 4 0 6 1 9z" fill="${DARK}"/>`,
  helmet: '<path d="M8 22a16 15 0 0 1 32 0l-3-1H11z" fill="#9aa7b0"/><path d="M22.5 4h3v16h-3z" fill="#d0473c"/>',
  cap: '<path d="M10 18a14 12 0 0 1 28 0h5v3H10z" fill="#d0473c"/>',
  halo: '<ellipse cx="24" cy="6" rx="10" ry="3" fill="none" stroke="#ffd75e" stroke-width="2.2"/>',
  bun: `<circle cx="24" cy="7" r="5" fill="${DARK}"/><path d="M10 21c1-8 7-11 14-11s13 3 14 11c-5-4-9-5-14-5s-9 1-14 5z" fill="${DARK}"/>`,
  hat: `<path d="M5 17h38l-2 3H7z" fill="${DARK}"/><path d="M14 17l2-13h16l2 13z" fill="${DARK}"/><path d="M14.4 14h19.2l.4 3H14z" fill="#b58ae0"/>`,
} as const;

const EYES = {
  dots: `<circle cx="18" cy="26" r="2.4" fill="${DARK}"/><circle cx="30" cy="26" r="2.4" fill="${DARK}"/>`,
  open: `<circle cx="18" cy="25" r="4.6" fill="${LIGHT}"/><circle cx="30" cy="25" r="4.6" fill="${LIGHT}"/><circle cx="18.8" cy="25.6" r="2.1" fill="${DARK}"/><circle cx="29.2" cy="25.6" r="2.1" fill="${DARK}"/>`,
  apart: `<circle cx="18" cy="25" r="4.6" fill="${LIGHT}"/><circle cx="30" cy="25" r="4.6" fill="${LIGHT}"/><circle cx="16" cy="23.5" r="2" fill="${DARK}"/><circle cx="31.5" cy="27" r="2" fill="${DARK}"/>`,
  sleepy: `<path d="M14 25h8M26 25h8" stroke="${DARK}" stroke-width="2.2" stroke-linecap="round"/><path d="M15 25a3.2 3.2 0 0 0 6 0zM27 25a3.2 3.2 0 0 0 6 0z" fill="${DARK}"/>`,
  angry: `<circle cx="18" cy="27" r="3" fill="${LIGHT}"/><circle cx="30" cy="27" r="3" fill="${LIGHT}"/><circle cx="18.5" cy="27" r="1.6" fill="${DARK}"/><circle cx="29.5" cy="27" r="1.6" fill="${DARK}"/><path d="M13 21l8 3.5M35 21l-8 3.5" stroke="${DARK}" stroke-width="2.6" stroke-linecap="round"/>`,
  visor: `<rect x="11" y="21" width="26" height="9" rx="4.5" fill="${DARK}"/><circle cx="19" cy="25.5" r="2" fill="#7be0ff"/><circle cx="29" cy="25.5" r="2" fill="#7be0ff"/>`,
  one: `<circle cx="24" cy="25" r="7" fill="${LIGHT}"/><circle cx="24.8" cy="25.6" r="3.3" fill="${DARK}"/><circle cx="26" cy="24.4" r="1.1" fill="${LIGHT}"/>`,
  glasses: `<circle cx="17.5" cy="25.5" r="5" fill="${LIGHT}" stroke="${DARK}" stroke-width="1.7"/><circle cx="30.5" cy="25.5" r="5" fill="${LIGHT}" stroke="${DARK}" stroke-width="1.7"/><path d="M22.5 25h3" stroke="${DARK}" stroke-width="1.7"/><circle cx="18" cy="26" r="1.9" fill="${DARK}"/><circle cx="30" cy="26" r="1.9" fill="${DARK}"/>`,
  veil: `<path d="M10 25q14-7 28 0" fill="none" stroke="${DARK}" stroke-width="6"/><circle cx="18.5" cy="23.3" r="1.6" fill="${LIGHT}"/><circle cx="29.5" cy="23.3" r="1.6" fill="${LIGHT}"/>`,
} as const;

const MOUTHS = {
  smile: `<path d="M18 34q6 5 12 0" fill="none" stroke="${DARK}" stroke-width="2.2" stroke-linecap="round"/>`,
  grin: `<path d="M17 33h14a7 6 0 0 1-14 0z" fill="${DARK}"/><path d="M18.5 33h11v2h-11z" fill="${LIGHT}"/>`,
  flat: `<path d="M19 35h10" stroke="${DARK}" stroke-width="2.2" stroke-linecap="round"/>`,
  smirk: `<path d="M18 35q7 1 11-3" fill="none" stroke="${DARK}" stroke-width="2.2" stroke-linecap="round"/>`,
  oh: `<ellipse cx="24" cy="35" rx="2.8" ry="3.3" fill="${DARK}"/>`,
  fangs: `<path d="M17 33h14l-1 3H18z" fill="${DARK}"/><path d="M19 33l1.5 4 1.5-4zM26 33l1.5 4 1.5-4z" fill="${LIGHT}"/>`,
  grid: `<rect x="17" y="32.5" width="14" height="4.5" rx="1.2" fill="${DARK}"/><path d="M20.5 32.5v4.5M24 32.5v4.5M27.5 32.5v4.5" stroke="${LIGHT}" stroke-width=".9"/>`,
  beard: `<path d="M13 31q11 4 22 0-1 13-11 14-10-1-11-14z" fill="${DARK}"/><path d="M20 35q4 2.5 8 0" fill="none" stroke="${LIGHT}" stroke-width="1.7" stroke-linecap="round"/>`,
} as const;

export interface Parts {
  ground: string;
  skin: string;
  head: keyof typeof HEADS;
  top: keyof typeof TOPS;
  eyes: keyof typeof EYES;
  mouth: keyof typeof MOUTHS;
}

type Chosen = [skin: number, ground: number, head: Parts['head'], top: Parts['top'], eyes: Parts['eyes'], mouth: Parts['mouth']];

/** Of the agents that come with the game, by name; what a second face has in common with the first shows their kinship. */
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

/** A number of 32 bits that follows from a text (FNV-1a). */
function hash(text: string): number {
  let found = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) found = Math.imul(found ^ byte, 0x01000193) >>> 0;
  return found;
}

/** The parts of the face of a bot, by its specification, or of a person, by name. */
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
  const of = <T extends object>(table: T, but = '') => drawn(Object.keys(table).filter((part) => part !== but) as (keyof T)[]);
  return { ground: drawn(GROUNDS), skin: drawn(SKINS), head: of(HEADS), top: of(TOPS), eyes: of(EYES), mouth: of(MOUTHS, 'beard') };
}

/** What is drawn of a face, in a square of 48; nothing in it comes from outside. */
export function drawnFace({ skin, head, top, eyes, mouth }: Parts): string {
  return `<g fill="${skin}" color="${skin}">${HEADS[head]}${TOPS[top]}</g>${EYES[eyes]}${MOUTHS[mouth]}`;
}
