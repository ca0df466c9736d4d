import { EventParser, type ServerEvent } from '../contract/rules/event-stream.ts';

export type Callback = (change: Quire.Change) => void;

export interface LiveOptions {
  /** Opens the stream; rejects with a `status` when the service refuses. */
  open(collections: string[], lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Says when it is worth trying again; the returned function ends that. */
  onWake(callback: (cause: 'online' | 'visible') => void): () => void;
  /** Whether nobody looks at the tab. */
  isHidden(): boolean;
}

/** Trying again would bring the same answer. */
const FINAL = [401, 403, 404, 409];
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** A stream that lived this long was a good one: what ends it is not counted as one failure more. */
const GOOD_AFTER_MS = 5_000;
/** The service says something more often than this; after so long a silence nobody is there any more. */
const SILENCE_MS = 45_000;
/** A read that comes right after its subscription waits this long, at most, for the stream to begin. */
const BEGINNING_MS = 2_000;

/** One stream of changes for all that a tab subscribes to. */
export function createLive({ open, onWake, isHidden }: LiveOptions): {
  subscribe(collection: string, callback: Callback): () => void;
  /**
   * Resolves when a subscription that was just made has begun. What is read before that may change unheard; what is
   * read after it is told of.
   */
  begun(collection: string): Promise<void>;
} {
  const callbacks = new Map<string, Set<Callback>>();
  /** What is followed; undefined while nothing is. */
  let followed: string | undefined;
  /** What the last stream that began has brought. */
  let begun = new Set<string>();
  const waiting = new Set<() => void>();
  let lastEventId: string | undefined;
  let failures = 0;
  let stream: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopListening: (() => void) | undefined;
  let isUpdating = false;

  return {
    subscribe(collection, callback) {
      const own: Callback = (change) => callback(change);
      const others = callbacks.get(collection) ?? new Set();
      callbacks.set(collection, others.add(own));
      update();
      return () => {
        if (!others.delete(own) || others.size > 0) return;
        callbacks.delete(collection);
        update();
      };
    },

    begun(collection) {
      const isBeginning = callbacks.has(collection) && !begun.has(collection) && (stream || isUpdating);
      if (!isBeginning) return Promise.resolve();
      return new Promise((resolve) => {
        const timeout = setTimeout(resolve, BEGINNING_MS);
        waiting.add(() => {
          clearTimeout(timeout);
          resolve();
        });
      });
    },
  };

  /** Brings the stream in line with the subscriptions, once for all that change together. */
  function update(): void {
    if (isUpdating) return;
    isUpdating = true;
    queueMicrotask(() => {
      isUpdating = false;
      const wanted = [...callbacks.keys()].sort().join();
      if (wanted === '') return rest();
      if (wanted === followed) return;
      followed = wanted;
      failures = 0;
      stopListening ??= onWake(wake);
      void follow();
    });
  }

  function rest(): void {
    stream?.abort();
    clearTimeout(timer);
    stopListening?.();
    followed = lastEventId = stream = timer = stopListening = undefined;
    begun = new Set();
    stopWaiting();
  }

  function stopWaiting(): void {
    for (const resolve of waiting) resolve();
    waiting.clear();
  }

  function wake(cause: 'online' | 'visible'): void {
    // A stream from before the network went is dead, even if nothing has said so yet.
    if (stream && cause !== 'online') return;
    if (followed !== undefined) void follow();
  }

  /** Follows one stream to its end and sees to the next one. A later call takes over from an earlier one. */
  async function follow(): Promise<void> {
    stream?.abort();
    clearTimeout(timer);
    const own = new AbortController();
    stream = own;
    const startedAt = performance.now();
    const outcome = await read(own).catch((error: unknown) => error as { status?: number } & Error);
    clearTimeout(timer);
    if (stream !== own) return;
    stream = undefined;
    own.abort();
    stopWaiting();
    if (outcome?.status !== undefined && FINAL.includes(outcome.status)) {
      console.warn(`Quire: changes of ${followed} cannot be followed: ${outcome.message}`);
      return rest();
    }
    // A browser has six connections to a host, for all tabs together: one that nobody looks at gives its back when the
    // service ends the stream, and catches up when it is seen.
    if (!outcome && isHidden()) return;
    if (performance.now() - startedAt > GOOD_AFTER_MS) failures = 0;
    const wait = outcome || failures > 0 ? waitMs(failures) : 0;
    failures++;
    timer = setTimeout(follow, wait);
  }

  /** Resolves when the service has ended the stream, rejects when it broke. */
  async function read(own: AbortController): Promise<undefined> {
    const alarm = () => own.abort();
    timer = setTimeout(alarm, SILENCE_MS);
    const response = await open((followed ?? '').split(','), lastEventId, own.signal);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
      throw new Error('The answer is no stream of events.');
    }
    const parser = new EventParser((event) => stream === own && take(event));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || stream !== own) return;
      clearTimeout(timer);
      timer = setTimeout(alarm, SILENCE_MS);
      parser.push(value);
    }
  }

  function take({ id, name, data }: ServerEvent): void {
    if (id !== undefined) lastEventId = id;
    if (name === 'open') {
      begun = new Set(followed?.split(','));
      stopWaiting();
    } else if (name === 'reset') {
      for (const collection of callbacks.keys()) tell({ type: 'reset', collection });
    } else if (name === 'message' && data !== undefined) {
      const change = JSON.parse(data) as Quire.Change;
      // Until the stream is open it tells what has been missed: in a collection that is new in it, nothing has.
      if (begun.has(change.collection)) tell(change);
    }
  }

  function tell(change: Quire.Change): void {
    for (const callback of callbacks.get(change.collection) ?? []) {
      try {
        callback(change);
      } catch (error) {
        // The page's own mistake: it shows in the console, and the other subscriptions go on.
        reportError(error);
      }
    }
  }
}

/** Longer with every failure, and never the same for two tabs, so that they do not all come back at once. */
function waitMs(failures: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
  return FIRST_WAIT_MS + Math.random() * (longest - FIRST_WAIT_MS);
}
