import { EventParser, type ServerEvent } from '../contract/rules/event-stream.ts';
import { FINAL, GOOD_AFTER_MS, SILENCE_MS, waitMs } from './waits.ts';

export interface ConnectionOptions {
  /** Opens the stream. Rejects with a `status` if the service refuses it. */
  open(signal: AbortSignal): Promise<Response>;
  /** Calls back when a connection is worth another try. Returns a function that stops this. */
  onWake(callback: (cause: 'online' | 'visible') => void): () => void;
  /** True if the tab is not visible. */
  isHidden(): boolean;
  onEvent(event: ServerEvent): void;
  /** Called when the stream has ended, for any reason. */
  onEnd(): void;
  /** Called when the service refuses the stream, so that another try would be in vain. */
  onRefused(error: Error & { status?: number }): void;
}

/** A stream of events that is opened again when it ends. */
export class EventConnection {
  private failures = 0;
  private stream: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopListening: (() => void) | undefined;

  constructor(private readonly options: ConnectionOptions) {}

  get isConnecting(): boolean {
    return this.stream !== undefined;
  }

  /** Opens the stream, or another one instead of it. */
  start(): void {
    this.failures = 0;
    this.stopListening ??= this.options.onWake((cause) => this.wake(cause));
    void this.follow();
  }

  stop(): void {
    this.stream?.abort();
    clearTimeout(this.timer);
    this.stopListening?.();
    this.stream = undefined;
    this.stopListening = undefined;
  }

  private wake(cause: 'online' | 'visible'): void {
    // A stream from before the network was lost is dead, even if nothing has reported it yet.
    if (this.stream && cause !== 'online') return;
    void this.follow();
  }

  /** Follows one stream until it ends, and schedules the next one. A later call replaces an earlier one. */
  private async follow(): Promise<void> {
    const { options } = this;
    this.stream?.abort();
    clearTimeout(this.timer);
    const own = new AbortController();
    this.stream = own;
    const startedAt = performance.now();
    const error = await this.read(own).catch((cause: unknown) => cause as { status?: number } & Error);
    clearTimeout(this.timer);
    if (this.stream !== own) return;
    this.stream = undefined;
    own.abort();
    options.onEnd();
    if (error?.status !== undefined && FINAL.includes(error.status)) {
      this.stop();
      return options.onRefused(error);
    }
    // A browser has six connections per host for all tabs. A hidden tab gives its connection back when the service ends
    // the stream, and catches up when it is visible again.
    if (!error && options.isHidden()) return;
    if (performance.now() - startedAt > GOOD_AFTER_MS) this.failures = 0;
    const wait = error || this.failures > 0 ? waitMs(this.failures) : 0;
    this.failures++;
    this.timer = setTimeout(() => this.follow(), wait);
  }

  /** Resolves when the service ends the stream, rejects when the connection fails. */
  private async read(own: AbortController): Promise<undefined> {
    const alarm = () => own.abort();
    this.timer = setTimeout(alarm, SILENCE_MS);
    const response = await this.options.open(own.signal);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
      throw new Error('The response is not a stream of events.');
    }
    const parser = new EventParser((event) => this.stream === own && this.options.onEvent(event));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.stream !== own) return;
      clearTimeout(this.timer);
      this.timer = setTimeout(alarm, SILENCE_MS);
      parser.push(value);
    }
  }
}
