import type { CellSockets } from './cell-sockets.ts';

/** Why the WebSockets of a cell end, as their clients learn it. */
export interface SocketEnd {
  code: number;
  reason: string;
}

/** Clients should connect again, to the new version. */
export const REPLACED: SocketEnd = { code: 1012, reason: 'The function has changed.' };
/** There is nothing to connect to any more. */
export const REMOVED: SocketEnd = { code: 1001, reason: 'The function was deleted.' };
/** Clients should try again later. */
export const NO_PLACE: SocketEnd = { code: 1013, reason: 'Other functions need its process.' };

type Cells = Iterable<{ sockets: CellSockets }>;

export function closeSockets(cells: Cells, { code, reason }: SocketEnd): void {
  for (const { sockets } of cells) sockets.close(code, reason);
}

/** How many WebSockets there are, in total and of one caller. */
export function countSockets(cells: Cells, caller: string): { total: number; ofCaller: number } {
  const counts = { total: 0, ofCaller: 0 };
  for (const { sockets } of cells) {
    counts.total += sockets.size;
    counts.ofCaller += sockets.countCaller(caller);
  }
  return counts;
}
