import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Destination } from './destination/destination.ts';
import {
  CATALOG,
  type CompleteGeneration,
  DATABASES,
  type DatabaseSegmentName,
  databaseName,
  type GenerationName,
  parseDatabaseSegment,
  parseGeneration,
  parseSegment,
  type SegmentName,
  segmentsPrefix,
} from './format/names.ts';
import { unseal } from './format/object.ts';
import { parseHeader } from './format/segment.ts';

/** The full copy at the start of a generation. */
const BaseCopy = z.object({
  kind: z.literal('generation'),
  pageBytes: z.int().min(512).max(65_536),
  /** The checksum of each piece of the database file. */
  pieces: z.array(z.string()),
  /** As it is stored. */
  bytes: z.int(),
});
export type BaseCopy = z.infer<typeof BaseCopy>;

/** Generations whose full copy is complete, in the order in which they were made. */
export async function listGenerations(destination: Destination): Promise<CompleteGeneration[]> {
  return (await destination.list(CATALOG)).flatMap((key) => parseGeneration(key) ?? []);
}

export async function readBaseCopy(destination: Destination, { key }: CompleteGeneration): Promise<BaseCopy> {
  return parseHeader(key, BaseCopy, unseal(key, await destination.get(key)).header);
}

/** What the first segment of a generation follows. */
export function sumPieces({ pieces }: BaseCopy): string {
  return createHash('sha256').update(pieces.join()).digest('hex');
}

export async function listSegments(
  destination: Destination,
  generation: GenerationName,
): Promise<SegmentName[]> {
  const keys = await destination.list(segmentsPrefix(generation));
  return keys.flatMap((key) => parseSegment(key) ?? []);
}

/** The segments of the databases of functions, by their names, in the order in which they were made. */
export async function listDatabases(destination: Destination): Promise<Map<string, DatabaseSegmentName[]>> {
  return groupSegments(await destination.list(DATABASES));
}

export function groupSegments(keys: string[]): Map<string, DatabaseSegmentName[]> {
  return Map.groupBy(
    keys.flatMap((key) => parseDatabaseSegment(key) ?? []),
    databaseName,
  );
}

/** The oldest and the newest time that can be restored; undefined if the replica is empty. */
export async function readSpan(
  destination: Destination,
): Promise<{ oldestAt: number; newestAt: number } | undefined> {
  const generations = await listGenerations(destination);
  const [first, last] = [generations[0], generations.at(-1)];
  if (!first || !last) return undefined;
  const newest = (await listSegments(destination, last)).at(-1);
  return { oldestAt: first.at, newestAt: newest?.at ?? last.at };
}

/**
 * The last of some things before a time, where a later time follows; `end` follows the last one. If the clock was set
 * back, there may be several, and the newest is the best.
 */
export function findAt<Item extends { at: number }>(
  items: Item[],
  time: number,
  end = Number.POSITIVE_INFINITY,
): Item | undefined {
  const fits = (item: Item, index: number) => item.at <= time && (items[index + 1]?.at ?? end) > time;
  return items.findLast(fits) ?? items.findLast(({ at }) => at <= time);
}
