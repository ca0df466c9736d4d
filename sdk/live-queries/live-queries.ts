import { MAX_LIVE_QUERIES } from '../../contract/live/limits.ts';
import { failure } from '../api.ts';
import { type ConnectionOptions, EventConnection } from '../event-connection.ts';

/** Follows queries over one stream: what they answer, whenever that changes. */

/** What the service sends about one query: why it has ended, or what is new. */
type Event = { id: string; hash: string } & Partial<{ status: number; code: string; error: string }>;

/** Called when a query ends by itself. */
export type OnEnd = ((error: Quire.Failure) => void) | undefined;

interface Callbacks<Answer> {
  onAnswer(answer: Answer): void;
  onEnd: OnEnd;
}

interface Query<Answer> {
  id: string;
  asked: object;
  callbacks: Set<Callbacks<Answer>>;
  /** The last answer, and its hash. */
  answer?: Answer;
  known?: string;
}

interface LiveQueriesOptions<Answer> extends Pick<ConnectionOptions, 'onWake' | 'isHidden'> {
  /** Opens the stream of these queries. */
  open(queries: object[], signal: AbortSignal): Promise<Response>;
  /** The answer after an event. */
  apply(event: object, before: Answer | undefined): Answer;
}

export class LiveQueries<Answer> {
  private readonly queries = new Map<string, Query<Answer>>();
  private readonly connection: EventConnection;
  private lastId = 0;
  private isUpdating = false;

  constructor(private readonly options: LiveQueriesOptions<Answer>) {
    this.connection = new EventConnection({
      ...options,
      open: (signal) =>
        options.open(
          [...this.queries.values()].map(({ id, asked, known }) => ({ id, ...asked, known })),
          signal,
        ),
      onEvent: ({ name, data = '{}' }) => name === 'message' && this.take(JSON.parse(data) as Event),
      onEnd: () => {},
      onRefused: ({ status = 0, message, code = '' }: Error & { status?: number; code?: string }) => {
        for (const { id } of this.queries.values()) this.take({ id, hash: '', status, code, error: message });
      },
    });
  }

  /** Follows a query. Equal ones are followed once. Returns a function that ends it. */
  follow(asked: object, callbacks: Callbacks<Answer>): () => void {
    const key = JSON.stringify(asked);
    const known = this.queries.get(key);
    if (!known && this.queries.size >= MAX_LIVE_QUERIES) {
      end(callbacks, {
        status: 0,
        code: 'TOO_MANY_LIVE_QUERIES',
        error: `A tab can have ${MAX_LIVE_QUERIES} live queries of a kind at once. End one of them first.`,
      });
      return () => {};
    }
    const query = known ?? { id: String(++this.lastId), asked: JSON.parse(key), callbacks: new Set() };
    this.queries.set(key, query);
    query.callbacks.add(callbacks);
    if (!known) this.update();
    else if (known.known !== undefined)
      queueMicrotask(() => query.callbacks.has(callbacks) && answer(callbacks, known.answer as Answer));
    return () => {
      if (!query.callbacks.delete(callbacks) || query.callbacks.size > 0) return;
      if (this.queries.get(key) !== query) return;
      this.queries.delete(key);
      this.update();
    };
  }

  /** Adapts the stream to the queries, once for all that change together. */
  private update(): void {
    if (this.isUpdating) return;
    this.isUpdating = true;
    queueMicrotask(() => {
      this.isUpdating = false;
      if (this.queries.size > 0) this.connection.start();
      else this.connection.stop();
    });
  }

  private take(event: Event): void {
    const [key, query] = [...this.queries].find(([, { id }]) => id === event.id) ?? [];
    if (!key || !query) return;
    if (event.error === undefined) {
      query.answer = this.options.apply(event, query.answer);
      query.known = event.hash;
      for (const callbacks of [...query.callbacks]) answer(callbacks, query.answer);
      return;
    }
    this.queries.delete(key);
    if (this.queries.size === 0) this.connection.stop();
    for (const callbacks of query.callbacks) end(callbacks, event);
  }
}

function answer<Answer>({ onAnswer }: Callbacks<Answer>, value: Answer): void {
  try {
    onAnswer(value);
  } catch (error) {
    // An error in the page's own code: the console shows it, and the other queries continue.
    reportError(error);
  }
}

function end(
  { onEnd }: Callbacks<never>,
  { error = '', status = 0, code = '' }: Partial<Omit<Event, 'id' | 'hash'>>,
): void {
  if (onEnd) onEnd(failure(error, { status, code }));
  else console.warn(`Quire: a live query has ended: ${error}`);
}
