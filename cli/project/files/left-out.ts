import { dirname } from 'node:path';
import { count } from '../../terminal/amounts.ts';

/** A file or folder that is not sent, and why. The path of a folder ends with a slash; what is in it is not listed. */
export interface LeftOut {
  path: string;
  why: Reason;
}

export type Reason =
  | 'starts with a dot'
  | 'packages'
  | 'backup'
  | 'in .quireignore'
  | 'no function imports it'
  | typeof RECORDS;

export const RECORDS = 'records, only with --data';

/** The most names for one reason. With `--json`, all are there. */
const MAX_NAMES = 8;
/** If one folder has more files, only their number is shown. */
const MAX_IN_FOLDER = 3;

/** `.env, .git/ (starts with a dot); 12 files in img/ (in .quireignore)`; undefined if all files are sent. */
export function sayLeftOut(left: LeftOut[]): string | undefined {
  if (left.length === 0) return undefined;
  const byReason = Map.groupBy(left, ({ why }) => why);
  return [...byReason].map(([why, some]) => `${sayPaths(some.map(({ path }) => path))} (${why})`).join('; ');
}

function sayPaths(paths: string[]): string {
  const byFolder = Map.groupBy(paths, (path) => (path.endsWith('/') ? path : dirname(path)));
  const names = [...byFolder].flatMap(([folder, some]) =>
    some.length > MAX_IN_FOLDER && folder !== '.' ? [`${count(some.length, 'file')} in ${folder}/`] : some,
  );
  const more = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`${more.toLocaleString('en')} more`] : [])].join(
    ', ',
  );
}
