import type { OwnerId } from '../workerd/index.ts';
import { BackoffError } from './backoff.ts';
import type { Cell } from './cell.ts';
import { LoadError } from './load-error.ts';

/** The cells of one function at one revision. */
export interface Slot {
  owner: OwnerId;
  revision: string;
  cells: Cell[];
  starting: Promise<Cell> | undefined;
  /** Times of recent deaths, for the backoff. */
  deaths: number[];
}

/** The cell for the next call. Undefined if no cell accepts calls. */
export function leastBusy(cells: Cell[]): Cell | undefined {
  let best: Cell | undefined;
  for (const cell of cells) if (!cell.isExhausted && (!best || cell.inFlight < best.inFlight)) best = cell;
  return best;
}

/** If there is no place for a new cell, falls back to a running cell that has used up its memory. */
export function makeDo(slot: Slot, error: unknown): Cell {
  const [cell] = slot.cells;
  if (!cell || error instanceof BackoffError || error instanceof LoadError) throw error;
  return cell;
}
