// Variations on the page: the selected variation, turns that the user tries, comments, and files.
import { engineChoice, engineOf } from '../analysis/engine.svelte';
import type { Opponent } from '../opponents';
import type { Playback } from '../playback.svelte';
import { RequestState } from '../request-state.svelte';
import type { TurnInput } from '../turn-input.svelte';
import type { Chance, Orders } from '../types';
import { EMPTY, firstRound, lineOf, pathTo } from './line';
import type { NamedTree, Reply, Tree, Variation, VariationServer } from './types';

/** A row of the list: a position of the game or the study, or a variation with its depth. */
export type Row = { kind: 'position'; round: number } | { kind: 'variation'; node: Variation; depth: number };

export class Explorer extends RequestState {
  tree = $state.raw<Tree>(EMPTY);
  names = $state.raw<Record<string, string>>({}); // displayed names of the tree's bots, by specification
  selected = $state<number | null>(null); // the number of the shown variation; null: a position of the game
  reply = $state<Reply>('known'); // the chosen reply

  constructor(
    readonly show: Playback,
    private input: TurnInput,
    readonly server: VariationServer | null,
    private bots: () => Opponent[],
  ) {
    super();
    [this.tree, this.names] = [show.doc.variations ?? EMPTY, show.doc.bots ?? {}];
    if (show.doc.study) this.reply = 'believed';
  }

  private setTree({ variations, bots }: NamedTree): void {
    [this.tree, this.names] = [variations, bots];
    if (this.selected !== null && !this.node) this.leave();
  }

  /** The shown variation. */
  get node(): Variation | null {
    return this.tree.nodes.find(({ id }) => id === this.selected) ?? null;
  }

  /** The number of rounds before the shown position, counted from the start of the game. */
  get round(): number {
    return firstRound(this.show.doc) + this.show.before;
  }

  /** The variation whose result is the shown position; null: the position belongs to the game. */
  get parent(): number | null {
    return this.node && pathTo(this.tree, this.node.id).findLast(({ round }) => round < this.round)?.id || null;
  }

  /** The number of rounds before the position of the game from which the shown position comes. */
  get start(): number {
    return this.node ? pathTo(this.tree, this.node.id)[0].round : this.round;
  }

  get note(): { name: string; comment: string } {
    if (this.node) return this.node;
    return this.tree.notes.find(({ round }) => round === this.round) ?? { name: '', comment: '' };
  }

  /** Whether the other players' turns of the next round are known. */
  get hasKnownReplies(): boolean {
    return this.show.doc.study === undefined && this.show.main.rounds.length > this.round;
  }

  /** Win probabilities after the shown variations. */
  get chances(): Chance[][] {
    const unknown: Chance[] = this.show.doc.players.map(() => [0, 0, 0]);
    return this.node ? pathTo(this.tree, this.node.id).map(({ chances }) => chances ?? unknown) : [];
  }

  /** The player whose turn the user tries: the one whose view is shown, or the first one in the game. */
  get seat(): number {
    const { owner } = this.show.position;
    const preferred = this.show.view ? this.show.view - 1 : (this.node?.seat ?? 0);
    return owner.includes(preferred) ? preferred : this.show.doc.players.findIndex((_, p) => owner.includes(p));
  }

  /** The bot that chooses believed turns; null: there is none. */
  get bot(): string | null {
    return engineOf(this.bots())?.spec ?? null;
  }

  /** All positions with notes or variations, each followed by its variations, in the order of the tree. */
  rows: Row[] = $derived.by(() => {
    const { nodes, notes } = this.tree;
    const list: Row[] = [];
    const addRows = (node: Variation, depth: number): void => {
      list.push({ kind: 'variation', node, depth });
      for (const next of nodes) if (next.parent === node.id) addRows(next, depth + 1);
    };
    const starts = nodes.filter(({ parent }) => parent === null);
    for (const round of [...new Set([...starts, ...notes].map(({ round }) => round))].sort((a, b) => a - b)) {
      list.push({ kind: 'position', round });
      starts.filter((node) => node.round === round).forEach((node) => addRows(node, 1));
    }
    return list;
  });

  /** Show a variation: the position before its round, then the round. */
  select(id: number, at: 'start' | 'end' = 'end'): void {
    const path = pathTo(this.tree, id);
    if (!path.length) return;
    this.input.giveUp();
    this.selected = id;
    const { show } = this;
    const anchor = path[0].round - firstRound(show.doc);
    show.pause();
    show.follow(lineOf(show.doc, anchor, path), anchor);
    show.go(show.last, at === 'start' ? 0 : Infinity);
  }

  /** Show a position of the game or the study. */
  toPosition(round: number): void {
    this.leave();
    this.show.go(round - firstRound(this.show.doc));
  }

  /** Show the variation of an address. */
  follow(id: number): void {
    if (this.selected !== id) this.select(id);
  }

  /** Show the game again, at the position from which the variation starts. */
  leave(): void {
    this.input.giveUp();
    const { show } = this;
    const branchRounds = show.branch;
    this.selected = null;
    show.follow(null);
    if (branchRounds !== null) show.go(branchRounds);
  }

  /** Select the next (1) or previous (-1) row of the list. */
  step(direction: 1 | -1): void {
    const { rows } = this;
    const index = rows.findIndex((row) => (row.kind === 'variation' ? row.node.id === this.selected : this.selected === null && row.round === this.round));
    const row = rows[index < 0 ? (direction > 0 ? 0 : rows.length - 1) : index + direction];
    if (row?.kind === 'variation') this.select(row.node.id);
    else if (row) this.toPosition(row.round);
  }

  /** Let the user enter a turn of a player in the shown position. */
  try(seat: number): void {
    const { show, parent, round } = this;
    const path = parent === null ? [] : pathTo(this.tree, parent);
    const anchor = (path[0]?.round ?? round) - firstRound(show.doc);
    this.error = '';
    if (this.busy || show.settled(seat)) return;
    if (this.reply === 'known' && !this.hasKnownReplies) this.reply = this.bot ? 'believed' : 'given';
    show.pause();
    show.follow(lineOf(show.doc, anchor, path), anchor);
    show.toEnd();
    if (show.doc.rules.fog) show.view = seat + 1;
    this.input.attempt(seat, async (orders) => this.add(seat, parent, round, orders), () => this.stop(parent));
  }

  /** Show the position again in which the user has stopped entering a turn. */
  private stop(parent: number | null): void {
    if (parent === null) this.leave();
    else this.select(parent);
  }

  private async add(seat: number, parent: number | null, round: number, orders: Orders): Promise<void> {
    const { reply, bot } = this;
    const engine = reply === 'believed' && bot ? { bot, seconds: engineChoice.seconds } : {};
    const created = await this.server!.add({ parent, round, seat, reply, ...engine, ...orders });
    this.setTree(created);
    this.select(created.node, this.show.animate ? 'start' : 'end');
    if (this.show.animate) this.show.play();
  }

  async annotate(name: string, comment: string): Promise<void> {
    const { selected, round } = this;
    await this.run(async () => this.setTree(await this.server!.note({ node: selected, round, name, comment })));
  }

  async remove(): Promise<void> {
    const { node } = this;
    if (!node) return;
    await this.run(async () => {
      const tree = await this.server!.remove(node.id);
      if (node.parent === null) this.leave();
      else this.select(node.parent);
      this.setTree(tree);
    });
  }

  async takeFile(file: File): Promise<void> {
    await this.run(async () => this.setTree(await this.server!.take(await file.arrayBuffer())));
  }
}
