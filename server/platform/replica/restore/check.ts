import { type Destination, WRITERS } from '../destination/destination.ts';
import { isPieceName, readContent } from '../format/content.ts';
import { FILES, SECRET } from '../format/names.ts';
import { DamagedError } from '../format/object.ts';
import { listGenerations, listSegments } from '../history.ts';
import { readWriter } from '../ship/claim.ts';
import { findLog, listDatabaseCopies } from './restore-database.ts';
import { walk } from './walk.ts';

/** What a check has read. */
export interface CheckedReplica {
  generations: number;
  files: number;
  /** Copies of databases of functions. */
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
  const databases = [...(await listDatabaseCopies(destination)).values()].flat();
  for (const copy of databases)
    await look(async () => {
      const log = await findLog(destination, copy);
      if (log !== undefined) await read(log);
      await read(copy.key);
    });
  if (await destination.get(SECRET)) await look(() => read(SECRET));
  if ((await readWriter(destination))?.writer === 'damaged')
    damage.push(`${WRITERS} does not say which server writes the replica`);
  return {
    generations: generations.length,
    files: files.length,
    databases: databases.length,
    damage,
  };
}

const nothing = () => undefined;
