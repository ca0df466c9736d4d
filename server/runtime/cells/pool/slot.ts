import type { OwnerId } from '../../workerd/index.ts';
import type { Cell } from '../cell.ts';
import { LoadError } from '../load-error.ts';
import { BackoffError } from './backoff.ts';

/** A function with this many concurrent calls gets another cell. */
const HOT_CALLS = 24;
/** A function gets another cell if calls wait and one uses this much CPU time per second, almost a core. */
const HOT_CPU_MS = 700;

/** The cells of one function at one revision. */
export interface Slot {
  owner: OwnerId;
  revision: string;
  cells: Cell[];
  starting: Promise<Cell> | undefined;
  /** True if a cell that is still starting must not serve those who wait for it. */
  isEnded: boolean;
  /** Times of recent deaths, for the backoff. */
  deaths: number[];
}

/** A slot without cells. It inherits the deaths of the slot that it replaces. */
export function newSlot({ owner, revision }: Pick<Slot, 'owner' | 'revision'>, deaths: number[] = []): Slot {
  return { owner, revision, cells: [], starting: undefined, isEnded: false, deaths };
}

/** The cell for the next call. Undefined if no cell accepts calls. */
export function leastBusy(cells: Cell[]): Cell | undefined {
  let best: Cell | undefined;
  for (const cell of cells) if (!cell.isExhausted && (!best || cell.inFlight < best.inFlight)) best = cell;
  return best;
}

/** The cells that can have another WebSocket. */
export function withRoomForSocket(cells: Cell[]): Cell[] {
  return cells.filter(({ sockets }) => !sockets.isFull);
}

/** True if another cell would let the calls finish earlier. */
export function isHot(cell: Pick<Cell, 'inFlight' | 'isCrowded' | 'recentCpuMs'>): boolean {
  const { inFlight } = cell;
  return inFlight >= HOT_CALLS || cell.isCrowded || (inFlight > 0 && cell.recentCpuMs > HOT_CPU_MS);
}

/** If there is no place for a new cell, falls back to a running cell that has used up its memory. */
export function makeDo(slot: Slot, error: unknown): Cell {
  const [cell] = slot.cells;
  if (!cell || error instanceof BackoffError || error instanceof LoadError) throw error;
  return cell;
}

/** A cell of a function, and where it is. */
interface FoundCell {
  id: number;
  slot: Slot;
  cell: Cell;
}

/**
 * The cell without calls that has been idle longest, of one owner or of all. One with WebSockets only if there is no
 * other: they can be quiet for days, and must not keep the places of functions that are called.
 */
export function longestIdle(slots: ReadonlyMap<number, Slot>, owner?: OwnerId): FoundCell | undefined {
  const idle = ({ cell }: FoundCell) => (cell.inFlight === 0 ? cell.usedAt : undefined);
  return (
    least(eachCell(slots, owner), (found) => (found.cell.isInUse ? undefined : idle(found))) ??
    least(eachCell(slots, owner), idle)
  );
}

/** The cell of an owner that has had no new call for the longest time. */
export function longestUncalled(slots: ReadonlyMap<number, Slot>, owner: OwnerId): FoundCell | undefined {
  return least(eachCell(slots, owner), ({ cell }) => cell.lastCalledAt);
}

function* eachCell(slots: ReadonlyMap<number, Slot>, owner?: OwnerId): Generator<FoundCell> {
  for (const [id, slot] of slots) {
    if (owner !== undefined && slot.owner !== owner) continue;
    for (const cell of slot.cells) yield { id, slot, cell };
  }
}

/** The cell with the smallest rank. Cells without a rank do not count. */
function least(
  found: Iterable<FoundCell>,
  rank: (found: FoundCell) => number | undefined,
): FoundCell | undefined {
  let best: { found: FoundCell; rank: number } | undefined;
  for (const each of found) {
    const own = rank(each);
    if (own !== undefined && (!best || own < best.rank)) best = { found: each, rank: own };
  }
  return best?.found;
}
