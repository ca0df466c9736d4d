import type { Cell } from '../cell.ts';

/** Gives a cell up to this long to finish its calls, then kills it. The reason applies if calls are cut off. */
export async function drain(cell: Cell, forMs: number, reason?: Cell['killedFor']): Promise<void> {
  const deadline = Date.now() + forMs;
  // Waits first, because a caller may just have acquired the cell and not have called it yet.
  do await Bun.sleep(50);
  while (cell.inFlight > 0 && Date.now() < deadline);
  cell.kill(cell.inFlight > 0 ? reason : undefined);
}
