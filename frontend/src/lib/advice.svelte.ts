// Insight that is asked of a bot on the spot: hints for a player, and analysis of any position that is looked at.
import { call } from './api';
import type { Desk } from './desk.svelte';
import type { Live } from './live.svelte';
import { formatOrders } from './notation';
import type { Show } from './show.svelte';
import type { Chances, InsightData, Orders } from './types';

interface Answer {
  data: InsightData | null;
  chances: [number, number, number][] | null;
  round: number;
  player: number;
  orders: Orders;
}

export class Advice {
  level = $state<'off' | 'coach' | 'full'>('off');
  given = $state<{ data: InsightData; round: number; player: number } | null>(null);
  chances = $state<Chances>([]);
  asking = $state(false);
  error = $state('');
  desk: Desk | null = null;

  constructor(
    private show: Show,
    private live: Live | null,
    private bots: () => string[],
  ) {}

  /** A new turn begins: help for it is asked for again, and counted anew. */
  renew(): void {
    this.given = null;
    if (this.level !== 'off') void this.ask();
  }

  cycle(): void {
    this.level = ({ off: 'coach', coach: 'full', full: 'off' } as const)[this.level];
    if (this.level === 'off' || !this.desk?.draft) return;
    if (this.given) this.count();
    else void this.ask();
  }

  /** The help that was taken is told with the orders, and is in the log. */
  private count(): void {
    if (this.desk && this.level !== 'off') this.desk.hint = this.level === 'full' || this.desk.hint === 'full' ? 'full' : 'coach';
  }

  async ask(seat = 0): Promise<void> {
    const { show, live } = this;
    const bot = this.bots().find((b) => b.startsWith('mcts')) ?? this.bots()[0];
    if (!live || !bot || this.asking) return;
    this.asking = true;
    this.error = '';
    try {
      const before = show.step < show.steps ? show.round - 1 : show.round;
      const body = this.desk?.draft ? { bot } : { bot, round: Math.max(0, before), seat };
      const answer = await call<Answer>(`games/${live.id}/insight`, body, live.token);
      const plain = () => ({ candidates: [{ visits: 1, value: 0, orders: formatOrders(show.doc.map, answer.orders) }] });
      this.given = { data: answer.data ?? plain(), round: answer.round, player: answer.player };
      if (answer.chances) this.chances[answer.round - 1] = answer.chances;
      this.count();
    } catch (error) {
      this.error = (error as Error).message;
    } finally {
      this.asking = false;
    }
  }
}
