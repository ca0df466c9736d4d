/**
 * Collects the work of a run: what its handler returns, and everything that it gives to `waitUntil`. Promises are not
 * passed on to workerd: it would go on when the server has cut off the run.
 */
export function collectWork(ctx: ExecutionContext): { add(promise: unknown): void; end(): Promise<void> } {
  const work: unknown[] = [];
  const add = (promise: unknown) => {
    // The promise is awaited later, and must not count as unhandled until then.
    Promise.resolve(promise).catch(() => undefined);
    work.push(promise);
  };
  ctx.waitUntil = add;
  return {
    add,
    /** Waits for all of it. Fails if any of it has failed. */
    async end() {
      // The work can add more. All of it ends before the first failure is reported.
      const failures: unknown[] = [];
      for (let done = 0; done < work.length; done++) {
        try {
          await work[done];
        } catch (thrown) {
          failures.push(thrown);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
