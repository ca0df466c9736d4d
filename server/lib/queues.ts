/** Runs at most `width` tasks at once. Others wait; if more than `maxWaiting` would wait, they are rejected. */
export function createSemaphore(width: number, maxWaiting: number) {
  const waiting: Array<() => void> = [];
  let running = 0;

  return async function run<T>(task: () => Promise<T>, refused: () => Error): Promise<T> {
    if (running >= width) {
      if (waiting.length >= maxWaiting) throw refused();
      await new Promise<void>((wake) => waiting.push(wake));
    } else {
      running++;
    }
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/**
 * Runs tasks with the same key one after the other, and tasks with different keys in parallel. If more than
 * `maxWaiting` tasks with one key would wait, they are rejected.
 */
export function createKeyedQueue(limit?: { maxWaiting: number; refused(): Error }) {
  const queues = new Map<string, { tail: Promise<unknown>; length: number }>();

  return async function run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const queue = queues.get(key) ?? { tail: Promise.resolve(), length: 0 };
    if (limit && queue.length > limit.maxWaiting) throw limit.refused();
    queues.set(key, queue);
    queue.length++;
    const result = queue.tail.then(task, task);
    queue.tail = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      queue.length--;
      if (queue.length === 0) queues.delete(key);
    }
  };
}
