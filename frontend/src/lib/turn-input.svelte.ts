// The input of a turn: the selection, and the orders that a player enters by mouse, letters, digits or text.
import { untrack } from 'svelte';
import { call, CallError, seatsIn, tokensOf } from './api';
import { Draft } from './draft.svelte';
import { touchOnly } from './touch';
import type { Live } from './live.svelte';
import { parseOrders } from './notation';
import { PickInput } from './pick-input.svelte';
import { reason } from './reasons';
import { leastToCapture } from './rules';
import type { Playback } from './playback.svelte';
import { splitTurn } from './sendable';
import { sound } from './sounds';
import { type MapDoc, type Orders, UNKNOWN } from './types';
import { t } from './i18n.svelte';

export interface Act {
  by: 'one' | 'five' | 'all';
  minus: boolean;
}

const DOUBLE = 400; // largest time in milliseconds between the two presses of a double click
const PAUSE = 2000; // milliseconds after which a digit starts a new number
const ALPHABET = 'asdfghjklqwertyuiopzxcvbnm';

export class TurnInput {
  readonly picks: PickInput;
  draft = $state<Draft | null>(null);
  sent = $state<Draft | null>(null); // the committed turn, until its round is played
  source = $state<number | null>(null); // index of the region from which the next attack starts; null: not selected
  onDeploy = $state<number | null>(null); // index of the region whose deploy is changed by keys
  lettering = $state<{ kind: 'deploy' | 'attack'; from: number | null } | null>(null);
  message = $state('');
  busy = $state(false);
  asking = $state(false); // whether the player must confirm a turn with armies that are not deployed
  // true for `DOUBLE` ms after a commit: disables the buttons that replace Commit, so that a double click presses none
  // of them
  fresh = $state(false);
  hint: 'off' | 'coach' | 'full' = 'off'; // highest level of help that the player used for this turn
  // the number that the player types, digit by digit
  private entry: { name: string; amount: number; digits: string; at: number } | null = null;
  private typedLetters = '';
  private timer = 0;
  // the turn that the user tries outside of a running game; stop: called when the user gives up
  private trial = $state.raw<{ seat: number; submit: (orders: Orders) => Promise<void>; stop: () => void } | null>(null);
  private round = 0; // round of the last draft
  private takenBack: Orders | null = null; // orders that the player took back in this round; the next draft starts with them
  private takingBack = $state(false); // until the answer of the server: there is no draft yet

  constructor(
    private show: Playback,
    private live: Live | null,
    private onDraft: () => void,
    private onCommitted: (awaited: number[], round: number) => void,
  ) {
    this.picks = new PickInput(show, live);
    // Make a draft for the round in which the server expects a turn of this player.
    $effect(() => {
      const { now } = this;
      const openRound = !this.takingBack && now?.phase === 'play' && now.you?.alive && !now.you.in ? now.round : null;
      void show.version;
      untrack(() => {
        if (this.trial) return;
        const position = openRound === null ? undefined : show.history.positions[openRound];
        if (!position) this.draft = null;
        else if (this.draft?.round !== openRound! + 1) {
          this.draft = new Draft(show.doc, position, this.seat!, openRound! + 1);
          [this.source, this.onDeploy, this.lettering, this.message] = [null, null, null, ''];
          if (this.round !== this.draft.round) [this.round, this.hint, this.takenBack] = [this.draft.round, 'off', null];
          if (this.takenBack) this.draft.reopen(this.takenBack);
          this.takenBack = null;
          this.onDraft();
        }
      });
    });
    // Two tabs of one browser with the same seat have the same draft.
    $effect(() => {
      const follow = (event: StorageEvent) => this.draft?.follow(event.key, event.newValue);
      window.addEventListener('storage', follow);
      return () => window.removeEventListener('storage', follow);
    });
    // Show the committed turn; after a reload, the browser still has it.
    $effect(() => {
      const { now } = this;
      const round = now?.phase === 'play' && now.you?.alive && now.you.in ? now.round : null;
      void show.version;
      untrack(() => {
        const position = round === null ? undefined : show.history.positions[round];
        this.sent = position ? new Draft(show.doc, position, this.seat!, round! + 1) : null;
      });
    });
    // Remove the message and the question when the player changes the turn.
    $effect(() => {
      void [this.draft?.orders, this.picks.wishes];
      untrack(() => ([this.message, this.asking] = ['', false]));
    });
    $effect(() => {
      void [this.draft?.phase, this.source];
      untrack(() => (this.message = ''));
    });
  }

  private get map(): MapDoc {
    return this.show.doc.map;
  }

  private get now() {
    return this.live?.now ?? null;
  }

  get seat(): number | null {
    return this.trial?.seat ?? this.show.doc.seat ?? null;
  }

  /** Whether the user enters a turn outside of a running game. */
  get trying(): boolean {
    return this.trial !== null;
  }

  /** Let the user enter a turn in the last position that is shown. `submit` receives it instead of the server. */
  attempt(seat: number, submit: (orders: Orders) => Promise<void>, stop: () => void): void {
    const { show } = this;
    this.trial = { seat, submit, stop };
    this.draft = new Draft(show.doc, show.position, seat, show.last + 1, false);
    [this.source, this.onDeploy, this.lettering, this.message] = [null, null, null, ''];
  }

  /** Stop entering a turn outside of a running game. */
  giveUp(): void {
    if (this.trial) [this.trial, this.draft, this.source, this.onDeploy, this.lettering, this.asking] = [null, null, null, null, null, false];
  }

  /** Stop entering a turn, and return to the position before it. */
  stop(): void {
    this.trial?.stop();
  }

  get picking(): boolean {
    const { now } = this;
    return now?.phase === 'pick' && now.you !== undefined && !now.you.in && now.awaited.includes(this.seat ?? -1);
  }

  get editing(): boolean {
    return this.draft !== null && this.show.atEnd && !this.show.playing;
  }

  isOwn = (r: number): boolean => this.seat !== null && this.show.position.owner[r] === this.seat;
  neighbours = (r: number): number[] => this.map.regions[r].near;

  /** Regions that the player can select now; the map draws rings around them. */
  ringed: Set<number> = $derived.by(() => {
    const { draft } = this;
    if (this.picking) return new Set(this.picks.complete ? this.picks.wishes : this.now!.you!.offers);
    if (!this.editing || !draft) return new Set<number>();
    const ownRegions = this.map.regions.map((_, r) => r).filter(this.isOwn);
    if (this.source !== null) return new Set(this.neighbours(this.source));
    if (draft.phase === 'deploy' && draft.left > 0) return new Set(ownRegions);
    return new Set(draft.phase === 'attack' ? ownRegions.filter((r) => draft.free(r) > 0) : []);
  });

  /** Letters on regions, for the selection by keyboard. */
  letters: Map<number, string> = $derived.by(() => {
    if (!this.lettering || !this.draft) return new Map();
    const { from } = this.lettering;
    const choices = from !== null ? this.neighbours(from) : this.map.regions.map((_, r) => r).filter(this.isOwn);
    const hasTwoLetters = choices.length > ALPHABET.length;
    const text = (i: number) => (hasTwoLetters ? ALPHABET[Math.floor(i / ALPHABET.length)] : '') + ALPHABET[i % ALPHABET.length];
    return new Map(choices.map((r, i) => [r, text(i).toUpperCase()]));
  });

  act(r: number, action: Act): void {
    const { draft } = this;
    if (this.picking) {
      this.message = this.picks.toggle(r);
      return;
    }
    const isEarlier = draft !== null && !this.show.playing && !this.show.atEnd; // at an earlier round
    if (this.show.playing || isEarlier) this.show.toEnd();
    if (!draft || isEarlier) return;
    if (draft.phase === 'deploy') this.deploy(draft, r, action);
    else if (draft.phase === 'review') {
      draft.phase = 'attack';
      this.source = this.isOwn(r) ? r : null;
    } else if (this.source === null) this.source = this.isOwn(r) ? r : null;
    else if (r === this.source) this.source = null;
    else if (this.neighbours(this.source).includes(r)) this.order(this.source, r);
    else this.source = this.isOwn(r) ? r : null;
  }

  private deploy(draft: Draft, r: number, { by, minus }: Act): void {
    if (!this.isOwn(r)) return;
    const armies = by === 'all' ? (minus ? draft.deployedOn(r) : draft.left) : by === 'five' ? 5 : 1;
    draft.deploy(r, minus ? -armies : armies);
    [this.onDeploy, draft.chosen] = [r, null];
  }

  order = (from: number, to: number, armies?: number): void => {
    if (!this.draft || !this.editing || !this.neighbours(from).includes(to)) return;
    if (!this.isOwn(from)) {
      this.message = t('{region} is not yours when the round begins: you cannot send armies from there', { region: this.map.regions[from].name });
      return;
    }
    this.draft.phase = 'attack';
    this.draft.attack(from, to, armies);
    [this.source, this.onDeploy] = [null, null];
  };

  /**
   * Explain a drag of a finger from a region, which does not send armies. `to`: the region to which the finger moved on
   * the map; null: none. `still`: whether the drag did not move the map.
   */
  fingerDrag = (from: number, to: number | null, still: boolean): void => {
    if (!this.editing && !this.picking) return;
    const region = this.map.regions[from].name;
    if (this.draft && this.isOwn(from) && (still || (to !== null && this.neighbours(from).includes(to)))) {
      this.message =
        this.draft.phase === 'attack'
          ? t('A finger moves the map. To send armies, tap {region}, then the target.', { region })
          : t('A finger moves the map. To send armies, press {button}, tap {region}, then the target.', { region, button: t('Attack') });
    } else if (still) this.message = t('The map cannot move further in this direction. Two fingers enlarge it.');
  };

  roll = (r: number, change: number): boolean => {
    const { draft } = this;
    if (!draft || !this.editing) return false;
    const chosen = draft.chosen === null ? null : draft.attacks[draft.chosen];
    if (draft.phase === 'deploy' && this.isOwn(r)) draft.deploy(r, change);
    else if (chosen && (chosen[0] === r || chosen[1] === r)) this.bump(change);
    else return false;
    return true;
  };

  /**
   * The number that keys change: the armies of the selected attack, or of a region's deploy; null: none is selected.
   */
  private get item(): { name: string; amount: number } | null {
    const { draft, onDeploy } = this;
    const attack = draft && draft.chosen !== null ? draft.attacks[draft.chosen] : undefined;
    if (attack) return { name: `${attack[0]} ${attack[1]}`, amount: attack[2] };
    return draft && onDeploy !== null ? { name: `${onDeploy}`, amount: draft.deployedOn(onDeploy) } : null;
  }

  bump(change: number): void {
    const { item } = this;
    if (item) this.setAmount(Math.max(0, item.amount + change));
  }

  /** Set the number of armies of the selected attack or deploy, limited to the possible maximum. */
  setAmount(to: number | 'all' | 'half' | 'least'): void {
    const { draft } = this;
    if (!draft) return;
    if (draft.chosen !== null) {
      const maxArmies = Math.max(1, draft.maxArmies(draft.chosen));
      const needed = to === 'least' ? this.minArmies(draft.chosen) : null;
      if (to === 'least' && needed === null) {
        this.message = this.isTargetVisible(draft.chosen) ? t('Too few armies for 95 %: you can send only {n}', { n: maxArmies }) : t('You cannot see the armies there');
        return;
      }
      draft.setArmies(draft.chosen, typeof to === 'number' ? Math.min(maxArmies, to) : (needed ?? (to === 'all' ? maxArmies : Math.ceil(maxArmies / 2))));
    } else if (this.onDeploy !== null) {
      const maxArmies = draft.deployedOn(this.onDeploy) + draft.left;
      draft.setDeploy(this.onDeploy, to === 'half' ? Math.ceil(maxArmies / 2) : typeof to === 'number' ? Math.min(maxArmies, to) : maxArmies);
    }
  }

  /**
   * Smallest number of armies with which an attack captures with a probability of 95 %; null: more than the player can
   * send, or the target is hidden.
   */
  minArmies(attack: number): number | null {
    const defenders = this.show.position.army[this.draft!.attacks[attack][1]];
    return this.isTargetVisible(attack) ? leastToCapture(defenders, this.draft!.maxArmies(attack), this.show.doc.rules) : null;
  }

  private isTargetVisible(attack: number): boolean {
    return this.show.position.owner[this.draft!.attacks[attack][1]] !== UNKNOWN;
  }

  /** Handle a digit: append it to the number that the player types, or start a new number. */
  private enterDigit(k: string, item: { name: string; amount: number }): void {
    const { entry } = this;
    const isContinued = entry !== null && entry.name === item.name && entry.amount === item.amount && performance.now() - entry.at < PAUSE;
    const digits = ((isContinued ? entry.digits : '') + k).slice(-6);
    if (Number(digits) > 0 || this.draft!.chosen === null) this.setAmount(Number(digits));
    this.entry = { digits, ...this.item!, at: performance.now() };
  }

  /** Handle a key; returns false if the key has no meaning for the draft. */
  key(k: string): boolean {
    const { draft } = this;
    if (!draft || !this.editing) return false;
    if (this.lettering && /^[a-z]$/i.test(k)) {
      this.typedLetters += k.toUpperCase();
      const hit = [...this.letters].find(([, text]) => text === this.typedLetters);
      if (hit) this.choose(hit[0]);
      else if (![...this.letters.values()].some((text) => text.startsWith(this.typedLetters))) this.typedLetters = '';
      return true;
    }
    const { item } = this;
    if (item && /^\d$/.test(k)) {
      this.enterDigit(k, item);
      return true;
    }
    this.entry = null;
    const amounts = { '*': 'all', '/': 'half', '=': 'least' } as const;
    if (item && k in amounts) this.setAmount(amounts[k as '*']);
    else if (item && (k === '+' || k === '-')) this.bump(k === '+' ? 1 : -1);
    else if (k === 'Delete' && draft.chosen !== null) draft.remove('attack', draft.chosen);
    else if (k === 'z') draft.undo();
    else if (k === 'Z') draft.redo();
    else if (k === 'd' || k === 'D') this.startLettering('deploy');
    else if (k === 'a' || k === 'A') this.startLettering('attack');
    else return false;
    return true;
  }

  private startLettering(kind: 'deploy' | 'attack'): void {
    this.draft!.phase = kind;
    this.lettering = { kind, from: null };
    this.typedLetters = '';
  }

  private choose(r: number): void {
    this.typedLetters = '';
    const { draft, lettering } = this;
    if (!lettering || !draft) return;
    if (lettering.kind === 'deploy') {
      [this.onDeploy, this.lettering, draft.chosen] = [r, null, null];
      if (!draft.deployedOn(r)) draft.deploy(r, draft.left);
    } else if (lettering.from === null) this.lettering = { kind: 'attack', from: r };
    else {
      this.order(lettering.from, r);
      this.lettering = null;
    }
  }

  cancel(): void {
    [this.source, this.lettering, this.typedLetters, this.asking] = [null, null, '', false];
    if (this.draft) this.draft.chosen = null;
  }

  /** Add orders from text; throws an Error that contains the reason. */
  enter(text: string): void {
    this.draft?.add(parseOrders(this.map, text));
  }

  /** Replace the entered orders by a turn of a bot, without its reserves. */
  use(orders: Orders): void {
    const { draft } = this;
    if (draft) draft.replace(splitTurn(this.show.doc, draft.position, draft.player, orders).sent);
  }

  get ready(): boolean {
    if (this.trial) return !this.busy && this.editing;
    if (this.busy || !this.live?.connected) return false;
    return this.picking ? this.picks.complete : this.editing;
  }

  /**
   * Send the turn to the server. Without `isConfirmed`, the player must first confirm a turn with armies that are not
   * deployed.
   */
  async commit(isConfirmed = false): Promise<void> {
    const { draft, live, trial } = this;
    if (!this.ready) return;
    if (trial) return this.submit(trial.submit, draft!);
    if (!live) return;
    this.asking = !isConfirmed && !this.picking && draft!.left > 0;
    if (this.asking) return this.refresh();
    this.busy = true;
    this.message = '';
    try {
      let answer: { awaited: number[] };
      if (this.picking) {
        answer = await call(`games/${live.id}/picks`, { wishes: this.picks.wishes }, live.token);
        // At a shared screen, the next player must not find the picks in the page or in the browser.
        if (seatsIn(tokensOf(live.id)).length > 1) this.picks.forget();
      } else {
        answer = await call(`games/${live.id}/orders`, { round: draft!.round, ...draft!.orders, hint: this.hint }, live.token);
        // At a shared screen, the next player must not find the turn in the browser.
        if (seatsIn(tokensOf(live.id)).length > 1) draft!.forget();
        if (this.draft === draft) this.draft = null; // otherwise the draft for the next round is already there
      }
      this.refresh();
      sound('commit');
      this.onCommitted(answer.awaited, draft?.round ?? 1);
    } catch (error) {
      this.message = (error as Error).message;
      if (error instanceof CallError && draft && error.details) {
        draft.refused = error.details.flatMap(({ kind, ...rest }) => (kind === 'pick' ? [] : [{ kind, ...rest, reason: reason(rest.reason) }]));
      }
    } finally {
      this.busy = false;
    }
  }

  private async submit(work: (orders: Orders) => Promise<void>, draft: Draft): Promise<void> {
    [this.busy, this.message] = [true, ''];
    try {
      await work(draft.orders);
    } catch (error) {
      this.message = (error as Error).message;
    } finally {
      this.busy = false;
    }
  }

  private refresh(): void {
    this.fresh = true;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.fresh = false), DOUBLE);
  }

  /** Commit the entered turn when the time is over. Returns false if this is not possible yet. */
  timeUp(): boolean {
    const { now, live } = this;
    if (!live || !now?.you?.alive || now.you.in || !now.awaited.includes(this.seat ?? -1)) return true;
    this.show.toEnd();
    if (this.picking) this.picks.fill();
    if (!this.ready) return false;
    void this.commitLegalOrders();
    return true;
  }

  /** Commit the entered orders. If the server rejects some of them, commit the others. */
  private async commitLegalOrders(): Promise<void> {
    const { draft } = this;
    await this.commit(true);
    const { refused } = draft ?? {};
    if (!draft || this.draft !== draft || !refused?.length) return;
    const legal = <T>(kind: 'deploy' | 'attack', rows: T[]) => rows.filter((_, i) => !refused.some((r) => r.kind === kind && r.index === i));
    draft.replace({ deploys: legal('deploy', draft.orders.deploys), attacks: legal('attack', draft.orders.attacks) });
    await this.commit(true);
  }

  /** Whether the player can take back a committed turn: the server still waits for players in other browsers. */
  get committed(): boolean {
    const { now } = this;
    return ['play', 'together'].includes(this.show.doc.kind) && Boolean(now?.you?.in && now.awaited.length && this.live?.connected);
  }

  async takeBack(): Promise<void> {
    const { live } = this;
    if (!live || !this.committed || this.busy) return;
    [this.busy, this.takingBack, this.message] = [true, true, ''];
    try {
      const turn = await call<Orders & { wishes?: number[] }>(`games/${live.id}/take-back`, {}, live.token);
      if (turn.wishes) this.picks.wishes = turn.wishes;
      else this.takenBack = turn;
    } catch (error) {
      this.message = (error as Error).message;
    } finally {
      [this.busy, this.takingBack] = [false, false];
    }
  }

  /** Instruction for the next action of the player. */
  get says(): string {
    const { draft, lettering, source } = this;
    const name = (r: number) => this.map.regions[r].name;
    if (this.picking) return this.picks.says;
    if (!draft || !this.editing) return '';
    const { left } = draft;
    if (lettering?.kind === 'deploy') return t('Press the letter of the region to deploy on');
    if (lettering?.from === null) return t('Press the letter of the region to send from');
    if (lettering) return t('From {region}: press the letter of the target', { region: name(lettering.from!) });
    if (source !== null) return t('From {region} ({free} free): choose a neighbour with a ring', { region: name(source), free: draft.free(source) });
    if (draft.phase === 'review') return left > 0 ? t('Commit, or deploy {left} more', { left }) : t('Commit when you are ready');
    if (draft.phase === 'deploy') return left > 0 ? t('Deploy {left} more', { left }) : t('All armies are deployed: continue with the attacks');
    return touchOnly() ? t('Choose a region and its target') : t('Choose a region and its target, or drag');
  }
}
