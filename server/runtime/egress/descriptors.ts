import { readFileSync } from 'node:fs';

/** The descriptors that one connection needs in the egress: its lane, two ends to the proxy, and the destination. */
const PER_CONNECTION = 4;
/** Descriptors for the files of the process itself, unused lanes, and name resolution. */
const SPARE = 1_024;
const MOST_PER_CELL = 2_048;
const FEWEST_PER_CELL = 256;

/** How many descriptors the processes may have, and how many connections that allows. */
interface Descriptors {
  egress: number;
  cell: number;
  connections: { total: number; perOwner: number };
}

/**
 * Divides the descriptors that the system allows a process. The egress ends when it runs out of them, so it must have
 * enough for all connections that one owner's cells can open at a time, including those about to be refused.
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

/** The most descriptors that the system allows one of our processes. */
function hardLimit(): number {
  const limit = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return limit === undefined ? 1_048_576 : Number(limit);
}
