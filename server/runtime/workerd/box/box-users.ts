import { readFileSync } from 'node:fs';

/** The user that a box runs as, when the server is root. */
export interface BoxUser {
  /** The id of the user, and of its own group. */
  id: number;
  /** Groups of other boxes, whose sockets it may connect to. */
  groups: number[];
}

/**
 * User ids for boxes. Each box has its own id, so that a box cannot signal or trace another one or read its files, even
 * without namespaces.
 */
export interface BoxUsers {
  egress: BoxUser;
  /** The group of the database hosts that may ask the server for more quota. */
  grantsGroup: number;
  /** The user of a database host. It never changes, because this user owns the database files. */
  databaseHost(number: number): BoxUser;
  /** Returns a user that no other running box has. */
  next(groups?: number[]): BoxUser;
}

interface Range {
  first: number;
  count: number;
}

/**
 * Ids that no other program assigns: above those of people, services, containers (up to 1,879,048,191) and subordinate
 * users, and below the signed 32-bit limit. The second range is for containers that have only 65,536 ids.
 */
const RANGES: Range[] = [
  { first: 1_900_000_000, count: 65_536 },
  { first: 60_706, count: 478 },
];
/** The first ids of a range, for the boxes that exist only once. */
const SINGLE = 16;

/** Creates the ids of boxes. Undefined if every range is in use or not mapped on this machine. */
export function createBoxUsers(): BoxUsers | undefined {
  const range = RANGES.find((one) => isMapped(one) && !isTaken(one));
  if (!range) return undefined;
  const { first } = range;
  const perKind = Math.floor((range.count - SINGLE) / 2);
  const hosts = first + SINGLE;
  const others = hosts + perKind;
  // Starts at a random id, because another server on this machine may use the same range.
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

/** True if this user namespace maps the ids. */
function isMapped({ first, count }: Range): boolean {
  return ['uid_map', 'gid_map'].every((map) =>
    readLines(`/proc/self/${map}`).some((line) => {
      const [inside = 0, , length = 0] = line.trim().split(/\s+/).map(Number);
      return inside <= first && first + count <= inside + length;
    }),
  );
}

/** True if a user or a group already has one of the ids. */
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
