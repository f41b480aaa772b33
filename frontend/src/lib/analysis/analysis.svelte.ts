// The analysis of a finished game: results for each position, which the server refines while the screen is open.
import { type CallError, isGuest } from '../api';
import { t } from '../i18n.svelte';
import { person } from '../player-names';
import { interval } from '../rules';
import type { Playback } from '../playback.svelte';
import type { Opponent } from '../opponents';
import type { Chance, WinProbabilities } from '../types';
import { engineChoice, engineOf, GUEST_ENGINE, type Engine } from './engine.svelte';
import type { AnalysedPosition, AnalysisNews, AnalysisQuery } from './types';
import type { Report, Summary, TurnMark, TurnReport } from '../types';

const PAUSE = 400; // milliseconds between two requests while positions are analysed
const GLANCE = 5000; // milliseconds after which an opened card counts as read
const IDLE = 1500; // milliseconds between two requests after all positions are analysed
export const MISTAKES: TurnMark[] = ['?!', '?', '??'];

export interface MarkedTurn {
  round: number;
  player: number;
  mark: TurnMark;
  preliminary: boolean; // whether the search has not had its chosen time yet
}

export class Analysis {
  positions = $state.raw<(AnalysedPosition | undefined)[]>([]); // element k is the position after k rounds
  summary = $state.raw<Summary | null>(null);
  progress = $state({ done: 0, total: 0 });
  error = $state('');
  /** The turn whose better turn the board shows at the start of its round; null: none. */
  chosen = $state<{ round: number; player: number } | null>(null);
  /** The direction in which the user waits for a mistake that is not found yet; 0: none. */
  waiting = $state<-1 | 0 | 1>(0);
  private waitingAt = 0; // the round from which the user waits
  /** The older result that the card and the map still show, because the user reads it; null: they show the newest. */
  olderResult = $state.raw<AnalysedPosition | null>(null);
  private openedCard = { key: '', since: 0, used: false }; // the opened turn, since when, and whether the user used its card
  private version = 0;
  private timer = 0;
  private isEnded = false;
  private requestNumber = 0; // number of the last request; answers to earlier requests are dropped

  constructor(
    private show: Playback,
    private ask: ((query: AnalysisQuery) => Promise<AnalysisNews>) | null,
    private bots: () => Opponent[] | null, // null: not loaded yet
    private leave: () => void = () => {}, // shows the game instead of a variation
  ) {
    if (show.doc.report) this.takeReport(show.doc.report);
  }

  /** The bot that analyses; null: there is none, or the report is in the file. */
  get engine(): Engine | null {
    return this.ask && (engineOf(this.bots() ?? []) ?? (isGuest() ? GUEST_ENGINE : null));
  }

  /** Whether the server offers no bot that can analyse this game. */
  get unavailable(): boolean {
    return this.ask !== null && this.bots() !== null && !this.engine;
  }

  /** Whether more results will come, also while the list of bots is still being loaded. */
  get running(): boolean {
    return this.ask !== null && !this.unavailable && !this.error && (this.progress.total === 0 || this.progress.done < this.progress.total);
  }

  /** The number of rounds before the displayed turns. */
  get focus(): number {
    const { show } = this;
    if (show.varied) return show.branch!;
    return show.branch === null && show.atEnd && this.positions[show.last] ? show.last : Math.max(0, show.round - 1);
  }

  /** Drop the results and start again, for another bot or time. */
  restart(): void {
    [this.positions, this.summary, this.version, this.error, this.olderResult] = [[], null, 0, '', null];
    this.progress = { done: 0, total: 0 };
    this.requestNumber++;
    this.schedulePoll(0);
  }

  /** Handle a change of the displayed position: ask for it without a delay. */
  moved(): void {
    if (this.show.varied || this.olderResult?.played !== this.focus) this.olderResult = null;
    this.noteOpened();
    if (this.version) this.schedulePoll(0);
  }

  private schedulePoll(after: number): void {
    clearTimeout(this.timer);
    if (!this.isEnded) this.timer = window.setTimeout(() => void this.poll(), after);
  }

  private async poll(): Promise<void> {
    const { engine } = this;
    if (!engine || !this.ask) return;
    const number = ++this.requestNumber;
    try {
      const news = await this.ask({ bot: engine.spec, seconds: engineChoice.seconds, focus: this.focus, since: this.version });
      if (number !== this.requestNumber || this.isEnded) return;
      this.error = '';
      if (news.version < this.version) return this.restart(); // the server has started again
      this.add(news);
      this.schedulePoll(this.running ? PAUSE : IDLE);
    } catch (error) {
      if (number !== this.requestNumber || this.isEnded) return;
      this.error = (error as Error).message;
      if ([0, 429, 503].includes((error as CallError).status)) this.schedulePoll(IDLE);
    }
  }

  private add(news: AnalysisNews): void {
    this.version = news.version;
    this.progress = { done: news.done, total: news.total ?? 0 };
    if (news.summary) this.summary = news.summary;
    if (news.positions.length) this.replace(news.positions);
    if (this.show.varied || this.show.round !== this.waitingAt) this.waiting = 0; // the user has gone elsewhere
    if (this.waiting) this.step(this.waiting);
  }

  private replace(newer: AnalysedPosition[]): void {
    const positions = [...this.positions];
    for (const position of newer) {
      if (this.isReading && this.changesOpened(position)) this.olderResult ??= positions[position.played]!;
      else if (this.olderResult?.played === position.played) this.olderResult = null;
      positions[position.played] = position;
    }
    this.positions = positions;
    this.noteOpened();
  }

  /** The turn that the user reads about; null: none, as at the end of the game before the user has chosen a turn. */
  private get openedTurn(): { round: number; player: number } | null {
    const { chosen, show } = this;
    const round = this.focus + 1;
    const player = show.varied || (show.atEnd && chosen?.round !== round) ? null : this.explained(round);
    return player === null ? null : { round, player };
  }

  /** Note which turn is opened, and since when. */
  private noteOpened(): void {
    const { openedTurn } = this;
    const key = openedTurn ? `${openedTurn.round} ${openedTurn.player}` : '';
    if (key !== this.openedCard.key) this.openedCard = { key, since: performance.now(), used: false };
  }

  /** Note that the user uses the card of the opened turn: from now on, a new result does not change its text. */
  use(): void {
    this.openedCard.used = true;
  }

  /** Whether the user reads the card of the opened turn. */
  private get isReading(): boolean {
    return this.openedCard.used || performance.now() - this.openedCard.since > GLANCE;
  }

  /** Whether the user reads an older result, and a newer one is there that is not preliminary. */
  get offersNewer(): boolean {
    const { olderResult } = this;
    return olderResult !== null && this.positions[olderResult.played]?.preliminary === false;
  }

  /** Whether a new result would change the report that the user reads. */
  private changesOpened(position: AnalysedPosition): boolean {
    const { openedTurn } = this;
    if (!openedTurn || position.played !== openedTurn.round - 1) return false;
    const oldReport = this.turn(openedTurn.round, openedTurn.player);
    return oldReport !== null && JSON.stringify(oldReport) !== JSON.stringify(position.turns[openedTurn.player]);
  }

  /** The displayed result for the position before a round. */
  before(round: number): AnalysedPosition | undefined {
    return this.olderResult?.played === round - 1 ? this.olderResult : this.positions[round - 1];
  }

  /** Take the report of a file. */
  private takeReport(report: Report): void {
    const games = report.rolls * report.playouts;
    this.summary = report;
    this.positions = report.rounds.map((turns, roundsPlayed) => ({
      played: roundsPlayed,
      seconds: 0,
      preliminary: false,
      complete: true,
      games,
      turns,
      best: turns.map((turn) => turn?.better?.orders ?? null),
      decisions: turns.map(() => null),
      chances: [],
    }));
  }

  turn(round: number, player: number): TurnReport | null {
    return this.before(round)?.turns[player] ?? null;
  }

  /** The turn that is clearly better than the played turn; if no turn was judged, the best turn that a search found. */
  best(round: number, player: number): string | null {
    const turn = this.turn(round, player);
    return turn ? (turn.better?.orders ?? null) : (this.before(round)?.best[player] ?? null);
  }

  /** The player whose turn is explained: the chosen one; else the viewer; else the one who lost most. */
  explained(round: number): number | null {
    const { chosen, show } = this;
    if (chosen?.round === round) return chosen.player;
    return show.side !== null && this.before(round)?.turns[show.side] ? show.side : this.worstPlayer(round);
  }

  /** The player who lost most by its own turn in a round; null: not known yet. */
  private worstPlayer(round: number): number | null {
    const lost = (this.before(round)?.turns ?? []).map((turn) => turn?.lost ?? -1);
    const largestLoss = Math.max(-1, ...lost);
    return largestLoss < 0 ? null : lost.indexOf(largestLoss);
  }

  /** Whether the results of a round will still change, because the search has not had its chosen time. */
  preliminary(round: number): boolean {
    return this.positions[round - 1]?.preliminary ?? false;
  }

  /** The marked turns of a round. */
  marks(round: number): MarkedTurn[] {
    return (this.positions[round - 1]?.turns ?? []).flatMap((turn, player) => (turn?.mark ? [{ round, player, mark: turn.mark, preliminary: this.preliminary(round) }] : []));
  }

  /** All mistakes by round: of the player on whose side the viewer is; of all players if there is none. */
  get mistakes(): MarkedTurn[] {
    const { side } = this.show;
    const marked = this.positions.flatMap((_, roundsPlayed) => this.marks(roundsPlayed + 1));
    return marked.filter((turn) => MISTAKES.includes(turn.mark) && (side === null || turn.player === side));
  }

  /** Whether the analysis is complete and has found no mistake. */
  get flawless(): boolean {
    return !this.running && !this.error && this.positions.some(Boolean) && !this.mistakes.length;
  }

  /** Whether the board shows the start of the game while the user waits for the first mistake. */
  get seeking(): boolean {
    return this.waiting > 0 && this.running && this.show.round === 0;
  }

  /** The result of the search for mistakes: its progress, or that there is none; '': another one. */
  get sought(): string {
    const { doc, side, round } = this.show;
    if (this.seeking) return t('Looking for {you, select, yes {your } other {}}mistakes …', { you: side === null ? 'no' : person(doc, side).you });
    if (!this.flawless || round > 0) return '';
    return side === null ? t('No player made a clear mistake in this game.') : t('{you, select, yes {You made} other {{who} made}} no clear mistake in this game.', person(doc, side));
  }

  /** Return the next (1) or previous (-1) known mistake; undefined: there is none. */
  neighbour(direction: -1 | 1): MarkedTurn | undefined {
    const { chosen, show } = this;
    const order = ({ round, player }: { round: number; player: number }) => round * 16 + player;
    const current = chosen && show.round === chosen.round && show.step === 0 ? order(chosen) : show.step === 0 && direction > 0 ? show.round * 16 - 1 : show.round * 16 + (direction > 0 ? 15 : 0);
    return direction > 0 ? this.mistakes.find((turn) => order(turn) > current) : this.mistakes.findLast((turn) => order(turn) < current);
  }

  /** Go to the next (1) or previous (-1) mistake: the position before the turn, with the better turn. */
  step(direction: -1 | 1): void {
    const mistake = this.neighbour(direction);
    this.waiting = mistake || !this.running ? 0 : direction;
    this.waitingAt = this.show.round;
    if (!mistake) return;
    this.olderResult = null; // the newest result has this mark
    this.choose(mistake.round, mistake.player);
  }

  /** Show the position before a turn, with the better turn. */
  choose(round: number, player: number): void {
    this.waiting = 0;
    this.leave();
    const { openedTurn } = this;
    if (openedTurn?.round !== round || openedTurn.player !== player) this.olderResult = null;
    this.show.pause();
    this.show.go(round, 0);
    this.chosen = { round, player };
    this.noteOpened();
  }

  /** Win probabilities by position, with their intervals; where the analysis has none, those of the game. */
  chances(gameChances: WinProbabilities): WinProbabilities {
    const merged: WinProbabilities = [...gameChances];
    const merge = (index: number, shares: (number | undefined)[], games: number): void => {
      if (shares.every((share) => share === undefined)) return;
      merged[index] = shares.map((share, player): Chance => (share === undefined ? (merged[index]?.[player] ?? [0, 0, 0]) : interval(share, games)));
    };
    this.positions.forEach((position, roundsPlayed) => position && merge(roundsPlayed + 1, position.turns.map((turn) => turn?.after), position.games));
    this.positions.forEach((position, roundsPlayed) => position && merge(roundsPlayed, position.turns.map((turn) => turn?.before), position.games));
    this.positions.forEach((position, roundsPlayed) => position?.chances.length && (merged[roundsPlayed] = position.chances));
    return merged;
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.timer);
  }
}
