import { readFileSync } from 'node:fs';

/** The user that a box runs as, when the server is root. */
export interface BoxUser {
  /** Also the number of its own group. */
  id: number;
  /** Groups of other boxes, whose sockets it may connect to. */
  groups: number[];
}

/**
 * User ids for boxes. Each box has its own, so that one can neither signal nor trace another, nor read its files,
 * even where there are no namespaces to keep them apart.
 */
export interface BoxUsers {
  egress: BoxUser;
  /** The group of database hosts that may ask the server for room. */
  grantsGroup: number;
  /** The user of a database host: always the same, because the files of its databases are its own. */
  databaseHost(number: number): BoxUser;
  /** A user that no other running box has. */
  next(groups?: number[]): BoxUser;
}

interface Range {
  first: number;
  count: number;
}

/**
 * Ids that nothing else hands out: above those of people, services, containers (up to 1,879,048,191) and subordinate
 * users, below where signed 32-bit numbers end. The second range is for containers that have only 65,536 ids.
 */
const RANGES: Range[] = [
  { first: 1_900_000_000, count: 65_536 },
  { first: 60_706, count: 478 },
];
/** At the beginning of a range, for boxes of which there is only one. */
const SINGLE = 16;

/** Undefined when every range is in use or out of reach here. */
export function createBoxUsers(): BoxUsers | undefined {
  const range = RANGES.find((one) => isMapped(one) && !isTaken(one));
  if (!range) return undefined;
  const { first } = range;
  const perKind = Math.floor((range.count - SINGLE) / 2);
  const hosts = first + SINGLE;
  const others = hosts + perKind;
  // Not from the start: another server on this machine may count there.
  let last = Math.floor(Math.random() * perKind);
  return {
    egress: { id: first, groups: [] },
    grantsGroup: first + 1,
    databaseHost: (number) => ({ id: hosts + (number % perKind), groups: [] }),
    next(groups = []) {
      last = (last + 1) % perKind;
      return { id: others + last, groups };
    },
  };
}

/** Whether this user namespace has the ids. */
function isMapped({ first, count }: Range): boolean {
  return ['uid_map', 'gid_map'].every((map) =>
    readLines(`/proc/self/${map}`).some((line) => {
      const [inside = 0, , length = 0] = line.trim().split(/\s+/).map(Number);
      return inside <= first && first + count <= inside + length;
    }),
  );
}

/** Whether somebody has one of the ids as a user or a group. */
function isTaken({ first, count }: Range): boolean {
  return ['/etc/passwd', '/etc/group'].some((file) =>
    readLines(file).some((line) => {
      const id = Number(line.split(':')[2]);
      return id >= first && id < first + count;
    }),
  );
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
