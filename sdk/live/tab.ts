import { LIVE_CLOSE, LIVE_MESSAGES_AT_ONCE, LIVE_MESSAGES_PER_SECOND } from '../../contract/live/limits.ts';
import { failure } from '../api.ts';
import { FINAL, GOOD_AFTER_MS, SILENCE_MS, waitMs } from '../waits.ts';
import { type ChannelTab, LiveChannel, unreachable } from './channel.ts';

interface LiveTabOptions {
  url: string;
  /** The subprotocols of the next connection, with what the visitor shows the service. */
  protocols(): string[];
  /** The status of another request of this page: whether the visitor can see it. */
  askStatus(): Promise<number>;
  /** Calls back when a connection is worth another try. Returns a function that stops this. */
  onWake(callback: (cause: 'online' | 'visible') => void): () => void;
}

type Request = Parameters<ChannelTab['request']>[0] | { type: 'join' | 'leave'; channel: string };
type Presence = Parameters<LiveChannel['setPresence']>[0];

type Event =
  | { type: 'welcome'; tab: string }
  | { type: 'joined' | 'presence'; channel: string; presence: Presence }
  | {
      type: 'message';
      channel: string;
      from: Quire.LivePerson | null;
      tab?: string;
      ref?: number;
      message: unknown;
    }
  | { type: 'refused'; ref?: number; code: string; error: string; retryAfter?: number };

interface Pending {
  resolve(): void;
  reject(error: unknown): void;
}

/** The only connection of a tab, which all its channels share. It opens with the first one. */
export class LiveTab implements ChannelTab {
  private readonly channels = new Map<string, LiveChannel>();
  private readonly pending = new Map<number, Pending>();
  private socket: WebSocket | undefined;
  /** The tab's own id, from the welcome of the service on. */
  private own: string | undefined;
  private refs = 0;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopListening: (() => void) | undefined;
  private tokens = LIVE_MESSAGES_AT_ONCE;
  private tokensAt = performance.now();

  constructor(private readonly options: LiveTabOptions) {}

  /** Joins a channel, or returns the one that the tab is in already. */
  join(name: string): LiveChannel {
    const known = this.channels.get(name);
    if (known) return known;
    const channel = new LiveChannel(name, this);
    this.channels.set(name, channel);
    if (this.own !== undefined) this.sendJoin(channel);
    else if (!this.socket) this.connect();
    return channel;
  }

  leave(channel: LiveChannel): void {
    if (this.channels.get(channel.name) !== channel) return;
    this.channels.delete(channel.name);
    if (this.channels.size === 0) this.stop();
    else if (this.own !== undefined)
      this.request({ type: 'leave', channel: channel.name }).catch(() => undefined);
  }

  request(request: Request): Promise<void> {
    // Refused here, a page that sends too fast costs the service nothing.
    if (!this.take() && request.type === 'send') {
      return Promise.reject(
        failure(
          `A visitor can send ${LIVE_MESSAGES_PER_SECOND} messages a second. Send fewer, or several in one.`,
          {
            status: 429,
            code: 'RATE_LIMITED',
          },
        ),
      );
    }
    const { socket } = this;
    if (!socket || this.own === undefined) return Promise.reject(unreachable());
    const ref = ++this.refs;
    const answer = new Promise<void>((resolve, reject) => this.pending.set(ref, { resolve, reject }));
    socket.send(JSON.stringify({ ...request, ref }));
    // Only messages and joins are answered.
    if (request.type === 'leave') this.settle(ref);
    return answer;
  }

  private sendJoin(channel: LiveChannel): void {
    this.request({ type: 'join', channel: channel.name }).catch((error: Quire.Failure) => {
      // A join without a connection is sent again with the next one.
      if (error.code === 'UNREACHABLE') return;
      this.channels.delete(channel.name);
      channel.refused(error);
    });
  }

  private connect(): void {
    clearTimeout(this.timer);
    this.stopListening ??= this.options.onWake((cause) => this.wake(cause));
    const socket = new WebSocket(this.options.url, this.options.protocols());
    this.socket = socket;
    const startedAt = performance.now();
    this.expectSomething(socket);
    socket.onmessage = ({ data }) => {
      this.expectSomething(socket);
      for (const line of String(data).split('\n')) if (line) this.receive(JSON.parse(line) as Event);
    };
    socket.onclose = ({ code }) => this.ended(socket, code, startedAt);
  }

  /** A connection that is silent for too long is dead, even if nothing has reported it yet. */
  private expectSomething(socket: WebSocket): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      socket.close();
      this.ended(socket, 1006, 0);
    }, SILENCE_MS);
  }

  private ended(socket: WebSocket, code: number, startedAt: number): void {
    if (this.socket !== socket) return;
    const hasOpened = this.own !== undefined;
    this.disconnected();
    if (hasOpened && performance.now() - startedAt > GOOD_AFTER_MS) this.failures = 0;
    // After a logout the next connection is a guest's, if guests can see the page.
    if (hasOpened && code === LIVE_CLOSE.loginEnded) this.connect();
    else if (hasOpened && code !== LIVE_CLOSE.accessEnded) this.connectLater();
    else void this.findOutWhy();
  }

  /** Tries again, unless the visitor cannot see the page. */
  private async findOutWhy(): Promise<void> {
    const status = await this.options.askStatus().catch(() => 0);
    if (this.socket || this.channels.size === 0) return;
    if (!FINAL.includes(status)) return this.connectLater();
    const error = failure('The visitor cannot see this page, or no longer.', { status, code: 'FORBIDDEN' });
    console.warn(`Quire: PageLive is not available: ${error.message}`);
    const refused = [...this.channels.values()];
    this.channels.clear();
    this.stop();
    for (const channel of refused) channel.refused(error);
  }

  private connectLater(): void {
    this.timer = setTimeout(() => this.connect(), waitMs(this.failures));
    this.failures++;
  }

  private disconnected(): void {
    clearTimeout(this.timer);
    this.socket = undefined;
    this.own = undefined;
    for (const { reject } of this.pending.values()) reject(unreachable());
    this.pending.clear();
    for (const channel of this.channels.values()) channel.disconnected();
  }

  private stop(): void {
    const { socket } = this;
    this.disconnected();
    socket?.close();
    this.stopListening?.();
    this.stopListening = undefined;
    this.failures = 0;
  }

  private wake(cause: 'online' | 'visible'): void {
    // A connection from before the network was lost is dead, even if nothing has reported it yet.
    if (this.socket && cause !== 'online') return;
    const { socket } = this;
    this.disconnected();
    socket?.close();
    if (this.channels.size > 0) this.connect();
  }

  private receive(event: Event): void {
    if (event.type === 'welcome') {
      this.own = event.tab;
      for (const channel of this.channels.values()) this.sendJoin(channel);
    } else if (event.type === 'refused') {
      const { code, error, retryAfter } = event;
      const status = code === 'RATE_LIMITED' ? 429 : 400;
      this.settle(event.ref, failure(error, { status, code, ...(retryAfter && { retryAfter }) }));
    } else if (event.type === 'message') {
      const isOwn = event.tab !== undefined && event.tab === this.own;
      if (isOwn) this.settle(event.ref);
      else this.channels.get(event.channel)?.receive(event.message, event.from);
    } else {
      if ('ref' in event) this.settle(event.ref as number);
      const channel = this.channels.get(event.channel);
      if (event.type === 'joined') channel?.hasJoined(event.presence);
      else channel?.setPresence(event.presence);
    }
  }

  private settle(ref: number | undefined, error?: Quire.Failure): void {
    const pending = ref === undefined ? undefined : this.pending.get(ref);
    if (ref !== undefined) this.pending.delete(ref);
    if (error) pending?.reject(error);
    else pending?.resolve();
  }

  /** Whether one more request is within what the service accepts. Joins are sent in any case. */
  private take(): boolean {
    const now = performance.now();
    const back = ((now - this.tokensAt) / 1000) * LIVE_MESSAGES_PER_SECOND;
    this.tokens = Math.min(LIVE_MESSAGES_AT_ONCE, this.tokens + back) - 1;
    this.tokensAt = now;
    if (this.tokens >= 0) return true;
    // A refused request does not count.
    this.tokens++;
    return false;
  }
}
