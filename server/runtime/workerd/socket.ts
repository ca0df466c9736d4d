import { chmodSync, rmSync } from 'node:fs';

/** Starts a listener on socket files that cells of other users can connect to. Removes old socket files first. */
export async function openSockets<T>(paths: string[], start: () => Promise<T>): Promise<T> {
  for (const path of paths) rmSync(path, { force: true });
  const started = await start();
  for (const path of paths) chmodSync(path, 0o666);
  return started;
}
