import { MAX_LIVE_MESSAGE_BYTES } from '../../contract/live/limits.ts';
import { failure } from '../api.ts';

/** What a channel needs of its tab. */
export interface ChannelTab {
  /** Sends a request now. Resolves when the service has accepted it. */
  request(request: { type: 'send'; channel: string; message: unknown }): Promise<void>;
  leave(channel: LiveChannel): void;
}

type LiveCallback = (message: unknown, from: Quire.LivePerson | null) => void;

interface Presence {
  people: Quire.LivePerson[];
  count: number;
}

/** A message that is not sent, and people who are not known, after this long are an error. */
const PATIENCE_MS = 10_000;

/** A channel that this tab is in, or wants to be in. */
export class LiveChannel {
  private readonly messages = new Set<LiveCallback>();
  private readonly joins = new Set<() => void>();
  private readonly presences = new Set<(people: Quire.LivePeople) => void>();
  /** The people in the channel; undefined until the tab has joined, and while it is not connected. */
  private known: Presence | undefined;
  /** Why the tab is not in the channel and will not be, if so. */
  private refusal: unknown;
  /** Calls that wait for the tab to join. */
  private readonly waiting = new Set<{ resolve(): void; reject(error: unknown): void }>();

  constructor(
    readonly name: string,
    private readonly tab: ChannelTab,
  ) {}

  async send(message: unknown): Promise<void> {
    assertSendable(message);
    await this.joined();
    await this.tab.request({ type: 'send', channel: this.name, message });
  }

  on(callback: LiveCallback): () => void {
    return listen(this.messages, callback);
  }

  onJoin(callback: () => void): () => void {
    if (this.known) report(callback);
    return listen(this.joins, callback);
  }

  onPresence(callback: (people: Quire.LivePeople) => void): () => void {
    if (this.known) report(() => callback(toPeople(this.known as Presence)));
    return listen(this.presences, callback);
  }

  async presence(): Promise<Quire.LivePeople> {
    await this.joined();
    return toPeople(this.known ?? { people: [], count: 0 });
  }

  leave(): void {
    for (const callbacks of [this.messages, this.joins, this.presences]) callbacks.clear();
    this.refused(failure('The page left this channel.', { status: 0, code: 'LEFT' }));
    this.tab.leave(this);
  }

  /** Called by the tab, as are `setPresence`, `receive`, `disconnected` and `refused`. */
  hasJoined(presence: Presence): void {
    this.setPresence(presence);
    for (const callback of [...this.joins]) report(callback);
  }

  setPresence(presence: Presence): void {
    this.known = presence;
    for (const { resolve } of this.waiting) resolve();
    this.waiting.clear();
    for (const callback of [...this.presences]) report(() => callback(toPeople(presence)));
  }

  receive(message: unknown, from: Quire.LivePerson | null): void {
    for (const callback of [...this.messages]) report(() => callback(message, from));
  }

  disconnected(): void {
    this.known = undefined;
  }

  refused(error: unknown): void {
    this.known = undefined;
    this.refusal = error;
    for (const { reject } of this.waiting) reject(error);
    this.waiting.clear();
  }

  private joined(): Promise<void> {
    if (this.known) return Promise.resolve();
    if (this.refusal) return Promise.reject(this.refusal);
    return new Promise<void>((resolve, reject) => {
      const own = { resolve, reject };
      this.waiting.add(own);
      setTimeout(() => {
        if (this.waiting.delete(own)) reject(unreachable());
      }, PATIENCE_MS);
    });
  }
}

export function unreachable(): Quire.Failure {
  return failure('Cannot reach the service. Check the connection and try again.', {
    status: 0,
    code: 'UNREACHABLE',
  });
}

function assertSendable(message: unknown): void {
  const text = JSON.stringify(message) as string | undefined;
  if (text === undefined)
    throw failure('A message must be something that JSON can express.', { status: 400, code: 'BAD_REQUEST' });
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MAX_LIVE_MESSAGE_BYTES)
    throw failure(
      `A message can have ${MAX_LIVE_MESSAGE_BYTES / 1024} KB as JSON. This one has ${bytes} bytes. Store larger things as a record and send its id.`,
      { status: 413, code: 'PAYLOAD_TOO_LARGE' },
    );
}

function toPeople({ people, count }: Presence): Quire.LivePeople {
  return Object.defineProperty([...people], 'count', { value: count }) as unknown as Quire.LivePeople;
}

function listen<Callback>(callbacks: Set<Callback>, callback: Callback): () => void {
  callbacks.add(callback);
  return () => void callbacks.delete(callback);
}

/** Runs a callback of the page. The console shows its errors, and other callbacks continue. */
function report(work: () => void): void {
  try {
    work();
  } catch (error) {
    reportError(error);
  }
}
