import { type Destination, WRITERS } from '../destination/destination.ts';
import { isPieceName, readContent } from '../format/content.ts';
import { FILES, SECRET } from '../format/names.ts';
import { DamagedError } from '../format/object.ts';
import { listDatabases, listGenerations, listSegments } from '../history.ts';
import { readWriter } from '../ship/claim.ts';
import { walkChain } from './restore-database.ts';
import { walk } from './walk.ts';

/** What a check has read. */
export interface CheckedReplica {
  generations: number;
  files: number;
  /** Databases of functions, also those that were deleted and can still be restored. */
  databases: number;
  /** What is wrong, one sentence for each damaged part. */
  damage: string[];
}

/** Reads everything that a replica has, and compares every checksum. Writes nothing. */
export async function checkReplica(
  destination: Destination,
  onProgress?: (done: number) => void,
): Promise<CheckedReplica> {
  const damage: string[] = [];
  let done = 0;
  const look = async (work: () => Promise<unknown>) => {
    await work().catch((error: unknown) => {
      if (!(error instanceof DamagedError)) throw error;
      damage.push(error.message);
    });
    onProgress?.(++done);
  };
  const read = async (key: string) => {
    for await (const _ of readContent(destination, key));
  };
  const generations = await listGenerations(destination);
  for (const generation of generations)
    await look(async () => {
      const segments = await listSegments(destination, generation);
      if (segments.length === 0) throw new DamagedError(`${generation.name} has no segments`);
      await walk(destination, { generation, segments, at: 0 }, { base: nothing, page: nothing });
    });
  const files = (await destination.list(FILES)).filter((key) => !isPieceName(key));
  for (const key of files) await look(() => read(key));
  const databases = await listDatabases(destination);
  for (const segments of databases.values())
    for (const chain of Map.groupBy(segments, (each) => each.chain).values())
      await look(() => walkChain(destination, chain, { page: nothing, end: nothing }));
  if (await destination.get(SECRET)) await look(() => read(SECRET));
  if ((await readWriter(destination))?.writer === 'damaged')
    damage.push(`${WRITERS} does not say which server writes the replica`);
  return {
    generations: generations.length,
    files: files.length,
    databases: databases.size,
    damage,
  };
}

const nothing = () => undefined;
