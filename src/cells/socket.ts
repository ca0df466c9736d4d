import { chmodSync, rmSync } from 'node:fs';

/** Starts a listener on a socket file that cells of another user may connect to, removing what an earlier one left. */
export async function openSocket<T>(path: string, start: () => Promise<T>): Promise<T> {
  rmSync(path, { force: true });
  const started = await start();
  chmodSync(path, 0o666);
  return started;
}
