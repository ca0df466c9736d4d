/** Runs at most `width` tasks at once; the rest wait, and past `maxWaiting` they are refused. */
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

/** Runs tasks with the same key one after the other, and tasks with different keys side by side. */
export function createKeyedQueue() {
  const tails = new Map<string, Promise<unknown>>();

  return function run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (tails.get(key) ?? Promise.resolve()).then(task, task);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    tails.set(key, tail);
    void tail.then(() => {
      if (tails.get(key) === tail) tails.delete(key);
    });
    return result;
  };
}
