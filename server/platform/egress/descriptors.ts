import { readFileSync } from 'node:fs';

/** A connection through the egress takes this many there: its lane, two ends to the proxy, and the way out. */
const PER_CONNECTION = 4;
/** For what a process opens by itself, lanes that nobody uses, and looking names up. */
const SPARE = 1_024;
const MOST_PER_CELL = 2_048;
const FEWEST_PER_CELL = 256;

/** How many descriptors processes may have, and how many connections that makes. */
export interface Descriptors {
  egress: number;
  cell: number;
  connections: { total: number; perOwner: number };
}

/**
 * Shares out what the system gives a process. The egress ends when it has none left, so all connections that one owner's
 * cells can open at a time, also those that are about to be refused, must fit into it.
 */
export function shareDescriptors(options: {
  connections: number;
  connectionsPerOwner: number | undefined;
  cellsPerOwner: number;
  available?: number;
}): Descriptors {
  const egress = options.available ?? hardLimit();
  const most = Math.max(PER_CONNECTION, Math.floor((egress - SPARE) / PER_CONNECTION));
  const total = Math.min(options.connections, most);
  const perOwner = Math.min(total, options.connectionsPerOwner ?? Math.max(1, Math.floor(total / 4)));
  const left = egress - SPARE - (PER_CONNECTION - 1) * perOwner;
  const cell = Math.min(
    MOST_PER_CELL,
    Math.max(FEWEST_PER_CELL, Math.floor(left / options.cellsPerOwner)),
    egress,
  );
  return { egress, cell, connections: { total, perOwner } };
}

/** What the system lets a process of ours have at most. */
function hardLimit(): number {
  const limit = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return limit === undefined ? 1_048_576 : Number(limit);
}
