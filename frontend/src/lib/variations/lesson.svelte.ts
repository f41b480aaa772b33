// "Learn from your mistakes": the user looks for a better turn at each mistake, and the server judges it.
import type { Analysis, MarkedTurn } from '../analysis/analysis.svelte';
import { engineChoice } from '../analysis/engine.svelte';
import { parseOrders } from '../notation';
import type { Playback } from '../playback.svelte';
import { type SplitTurn, splitTurn } from '../sendable';
import type { TurnInput } from '../turn-input.svelte';
import type { Orders } from '../types';
import { t } from '../i18n.svelte';
import { lineOf } from './line';
import type { Judgement, VariationServer } from './types';

export class Lesson {
  tasks: MarkedTurn[];
  index = $state(0); // index of the task
  state = $state<'ask' | 'judging' | 'passed' | 'failed' | 'shown' | 'done'>('ask');
  judgement = $state.raw<Judgement | null>(null);
  error = $state('');
  solvedCount = $state(0); // number of mistakes for which the user found a better turn

  constructor(
    private show: Playback,
    private input: TurnInput,
    private analysis: Analysis,
    private server: VariationServer,
    private onEnd: () => void,
  ) {
    this.tasks = analysis.mistakes;
    this.begin();
  }

  get task(): MarkedTurn {
    return this.tasks[this.index];
  }

  /** Show the position of the task, and let the user enter a turn. */
  begin(): void {
    const { show, task } = this;
    [this.state, this.error, this.judgement] = ['ask', '', null];
    [this.analysis.chosen, this.analysis.waiting] = [null, 0];
    this.input.giveUp();
    show.pause();
    show.follow(lineOf(show.doc, task.round - 1, []), task.round - 1);
    show.toEnd();
    if (show.doc.rules.fog) show.view = task.player + 1;
    this.input.attempt(task.player, (orders) => this.judge(orders), () => this.end());
  }

  private async judge(orders: Orders): Promise<void> {
    const { round, player } = this.task;
    this.state = 'judging';
    try {
      this.judgement = await this.server.judge!({ round, seat: player, bot: this.analysis.engine!.spec, seconds: engineChoice.seconds, ...orders });
    } catch (error) {
      this.state = 'ask';
      throw error;
    }
    this.state = this.judgement.passed ? 'passed' : 'failed';
    if (this.judgement.passed) this.solvedCount += 1;
  }

  /** The verdict on the user's turn in one sentence; '': there is none. */
  get says(): string {
    const { judgement } = this;
    if (this.state === 'judging') return t('The bot judges the turn …');
    if (!judgement) return '';
    const { passed, gain, gain_error, lost, lost_error, orders, better } = judgement;
    if (passed) return lost <= lost_error && orders !== better ? t('Good: this turn is better than the played turn, and as good as the best known turn.') : t('Good: this turn is better.');
    return gain > gain_error ? t('Better than the played turn, but a much better one exists.') : t('This turn is not better.');
  }

  /** The better turn of the search. */
  get better(): SplitTurn | null {
    const { show } = this;
    const { round, player } = this.task;
    const text = this.judgement?.better ?? this.analysis.best(round, player);
    return text === null || text === undefined ? null : splitTurn(show.doc, show.history.positions[round - 1], player, parseOrders(show.doc.map, text));
  }

  /** Show the better turn on the map. */
  reveal(): void {
    const { task } = this;
    this.input.giveUp();
    this.show.follow(null);
    this.state = 'shown';
    this.analysis.choose(task.round, task.player);
  }

  next(): void {
    if (this.index + 1 < this.tasks.length) {
      this.index += 1;
      this.begin();
    } else this.finish();
  }

  private finish(): void {
    this.input.giveUp();
    this.show.follow(null);
    this.state = 'done';
  }

  end(): void {
    this.input.giveUp();
    this.show.follow(null);
    this.onEnd();
  }
}
