import {
  type Databases,
  DatabaseUnavailableError,
  openDatabaseFiles,
} from '../../runtime/databases/index.ts';
import { ArchiveError } from './archive/archive-error.ts';
import { type DatabaseSums, summing, sumUp } from './database-sums.ts';

/** A database, and its content at its source and at its target. */
export interface MovedDatabase {
  ownerId: number;
  id: number;
  before: DatabaseSums;
  after: DatabaseSums;
}

/** Running hosts of a cluster. Only they can write its databases. */
export interface ClusterDatabases {
  databases: Pick<Databases, 'fetch' | 'remove'>;
  /** The last line that the hosts printed. */
  lastLine(): string;
  stop(): Promise<void>;
}

/**
 * Copies databases from a folder into the cluster, one after the other, and reads each back. If one fails, the copies
 * are removed again.
 */
export async function moveDatabases(
  folder: string,
  wanted: Array<{ ownerId: number; id: number }>,
  cluster: ClusterDatabases,
  signal?: AbortSignal,
): Promise<MovedDatabase[]> {
  const databases: Hosts = {
    remove: (ownerId, id) => cluster.databases.remove(ownerId, id),
    fetch: (ownerId, id, path, init) =>
      cluster.databases.fetch(ownerId, id, path, { ...init, ...(signal && { signal }) }),
  };
  const files = await openDatabaseFiles(folder);
  const moved: MovedDatabase[] = [];
  const begun: Array<{ ownerId: number; id: number }> = [];
  const inOrder = [...wanted].sort((a, b) => a.ownerId - b.ownerId || a.id - b.id);
  try {
    for (const { ownerId, id } of inOrder) {
      await assertNothingThere(databases, ownerId, id);
      begun.push({ ownerId, id });
      const before = await load(databases, ownerId, id, await files.read(ownerId, id));
      const after = await sumUp(await ask(databases, ownerId, id, '/export-lines'));
      if (before.sha256 !== after.sha256)
        throw new ArchiveError(`Database ${id} has other content in the cluster than before.`);
      moved.push({ ownerId, id, before, after });
    }
    return moved;
  } catch (error) {
    for (const { ownerId, id } of begun) await databases.remove(ownerId, id).catch(() => undefined);
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    throw new ArchiveError(
      `The databases of the cluster do not respond. Their last line of output: ${cluster.lastLine() || error.message}`,
      { cause: error },
    );
  } finally {
    await files.stop();
  }
}

type Hosts = ClusterDatabases['databases'];

async function load(
  hosts: Hosts,
  ownerId: number,
  id: number,
  statements: ReadableStream<Uint8Array>,
): Promise<DatabaseSums> {
  let sums: DatabaseSums | undefined;
  const pass = summing(statements, (found) => {
    sums = found;
  });
  const answer = await ask(hosts, ownerId, id, '/import-lines', toStream(pass));
  const { success, error } = (await new Response(answer).json()) as { success: boolean; error?: string };
  if (!success || !sums) throw new ArchiveError(`Database ${id} cannot be put into the cluster: ${error}`);
  return sums;
}

/** Fails if a database of this name is left over from another installation: a bucket outlives a server. */
async function assertNothingThere(hosts: Hosts, ownerId: number, id: number): Promise<void> {
  const { tables } = await sumUp(await ask(hosts, ownerId, id, '/export-lines'));
  if (Object.keys(tables).length === 0) return;
  throw new ArchiveError(
    `The bucket has a database ${id} of another installation. Use an empty bucket, or empty this one.`,
  );
}

async function ask(
  hosts: Hosts,
  ownerId: number,
  id: number,
  path: string,
  body?: ReadableStream<Uint8Array>,
): Promise<ReadableStream<Uint8Array>> {
  const response = await hosts.fetch(ownerId, id, path, { method: 'POST', ...(body && { body }) });
  if (!response.body || (!response.ok && !body))
    throw new Error(`the host of database ${id} answered ${path} with ${response.status}`);
  return response.body;
}

function toStream(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(to) {
        const { done, value } = await pieces.next();
        if (done) to.close();
        else to.enqueue(value);
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
