import { rm } from 'node:fs/promises';
import type { Destination } from '../destination/destination.ts';
import { readFacts } from '../format/content.ts';
import { DATABASES, type DatabaseCopyName, parseDatabaseCopy } from '../format/names.ts';
import { DamagedError } from '../format/object.ts';
import { findAt } from '../history.ts';
import { writeContent } from './write-content.ts';

/** All copies of the databases of functions, by the names of their files. */
export async function listDatabaseCopies(destination: Destination): Promise<Map<string, DatabaseCopyName[]>> {
  const copies = (await destination.list(DATABASES)).flatMap((key) => parseDatabaseCopy(key) ?? []);
  return Map.groupBy(copies, ({ file }) => file);
}

/**
 * Writes the last whole copy of a database before a time. It is `isOlder` if a later one is damaged. Undefined if there
 * is none.
 */
export async function restoreDatabase(
  destination: Destination,
  copies: DatabaseCopyName[],
  time: number,
  to: string,
): Promise<{ at: number; isOlder: boolean } | undefined> {
  let isOlder = false;
  let left = copies;
  for (;;) {
    const copy = findAt(left, time);
    if (!copy) return undefined;
    try {
      const log = await findLog(destination, copy);
      if (log !== undefined) await writeContent(destination, log, `${to}-wal`);
      await writeContent(destination, copy.key, to);
      return { at: copy.at, isOlder };
    } catch (error) {
      // A log belongs to its own database only.
      await rm(`${to}-wal`, { force: true });
      if (!(error instanceof DamagedError)) throw error;
      isOlder = true;
      left = left.slice(0, left.indexOf(copy));
    }
  }
}

/** The name of a copy's log. A copy says whether it has one, except those that earlier versions of Quire made. */
export async function findLog(
  destination: Destination,
  { key }: DatabaseCopyName,
): Promise<string | undefined> {
  const log = `${key}-wal`;
  const { hasLog } = await readFacts(destination, key);
  return (hasLog ?? (await destination.get(log)) !== undefined) ? log : undefined;
}
