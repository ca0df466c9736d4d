import type { Destination } from '../destination/destination.ts';
import { deleteContent } from '../format/content.ts';
import {
  type CompleteGeneration,
  DATABASES,
  type DatabaseCopyName,
  GENERATIONS,
  type GenerationName,
  generationPrefix,
  parseDatabaseCopy,
} from '../format/names.ts';
import { listGenerations } from '../history.ts';

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** How long every second can be restored. */
export const KEEP_MS = 7 * DAY_MS;

/** Generations that no time of the last seven days needs: a newer one was complete before. */
export function chooseGenerations(generations: CompleteGeneration[], now: number): CompleteGeneration[] {
  const needed = generations.findLastIndex(({ at }) => at <= now - KEEP_MS);
  return generations.slice(0, Math.max(0, needed));
}

/**
 * Copies of one database that are no longer needed: of the last hour all are kept, of the last day one an hour, of
 * seven days one a day, and one that is older.
 */
export function chooseDatabaseCopies(copies: DatabaseCopyName[], now: number): DatabaseCopyName[] {
  const newestFirst = [...copies].sort((a, b) => b.at - a.at);
  const seen = new Set<string>();
  return newestFirst.filter(({ at }, index) => {
    const age = now - at;
    if (index === 0 || age < HOUR_MS) return false;
    const [span, step] =
      age < DAY_MS ? ['hour', HOUR_MS] : age < KEEP_MS ? ['day', DAY_MS] : ['older', Infinity];
    const slot = `${span} ${step === Infinity ? 0 : Math.floor(at / step)}`;
    if (seen.has(slot)) return true;
    seen.add(slot);
    return false;
  });
}

/** Removes what is too old. The entry in the catalog goes first, so that nobody restores half of a generation. */
export async function purge(
  destination: Destination,
  now: number,
  options: { current: GenerationName | undefined; isStopping: () => boolean },
): Promise<void> {
  const generations = await listGenerations(destination);
  for (const generation of chooseGenerations(generations, now)) {
    if (options.isStopping() || generation.name === options.current?.name) return;
    await destination.delete(generation.key);
    await removeBelow(destination, generationPrefix(generation));
  }
  await purgeDatabases(destination, now, options.isStopping);
}

/** Removes what is left of full copies that were never completed. */
export async function removeUnfinished(destination: Destination, inUse: () => string[]): Promise<void> {
  const keys = await destination.list(GENERATIONS);
  const complete = (await listGenerations(destination)).map(({ name }) => name);
  const known = new Set([...complete, ...inUse()]);
  for (const key of keys) {
    const name = key.split('/')[1] ?? '';
    if (!known.has(name)) await destination.delete(key);
  }
}

async function purgeDatabases(
  destination: Destination,
  now: number,
  isStopping: () => boolean,
): Promise<void> {
  const keys = await destination.list(DATABASES);
  const copies = keys.flatMap((key) => parseDatabaseCopy(key) ?? []);
  for (const some of Map.groupBy(copies, ({ file }) => file).values())
    for (const { key } of chooseDatabaseCopies(some, now)) {
      if (isStopping()) return;
      await deleteContent(destination, key, keys);
      await deleteContent(destination, `${key}-wal`, keys);
    }
}

export async function removeBelow(destination: Destination, prefix: string): Promise<void> {
  for (const key of await destination.list(prefix)) await destination.delete(key);
}
