interface Waiting {
  start(): void;
  refuse(): void;
}

/**
 * Runs at most `width` tasks at once. Callers (`key`) take turns, however many tasks each has waiting. If `maxWaiting`
 * tasks wait, the caller with the most loses one. So no caller can starve others by sending many requests.
 */
export function createFairQueue(options: { width: number; maxWaiting: number; refused(): Error }) {
  const { width, maxWaiting, refused } = options;
  /** Waiting tasks by caller, in the order of turns. */
  const queues = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;

  return async function run<T>(key: string, task: () => Promise<T>): Promise<T> {
    if (running < width) running++;
    else await takeTurn(key);
    try {
      return await task();
    } finally {
      startNext();
    }
  };

  function takeTurn(key: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const own = queues.get(key);
      if (waiting >= maxWaiting && !makeRoom((own?.length ?? 0) + 1)) return reject(refused());
      const entry = { start: resolve, refuse: () => reject(refused()) };
      waiting++;
      if (own) own.push(entry);
      else queues.set(key, [entry]);
    });
  }

  /** Rejects the last task of the longest queue, if that is longer than the queue that would grow to `length`. */
  function makeRoom(length: number): boolean {
    let longest: Waiting[] = [];
    for (const queue of queues.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= length) return false;
    longest.pop()?.refuse();
    waiting--;
    return true;
  }

  function startNext(): void {
    const [turn] = queues;
    if (!turn) {
      running--;
      return;
    }
    const [key, queue] = turn;
    const next = queue.shift();
    waiting--;
    // A caller with more tasks moves to the end.
    queues.delete(key);
    if (queue.length > 0) queues.set(key, queue);
    next?.start();
  }
}
