import { afterAll } from 'bun:test';

/**
 * Test files of one process share what is slow to start. `bunfig.toml` loads this module before them, so that its hook
 * runs once, after the last file. With `--parallel` it runs after each file: then the end of the process ends what it
 * started, and the runner removes the rest with its temporary folder.
 */
const isWorker = process.env.BUN_TEST_WORKER_ID !== undefined;
const closers: Array<() => Promise<unknown>> = [];

afterAll(async () => {
  if (isWorker) return;
  for (const close of closers.splice(0).reverse()) await close();
});

/** Calls `close` after the last test of the process. */
export function closeAtEnd(close: () => Promise<unknown>): void {
  closers.push(close);
}
