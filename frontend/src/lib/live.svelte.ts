// A game on the server. After a lost connection, the WebSocket reconnects and continues after the last received event.
import { call, serverKey } from './api';
import { afterFrame } from './frames';
import { type ErrorBody, errorMessage } from './error-messages';
import { Retry } from './retry';
import { Playback } from './playback.svelte';
import type { WinProbabilities, GameDoc, GameEvent, LiveState } from './types';

export class Live {
  show = $state<Playback | null>(null);
  now = $state<LiveState | null>(null);
  nowAt = $state(0); // time when `now` arrived, in milliseconds of `performance.now()`
  connected = $state(false);
  lost = $state(false); // whether the connection was lost
  error = $state('');
  refused = $state(false); // whether the server rejected the connection: there is no such game, or the token is wrong
  chances = $state<WinProbabilities>([]);
  private socket: WebSocket | null = null;
  private last = -1;
  // received messages that the page will show after the next frame
  private pending: (({ type: 'event'; n: number } & GameEvent) | ({ type: 'now' } & LiveState))[] = [];
  private retry = new Retry();
  private isCaughtUp = false;

  constructor(
    readonly id: string,
    readonly token: string,
    // number of rounds that this player has already seen; later rounds are replayed. 'but one': all rounds except the
    // last. null: replay nothing
    private roundsSeen: number | 'but one' | null = null,
  ) {
    void this.loadGame();
  }

  private async loadGame(): Promise<void> {
    try {
      const doc = await call<GameDoc>(`games/${this.id}`, undefined, this.token);
      if (this.retry.ended) return;
      this.show = new Playback(doc);
      if (doc.chances) this.chances = doc.chances;
      this.connect();
    } catch (error) {
      this.error = (error as Error).message;
      this.refused = [401, 404].includes((error as { status?: number }).status ?? 0);
      if ((error as { status?: number }).status === 0) this.retry.schedule(() => void this.loadGame());
    }
  }

  private connect = (): void => {
    if (this.retry.ended) return;
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/games/${this.id}/feed`);
    this.socket = socket;
    this.isCaughtUp = false;
    this.pending = [];
    socket.onopen = () => socket.send(JSON.stringify({ token: this.token, key: serverKey(), after: this.last }));
    socket.onmessage = (message) => this.receive(JSON.parse(message.data as string));
    socket.onclose = () => {
      this.draw(); // show the messages that arrived before the connection closed
      this.lost ||= this.connected;
      this.connected = false;
      if (this.socket === socket) this.retry.schedule(this.connect);
    };
  };

  private receive(message: { type: string; n?: number; status?: number } & Partial<ErrorBody>): void {
    if (message.type === 'event' || message.type === 'now') {
      this.pending.push(message as unknown as (typeof this.pending)[number]);
      if (message.type === 'now') afterFrame(this.draw); // the server sends the state after the events that led to it
    } else if (message.type === 'error') {
      this.error = errorMessage(message as ErrorBody);
      if (message.status === 422 && this.last >= 0) this.restart();
      else if (message.status === 404 || message.status === 401) this.close();
    }
  }

  private draw = (): void => {
    if (this.retry.ended) return;
    for (let message; (message = this.pending.shift()); ) {
      if (message.type === 'event') this.takeEvent(message);
      else this.takeNow(message);
    }
  };

  private takeEvent(event: { n: number } & GameEvent): void {
    if (event.n <= this.last) return;
    this.last = event.n;
    const show = this.show!;
    const animate = show.animate;
    show.animate = animate && this.isCaughtUp; // do not animate events from before the connection
    show.take(event);
    show.animate = animate;
    if (event.event === 'end' && (show.doc.seat != null || show.doc.spectator) && show.doc.rules.fog) void this.liftFog(show);
  }

  /** At the end of a game with fog, load the whole game and show all regions. */
  private async liftFog(show: Playback): Promise<void> {
    try {
      const replay = await call<GameDoc>(`games/${this.id}/replay`, undefined, this.token);
      if (!this.retry.ended) show.lift(replay.events ?? []);
    } catch (error) {
      if ((error as { status?: number }).status !== 0) this.error = (error as Error).message;
    }
  }

  private takeNow(state: LiveState): void {
    this.isCaughtUp = true;
    if (this.roundsSeen !== null) this.show!.playFrom(this.roundsSeen === 'but one' ? this.show!.last - 1 : this.roundsSeen);
    this.roundsSeen = null;
    this.connected = true;
    this.lost = false;
    this.error = '';
    this.retry.answered();
    this.now = state;
    this.nowAt = performance.now();
    if (state.chances) this.chances[state.chances[0]] = state.chances[1];
  }

  /** Start again, because the server has fewer events than this page. */
  private restart(): void {
    this.last = -1;
    this.show = new Playback(this.show!.doc);
  }

  close(): void {
    this.retry.end();
    this.show?.pause();
    this.socket?.close();
  }
}
