import type { LiveChanges } from '../../../../workers/protocol.ts';
import type { Databases, WatchListener } from '../../../runtime/databases/index.ts';

/** How long to wait until the changes of a database are followed. */
const START_MS = 15_000;

interface Watched {
  listeners: Set<WatchListener>;
  started: PromiseWithResolvers<void>;
  hasStarted: boolean;
  stop(): void;
}

/** The databases with live calls. Each is followed once. */
export class WatchedDatabases {
  readonly #watched = new Map<number, Watched>();

  constructor(private readonly databases: Pick<Databases, 'watch'>) {}

  /** Follows a database. Returns a function that ends it. */
  follow(ownerId: number, databaseId: number, listener: WatchListener): () => void {
    const watched = this.#watched.get(databaseId) ?? this.#open(ownerId, databaseId);
    watched.listeners.add(listener);
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size > 0 || this.#watched.get(databaseId) !== watched) return;
      this.#watched.delete(databaseId);
      watched.stop();
    };
  }

  /** Waits until changes are followed. Fails if that takes too long. */
  async untilStarted(databaseId: number): Promise<void> {
    const watched = this.#watched.get(databaseId);
    if (!watched || watched.hasStarted) return;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('the database cannot be followed')), START_MS);
    await Promise.race([watched.started.promise, promise]).finally(() => clearTimeout(timer));
  }

  #open(ownerId: number, databaseId: number): Watched {
    const listeners = new Set<WatchListener>();
    const started = Promise.withResolvers<void>();
    const watched: Watched = { listeners, started, hasStarted: false, stop: () => undefined };
    watched.stop = this.databases.watch(ownerId, databaseId, {
      onStart() {
        const isFirst = !watched.hasStarted;
        watched.hasStarted = true;
        started.resolve();
        // What was read before may have changed while the connection was lost.
        if (!isFirst) for (const listener of listeners) listener.onStart();
      },
      onChange(changes: LiveChanges) {
        for (const listener of listeners) listener.onChange(changes);
      },
    });
    this.#watched.set(databaseId, watched);
    return watched;
  }
}
