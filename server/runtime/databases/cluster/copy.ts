import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DATABASE_HEADERS,
  DATABASE_PATHS,
  type DatabaseLock,
  LAST_LINE,
} from '../../../../workers/protocol.ts';
import type { Runtime } from '../../workerd/index.ts';
import { shrinkLogs } from '../disk-use.ts';
import { databaseFile, NAMESPACE, toFileName } from '../folder.ts';
import { startTaskHost, type TaskHost } from '../host/process.ts';
import type { Send } from '../placement.ts';
import type { GrantBytes } from '../quota.ts';
import { UnreadableDatabaseError } from '../unreadable.ts';

interface Copying {
  runtime: Runtime;
  databaseId: number;
  /** Sends a request to the database, at any node. */
  send: Send;
  onLine(line: string): void;
}

const TRIES = 3;

/**
 * Copies a database of a cluster into files, as it is at one moment. Writers wait until it has been read. It may be at
 * another node, so it is sent as statements.
 */
export async function copyFromCluster(copying: Copying, to: string): Promise<void> {
  const folder = join(to, NAMESPACE);
  const lines = join(to, 'statements');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let tries = 1; ; tries++) {
    const { wasLocked, isRead } = await download(copying, lines);
    if (wasLocked && isRead) break;
    if (tries < TRIES) continue;
    // The database was available, but its content could not be read.
    if (wasLocked) throw new UnreadableDatabaseError(`database ${copying.databaseId} cannot be read`);
    throw new Error('the database could not be locked long enough to copy it');
  }
  await fill(copying, to, lines);
  await rm(lines);
  await shrinkLogs(to);
  for (const file of await readdir(folder))
    if (!/^[0-9a-f]{64}\.sqlite(-wal)?$/.test(file))
      await rm(join(folder, file), { recursive: true, force: true });
}

/** Writes the database's statements to a file. It is complete only if the database was locked all the time. */
async function download({ send, onLine }: Copying, file: string) {
  const { token } = (await required(await send(DATABASE_PATHS.lock)).json()) as DatabaseLock;
  let isRead = false;
  try {
    await Bun.write(file, required(await send(DATABASE_PATHS.exportLines)));
    isRead = true;
  } catch (error) {
    onLine(`a database could not be read: ${error}`);
  }
  const response = required(await send(DATABASE_PATHS.unlock, { body: JSON.stringify({ token }) }));
  const { wasLocked } = (await response.json()) as { wasLocked: boolean };
  return { wasLocked, isRead };
}

/**
 * Puts a file, or nothing, in place of a database of a cluster, in one transaction. It is sent as statements, which a
 * separate host reads, because owners have written them. Without a grant, the database asks the server of its node for one.
 */
export async function replaceInCluster(
  copying: Copying,
  { file, granted }: { file: string | undefined; granted: Awaited<ReturnType<GrantBytes>> | undefined },
  scratch: string,
): Promise<void> {
  const { databaseId, send } = copying;
  if (file === undefined) return assertReplaced(await send(DATABASE_PATHS.replaceLines, { body: LAST }));
  await mkdir(join(scratch, NAMESPACE), { recursive: true, mode: 0o700 });
  let host: TaskHost | undefined;
  try {
    await rename(file, databaseFile(scratch, toFileName(databaseId)));
    host = await startCopyHost(copying, scratch);
    const lines = required(await host.fetch(databaseId, DATABASE_PATHS.exportLines)).body;
    if (!lines) throw new Error('the database host answered without statements');
    const body = withLastLine(lines);
    const headers = typeof granted === 'number' ? { [DATABASE_HEADERS.granted]: String(granted) } : {};
    await assertReplaced(await send(DATABASE_PATHS.replaceLines, { body, headers }));
  } finally {
    await host?.stop();
    await rm(scratch, { recursive: true, force: true });
  }
}

const LAST = `${JSON.stringify(LAST_LINE)}\n`;

/** Adds what shows that the statements are complete. */
export function withLastLine(lines: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return lines.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      flush: (controller) => controller.enqueue(new TextEncoder().encode(LAST)),
    }),
  );
}

async function assertReplaced(response: Response): Promise<void> {
  if (response.ok) return;
  const { error } = (await response.json()) as { error?: string };
  throw new UnreadableDatabaseError(`the database could not be replaced: ${error}`);
}

function startCopyHost({ runtime, onLine }: Copying, dataFolder: string): Promise<TaskHost> {
  return startTaskHost({
    runtime,
    name: `copy-${randomBytes(6).toString('hex')}`,
    dataFolder,
    limitBytes: Number.POSITIVE_INFINITY,
    // An index as large as the database may have to be sorted. The owner has already paid for what is copied.
    tempBytes: undefined,
    onLine,
  });
}

/** Runs the statements at a separate host, because owners have written them. */
async function fill(copying: Copying, dataFolder: string, lines: string) {
  const host = await startCopyHost(copying, dataFolder);
  const { databaseId } = copying;
  try {
    const body = Bun.file(lines).stream();
    const response = await host.fetch(databaseId, DATABASE_PATHS.importLines, { body });
    if (response.ok) return;
    const { error } = (await response.json()) as { error?: string };
    throw new UnreadableDatabaseError(`the database could not be written again: ${error}`);
  } finally {
    await host.stop();
  }
}

function required(response: Response): Response {
  if (!response.ok) throw new Error(`the database host answered with ${response.status}`);
  return response;
}
