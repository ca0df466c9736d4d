import type { Cell } from './cell.ts';

/** Lets a cell finish its calls for up to this long. The reason is for the calls that are cut off. */
export async function drain(cell: Cell, forMs: number, reason?: Cell['killedFor']): Promise<void> {
  const deadline = Date.now() + forMs;
  // Waits first: a caller may have been given the cell a moment ago and be about to call it.
  do await Bun.sleep(50);
  while (cell.inFlight > 0 && Date.now() < deadline);
  cell.kill(cell.inFlight > 0 ? reason : undefined);
}
