// Hints for a player's turn: the turn that the chosen bot finds.
import { engineChoice, engineOf } from './analysis/engine.svelte';
import type { Opponent } from './opponents';
import type { TurnInput } from './turn-input.svelte';
import { parseOrders } from './notation';
import type { Playback } from './playback.svelte';
import type { Oracle, BotAnswer } from './source';
import type { WinProbabilities, DecisionInfo, Orders } from './types';
import { t } from './i18n.svelte';

export class Advice {
  level = $state<'off' | 'coach' | 'full'>('off');
  answer = $state<{ data: DecisionInfo; round: number; player: number; bot: string } | null>(null);
  chances = $state<WinProbabilities>([]);
  asking = $state(false);
  error = $state('');
  turnInput: TurnInput | null = null;
  private request: AbortController | null = null; // the request that waits for its answer

  constructor(
    private show: Playback,
    private oracle: Oracle | null,
    private bots: () => Opponent[],
  ) {}

  /** Whether there is a server and a bot that can analyse this game. */
  get possible(): boolean {
    return this.oracle !== null && this.bots().length > 0;
  }

  /** The bot's best orders for the turn that the player enters; null: there is no answer yet, or help is off. */
  get best(): Orders | null {
    const orders = this.answer?.data.candidates?.[0]?.orders;
    return this.level === 'off' || !this.turnInput?.draft || orders === undefined ? null : parseOrders(this.show.doc.map, orders);
  }

  /** Start a new turn: drop the old answer, and request a new one if help is on. */
  renew(): void {
    this.cancel();
    [this.answer, this.error] = [null, ''];
    if (this.level !== 'off') void this.ask();
  }

  cycle(): void {
    if (!this.possible) return;
    this.level = ({ off: 'coach', coach: 'full', full: 'off' } as const)[this.level];
    if (this.level === 'off') this.cancel();
    if (this.level === 'off' || !this.turnInput?.draft) return;
    if (this.answer) this.count();
    else void this.ask();
  }

  /** Cancel the request that waits for its answer. */
  private cancel(): void {
    this.request?.abort();
    [this.request, this.asking] = [null, false];
  }

  /** Set the level of help that the player used in this turn. It is sent with the orders and stored in the log. */
  private count(): void {
    if (this.turnInput && this.level !== 'off') this.turnInput.hint = this.level === 'full' || this.turnInput.hint === 'full' ? 'full' : 'coach';
  }

  async ask(): Promise<void> {
    const { oracle } = this;
    const bot = engineOf(this.bots())?.spec;
    if (!oracle || !bot || this.asking) return;
    const request = (this.request = new AbortController());
    this.asking = true;
    this.error = '';
    try {
      const answer = await oracle({ bot, seconds: engineChoice.seconds }, request.signal);
      if (request === this.request) this.setAnswer(answer, bot);
    } catch (error) {
      if (request === this.request) this.error = t('No hint: {reason}', { reason: (error as Error).message });
    } finally {
      if (request === this.request) [this.request, this.asking] = [null, false];
    }
  }

  private setAnswer(answer: BotAnswer, bot: string): void {
    this.answer = { data: answer.data, round: answer.round, player: answer.player, bot };
    if (answer.chances) this.chances[answer.round - 1] = answer.chances;
    this.count();
  }
}
