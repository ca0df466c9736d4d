import { chmodSync, rmSync } from 'node:fs';

/** Starts a listener on socket files that cells of another user may connect to, removing what an earlier one left. */
export async function openSockets<T>(paths: string[], start: () => Promise<T>): Promise<T> {
  for (const path of paths) rmSync(path, { force: true });
  const started = await start();
  for (const path of paths) chmodSync(path, 0o666);
  return started;
}
