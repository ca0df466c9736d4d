import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomSecret } from '../../../lib/secrets.ts';
import type { Runtime } from '../../workerd/index.ts';
import { askDatabase } from '../ask.ts';
import { NAMESPACE } from '../folder.ts';
import { shrinkLogs, startDatabaseHost } from '../local/host.ts';

interface Copying {
  runtime: Runtime;
  databaseId: number;
  /** Asks the database, wherever it is. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  onLine(line: string): void;
}

/** Thrown when a database is there, but what is in it cannot be read out, or not be made again: owners write schemas. */
export class UnreadableDatabaseError extends Error {}

const TRIES = 3;

/**
 * Copies a database of a cluster into files, as it is at one moment: those who write wait until it has been read. It may
 * be at another node, so it travels as statements.
 */
export async function copyFromCluster(copying: Copying, to: string): Promise<void> {
  const folder = join(to, NAMESPACE);
  const lines = join(to, 'statements');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let tries = 1; ; tries++) {
    const { isHeld, isRead } = await download(copying, lines);
    if (isHeld && isRead) break;
    if (tries < TRIES) continue;
    // It was there all the while, and did not tell what it has.
    if (isHeld) throw new UnreadableDatabaseError(`database ${copying.databaseId} cannot be read out`);
    throw new Error('the database could not be held for long enough to copy it');
  }
  await fill(copying, to, lines);
  await rm(lines);
  await shrinkLogs(to);
  for (const file of await readdir(folder))
    if (!/^[0-9a-f]{64}\.sqlite(-wal)?$/.test(file))
      await rm(join(folder, file), { recursive: true, force: true });
}

/** Writes the database's statements into a file; it is not whole when somebody may have written meanwhile. */
async function download({ ask, onLine }: Copying, file: string) {
  const { token } = (await required(await ask('/lock')).json()) as { token: string };
  let isRead = false;
  try {
    await Bun.write(file, required(await ask('/export-lines')));
    isRead = true;
  } catch (error) {
    onLine(`a database could not be read: ${error}`);
  }
  const released = required(await ask('/unlock', { body: JSON.stringify({ token }) }));
  const { wasLocked: isHeld } = (await released.json()) as { wasLocked: boolean };
  return { isHeld, isRead };
}

/** Runs the statements, at a host for them alone: owners have written them. */
async function fill({ runtime, databaseId, onLine }: Copying, dataFolder: string, lines: string) {
  const name = `copy-${randomBytes(6).toString('hex')}`;
  const key = randomSecret();
  const limitBytes = Number.POSITIVE_INFINITY;
  const user = runtime.sandbox.users?.next();
  const { process, socket } = await startDatabaseHost({
    runtime,
    name,
    user,
    dataFolder,
    key,
    limitBytes,
    // An index as large as the database may have to be sorted; what is copied has paid for itself.
    tempBytes: undefined,
    onLine,
  });
  try {
    const body = Bun.file(lines).stream();
    const response = await askDatabase({ socket, key }, databaseId, '/import-lines', { body });
    if (response.ok) return;
    const { error } = (await response.json()) as { error?: string };
    throw new UnreadableDatabaseError(`the database could not be filled: ${error}`);
  } finally {
    process.kill();
    await process.exited;
    await rm(dirname(socket), { recursive: true, force: true });
  }
}

function required(response: Response): Response {
  if (!response.ok) throw new Error(`the database host answered with ${response.status}`);
  return response;
}
