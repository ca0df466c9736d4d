import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomSecret } from '../../lib/secrets.ts';
import type { Runtime } from '../workerd/index.ts';
import { askDatabase } from './ask.ts';
import { startDatabaseHost } from './local/host.ts';

/** Thrown when an owner, or everybody together, has enough exports under way. */
export class ExportsBusyError extends Error {}

/** Exports of databases. Each is read from a copy, in a process of its own, for as long as its reader takes. */
export interface DatabaseExports {
  /** Starts one; what it made goes when the stream has been read or left. */
  start(ownerId: number, databaseId: number): Promise<ReadableStream<Uint8Array>>;
  stop(): Promise<void>;
}

/** A copy takes room on disk, so there are few: one for each owner, and so many in all. */
const MAX_EXPORTS = 4;
/** A reader who has not read it all by then is let go. */
const EXPORT_MS = 15 * 60_000;

export function createDatabaseExports(options: {
  runtime: Runtime;
  /** Where copies are made. */
  folder: string;
  onLine(line: string): void;
  /** Copies a database, as it is at one moment, into a folder that is not there yet. */
  copy(ownerId: number, databaseId: number, to: string): Promise<void>;
}): DatabaseExports {
  const { runtime, folder } = options;
  const underWay = new Map<number, () => Promise<void>>();
  // What a killed server left.
  rmSync(folder, { recursive: true, force: true });

  async function start(ownerId: number, databaseId: number): Promise<ReadableStream<Uint8Array>> {
    if (underWay.has(ownerId) || underWay.size >= MAX_EXPORTS) throw new ExportsBusyError();
    const label = `export-${randomBytes(6).toString('hex')}`;
    const copy = join(folder, label);
    const key = randomSecret();
    let endProcess = async () => {};
    const end = once(async () => {
      try {
        await endProcess();
        await rm(copy, { recursive: true, force: true });
      } finally {
        underWay.delete(ownerId);
      }
    });
    underWay.set(ownerId, end);
    try {
      await options.copy(ownerId, databaseId, copy);
      const { process, socket } = await startDatabaseHost({
        runtime,
        name: label,
        user: runtime.sandbox.users?.next(),
        dataFolder: copy,
        key,
        limitBytes: 0,
        tempBytes: runtime.databaseTempBytes,
        onLine: options.onLine,
      });
      const deadline = setTimeout(() => process.kill(), EXPORT_MS);
      endProcess = async () => {
        clearTimeout(deadline);
        process.kill();
        await process.exited;
      };
      const response = await askDatabase({ socket, key }, databaseId, '/export');
      if (!response.ok || !response.body)
        throw new Error(`the database host answered an export with ${response.status}`);
      return endingWith(response.body, end);
    } catch (error) {
      await end();
      throw error;
    }
  }

  return {
    start,
    async stop() {
      await Promise.all([...underWay.values()].map((end) => end()));
    },
  };
}

/** The stream, and something to do when it is over, however it ends. */
function endingWith(
  stream: ReadableStream<Uint8Array>,
  end: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          await end();
          controller.close();
        } catch (error) {
          await end();
          controller.error(error);
        }
      },
      async cancel(reason) {
        await reader.cancel(reason).catch(() => undefined);
        await end();
      },
    },
    { highWaterMark: 0 },
  );
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
