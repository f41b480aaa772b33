// The input of the picking phase: the start regions that a player prefers.
import { untrack } from 'svelte';
import type { Live } from './live.svelte';
import type { Playback } from './playback.svelte';
import { drop, loadData, saveItem } from './storage';
import { t } from './i18n.svelte';

export class PickInput {
  wishes = $state<number[]>([]); // indices of the picked regions, best first
  private hasRead = false; // whether the picks that the browser has stored were read

  constructor(
    private show: Playback,
    private live: Live | null,
  ) {
    // Show the picks; after a reload, the browser still has them.
    $effect(() => {
      const { key, now } = this;
      if (now?.phase !== 'pick' || !now.you) return;
      const { you } = now;
      untrack(() => {
        if (this.hasRead) {
          // Regions of an earlier choice that the server no longer offers.
          const offered = you.in ? this.wishes : this.wishes.filter((r) => you.offers.includes(r));
          if (offered.length < this.wishes.length) this.wishes = offered;
          return;
        }
        this.hasRead = true;
        const stored = loadData(key);
        const isValidPick = (r: unknown): r is number => Number.isInteger(r) && (r as number) >= 0 && (r as number) < show.doc.map.regions.length && (you.in || you.offers.includes(r as number));
        if (Array.isArray(stored)) this.wishes = [...new Set(stored.filter(isValidPick))].slice(0, you.picks);
      });
    });
    $effect(() => {
      const { wishes, now } = this;
      if (!this.hasRead || now?.phase !== 'pick') return;
      if (wishes.length) saveItem(this.key, JSON.stringify(wishes));
      else drop(this.key);
    });
  }

  private get now() {
    return this.live?.now ?? null;
  }

  private get key(): string {
    return `warlight.draft.${this.show.doc.id}.${this.show.doc.seat ?? null}.picks`;
  }

  /** Labels beside the armies: ranks of the picks, until the game begins. */
  ranks: Map<number, string> = $derived.by(() => new Map(this.now?.phase === 'pick' ? this.wishes.map((r, i) => [r, `#${i + 1}`]) : []));

  /** Whether the player has picked as many regions as the rules require, or all that are offered. */
  get complete(): boolean {
    const you = this.now!.you!;
    return this.wishes.length >= Math.min(you.picks, you.offers.length);
  }

  /** Whether the player gets all regions of its own offer, so that there is no choice. */
  get forced(): boolean {
    const { picks, offers } = this.now!.you!;
    return this.show.doc.rules.picking === 'own_offer' && offers.length <= picks;
  }

  /** Instruction for the next action of the player. */
  get says(): string {
    const { picks, offers } = this.now!.you!;
    if (this.forced && !this.wishes.length) {
      return t('You start in {n, plural, one {the region with a ring: press it} =2 {both regions with a ring: press them} other {all # regions with a ring: press them}}', { n: offers.length });
    }
    const left = Math.min(picks, offers.length) - this.wishes.length;
    return left > 0 ? t('Pick {picks, plural, one {# region} other {# regions}}: {left} left', { picks, left }) : t('Commit when you are ready');
  }

  /** Add a region to the picks, or remove it; returns the reason if this is not possible, otherwise ''. */
  toggle(r: number): string {
    const you = this.now!.you!;
    if (this.wishes.includes(r)) this.wishes = this.wishes.filter((w) => w !== r);
    else if (!you.offers.includes(r)) return t('{region} is not offered to you: choose a region with a ring', { region: this.show.doc.map.regions[r].name });
    else if (this.wishes.length < you.picks) this.wishes = [...this.wishes, r];
    else return t('You have already picked {n, plural, one {# region} other {# regions}}. To remove a pick, press it again.', { n: you.picks });
    return '';
  }

  /** Add offered regions until the picks are complete. */
  fill(): void {
    const you = this.now!.you!;
    this.wishes = [...this.wishes, ...you.offers.filter((r) => !this.wishes.includes(r))].slice(0, you.picks);
  }

  /** Remove the picks from the page and from the browser. */
  forget(): void {
    this.wishes = [];
    drop(this.key);
  }
}
