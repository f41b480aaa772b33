// Data of the game screen besides the position: arrows, map layer, analysis by bots, win probabilities, status text.
import type { Advice } from './advice.svelte';
import type { Analysis } from './analysis/analysis.svelte';
import type { TurnInput } from './turn-input.svelte';
import { RESIGNED, tell } from './history';
import { botNews, failure } from './bot-state';
import type { Live } from './live.svelte';
import { nameOf, person } from './player-names';
import { errorMessage } from './error-messages';
import { type Additions, type Arrow, deployed, describe, drawnMoves, drawnOrders, layerOf, touched } from './scene';
import { parseOrders } from './notation';
import type { Playback } from './playback.svelte';
import { splitTurn } from './sendable';
import { type WinProbabilities, type DecisionInfo, type Orders, UNKNOWN } from './types';
import { t } from './i18n.svelte';

export class GameView {
  hovered = $state<number | null>(null); // index of the region below the pointer
  private ghost = $state<Orders | null>(null); // orders below the pointer, which the map shows as a preview
  pointed = $state<Arrow | null>(null); // a move below the pointer, from any round

  constructor(
    private show: Playback,
    private live: Live | null,
    private turnInput: TurnInput,
    private advice: Advice,
    private analysis: Analysis | null,
    private curve: () => WinProbabilities, // win probabilities of the game
    private line: () => WinProbabilities, // win probabilities after the shown variations
  ) {
    $effect(() => {
      if (this.now?.phase === 'over' && show.atEnd && !show.playing) this.revealed = true;
    });
  }

  /** Preview orders of the advised player on the map; null removes the preview. */
  preview(orders: Orders | null): void {
    this.ghost = orders;
  }

  /** The turns that the map compares: their round's position is displayed, before any order. */
  private compared: { player: number; played: Orders | null; best: Orders | null } | null = $derived.by(() => {
    const { show, analysis } = this;
    const chosen = analysis?.chosen;
    if (!chosen || show.round !== chosen.round || show.step > 0 || show.playing) return null;
    const best = analysis.best(chosen.round, chosen.player);
    const played = show.current?.orders[chosen.player] ?? null;
    const sentOrders = (orders: Orders) => splitTurn(this.doc, show.position, chosen.player, orders).sent;
    return { player: chosen.player, played: played && sentOrders(played), best: best === null ? null : sentOrders(parseOrders(this.doc.map, best)) };
  });

  /** What the map shows of a compared turn: the player, and the turns that have arrows or deploys; null: nothing. */
  get versus(): { player: number; played: boolean; attacks: boolean; deploys: boolean } | null {
    if (!this.compared || this.ghost) return null;
    const { player, best } = this.compared;
    const arrowsOf = (kind: Arrow['style']) => this.drawn.filter(({ style }) => style === kind);
    // an arrow of the better turn covers an arrow of the played turn on the same way
    const played = arrowsOf('past').some(({ from, to }) => !arrowsOf('best').some((other) => other.from === from && other.to === to));
    const [attacks, deploys] = [arrowsOf('best').length > 0, (best?.deploys ?? []).length > 0];
    return played || attacks || deploys ? { player, played, attacks, deploys } : null;
  }

  private get doc() {
    return this.show.doc;
  }

  get seat(): number | null {
    return this.doc.seat ?? null;
  }

  /** The player whose view or win probability is shown. */
  get looker(): number {
    return this.seat ?? Math.max(0, this.show.view - 1);
  }

  get now() {
    return this.live?.now ?? null;
  }

  private revealed = $state(false); // whether the animation of the last round has ended

  /** Whether the game is over, and the screen has shown its last round. */
  isOver: boolean = $derived.by(() => {
    void this.show.version;
    return this.now ? this.now.phase === 'over' && this.revealed : this.show.history.end !== null;
  });

  /** Players that have resigned up to the shown round; in a running game, up to now. */
  resigned: number[] = $derived.by(() => {
    const { show, now } = this;
    void show.version;
    if (now) return now.resigned;
    const lastRound = show.atEnd ? Infinity : show.round;
    return show.history.failures.filter(({ reason, round }) => reason === RESIGNED && round <= lastRound).map(({ player }) => player);
  });

  /** Players that are eliminated after the shown rounds, if the shown position contains this information. */
  eliminated: number[] = $derived.by(() => {
    const { show, doc, now } = this;
    if (now && show.atEnd) return now.out;
    void show.version;
    const owner = show.history.positions[show.step < show.steps ? show.round - 1 : show.round]?.owner ?? [];
    if (owner.includes(UNKNOWN) || !owner.some((o) => o >= 0)) return [];
    return doc.players.map((_, p) => p).filter((p) => !owner.includes(p));
  });

  result: string = $derived.by(() => {
    const { show, doc } = this;
    void show.version;
    const { end, failures } = show.history;
    if (!show.atEnd && (!this.live || show.playing)) return ''; // a replay shows its result only at the end
    if (!end && this.live === null && failures.length) {
      const { player, round, reason } = failures.at(-1)!;
      return t('{who} failed in round {round}: {reason}', { who: nameOf(doc, player), round, reason });
    }
    if (!end) return '';
    const { winner, rounds } = end;
    if (winner === null) return t('A draw after {rounds, plural, one {# round} other {# rounds}}', { rounds });
    const won = t('{you, select, yes {You win} other {{who} wins}} after {rounds, plural, one {# round} other {# rounds}}', { ...person(doc, winner), rounds });
    return show.side === null || show.side === winner ? won : t('You lost: {result}', { result: won });
  });

  /** The player whose turn is previewed. */
  private get thinker(): number {
    return this.compared?.player ?? this.advice.answer?.player ?? this.looker;
  }

  arrows: Arrow[] = $derived.by(() => [...this.drawn, ...(this.pointed ? [this.pointed] : [])]);

  private drawn: Arrow[] = $derived.by(() => {
    const { show, turnInput, ghost } = this;
    const ghosts = drawnOrders(show.position, ghost, turnInput.editing ? turnInput.seat! : this.thinker, 'ghost');
    if (turnInput.editing && turnInput.draft) return [...drawnOrders(show.position, turnInput.draft, turnInput.seat!, 'draft'), ...ghosts];
    if (turnInput.sent && show.atEnd && !show.playing) return [...drawnOrders(show.position, turnInput.sent, this.seat!, 'draft'), ...ghosts];
    const { compared } = this;
    if (compared && !ghost) return [...drawnOrders(show.position, compared.played, compared.player, 'past'), ...drawnOrders(show.position, compared.best, compared.player, 'best')];
    return ghost && !show.playing ? ghosts : drawnMoves(show);
  });

  additions: Additions = $derived.by(() => {
    const { show, turnInput } = this;
    const ghost = this.ghost ?? this.compared?.best ?? null;
    if (turnInput.editing && turnInput.draft) return deployed([...(ghost?.deploys ?? []), ...turnInput.draft.deploys], turnInput.seat!);
    if (turnInput.sent && show.atEnd && !show.playing) return deployed(turnInput.sent.deploys, this.seat!);
    if (ghost && !show.playing) return deployed(ghost.deploys, this.thinker);
    return show.step === 1 ? new Map((show.current?.deploys ?? []).map(([p, r, n]) => [r, [p, n]])) : new Map();
  });

  /** Regions that the help level "coach" marks on the map. */
  coached: number[] = $derived.by(() => {
    const { level, answer } = this.advice;
    return level === 'coach' && this.turnInput.editing ? touched(this.doc.map, answer?.data.candidates?.[0]?.orders) : [];
  });

  /** Decisions of the players before the shown round, if the log contains them and the viewer may see them. */
  insights: { data: DecisionInfo; p: number }[] = $derived.by(() => {
    void this.show.version;
    const decisions = (this.show.current?.insights ?? []).map((data, p) => ({ data, p }));
    return decisions.filter((x): x is { data: DecisionInfo; p: number } => Boolean(x.data?.candidates || x.data?.goals || x.data?.error));
  });

  layer = $derived.by(() => {
    const { show, doc, looker } = this;
    const decision = this.analysis?.positions[this.analysis.focus]?.decisions[looker];
    const data = decision ?? this.advice.answer?.data ?? this.insights.find((x) => x.p === looker)?.data ?? this.insights[0]?.data;
    return layerOf(show.layer, doc, show.position, looker, data);
  });

  chances: WinProbabilities = $derived.by(() => {
    const merged: WinProbabilities = [...this.curve()];
    for (const curve of [this.live?.chances ?? [], this.advice.chances]) curve.forEach((c, r) => c && (merged[r] = c));
    if (this.live && this.show.hides(this.show.round)) return merged.slice(0, this.show.round);
    const game = this.analysis ? this.analysis.chances(merged) : merged;
    return this.show.branch === null ? game : [...game.slice(0, this.show.branch + 1), ...this.line()];
  });

  /** Description of a region for screen readers, with the actions that are possible there. */
  label = (r: number): string => {
    const { turnInput } = this;
    const parts = [describe(this.doc, this.show.position, r)];
    if (turnInput.editing && turnInput.draft?.deployedOn(r)) parts.push(t('{n} more deployed', { n: turnInput.draft.deployedOn(r) }));
    const place = turnInput.picks.wishes.indexOf(r);
    if (turnInput.picks.ranks.has(r)) parts.push(t('your pick {n}', { n: place + 1 }));
    else if (turnInput.picking && turnInput.ringed.has(r)) parts.push(t('can be picked'));
    else if (turnInput.source !== null && turnInput.ringed.has(r)) parts.push(turnInput.isOwn(r) ? t('transfer here') : t('attack here'));
    return parts.join(', ');
  };

  /** Error message for the status line; '': no error. */
  trouble: string = $derived.by(() => {
    const { live, now } = this;
    if (live?.error) return live.error;
    if (now?.error) return errorMessage({ ...now, error: now.error });
    if (live?.lost) return this.turnInput.draft ? t('Connection lost: trying again. Your draft is saved.') : t('Connection lost: trying again.');
    return this.turnInput.message || this.advice.error;
  });

  status: string = $derived.by(() => {
    const { show, turnInput, doc, now } = this;
    if (this.trouble) return this.trouble;
    if (turnInput.draft && !show.playing && !show.atEnd) {
      const earlier = t('{place}: an earlier position. Live shows the present.', { place: show.placeInWords(true) });
      return show.current ? `${earlier} ${tell(doc, show.current, show.step)}` : earlier;
    }
    if (this.result && show.atEnd) return this.result;
    if (now?.you && show.atEnd && !show.playing && !this.isOver) {
      if (now.phase === 'play' && !now.you.alive) return t('You are out');
      if (now.you.in && !now.awaited.length) return t('Waiting for the round');
      const waitText = now.you.in ? t('Waiting for {names}', { names: now.awaited.map((s) => nameOf(doc, s)).join(', ') }) : '';
      if (waitText) return [botNews(doc, now), waitText].filter(Boolean).join(' ');
      const failures = doc.players.map((_, p) => failure(doc, now, p)).filter(Boolean).join(' ');
      if (failures && !turnInput.draft?.deployed && !turnInput.draft?.attacks.length) return failures;
    }
    if (show.current && (!turnInput.editing || show.playing) && !turnInput.picking) return tell(doc, show.current, show.step);
    return turnInput.says;
  });
}
