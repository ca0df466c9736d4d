import type { Destination } from '../destination/destination.ts';
import {
  type CompleteGeneration,
  type DatabaseSegmentName,
  GENERATIONS,
  type GenerationName,
  generationPrefix,
} from '../format/names.ts';
import { listGenerations } from '../history.ts';

/** How long every second can be restored. */
export const KEEP_MS = 7 * 24 * 3600 * 1000;

/** Generations that no time of the last seven days needs: a newer one was complete before. */
export function chooseGenerations(generations: CompleteGeneration[], now: number): CompleteGeneration[] {
  const needed = generations.findLastIndex(({ at }) => at <= now - KEEP_MS);
  return generations.slice(0, Math.max(0, needed));
}

/** Segments of one database in chains that no time of the last seven days needs: a newer one had begun before. */
export function chooseDatabaseSegments(segments: DatabaseSegmentName[], now: number): DatabaseSegmentName[] {
  const needed = segments.findLast(({ index, at }) => index === 0 && at <= now - KEEP_MS);
  return needed ? segments.filter(({ chain }) => chain < needed.chain) : [];
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

export async function removeBelow(destination: Destination, prefix: string): Promise<void> {
  for (const key of await destination.list(prefix)) await destination.delete(key);
}
