import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_PATHS } from '../../../workers/protocol.ts';
import type { Runtime } from '../workerd/index.ts';
import { startTaskHost } from './host/process.ts';

/** Thrown if too many exports are running, of this owner or of all owners together. */
export class ExportsBusyError extends Error {}

/** A copy takes disk space, so there are few: one for each owner, and this many in all. */
const MAX_EXPORTS = 4;
/** A reader who is slower than this is disconnected. */
const EXPORT_MS = 15 * 60_000;

/** Exports of databases. Each is read from a copy in a separate process, for as long as its reader needs. */
export class DatabaseExports {
  /** What ends the running export of an owner. */
  private readonly running = new Map<number, () => Promise<void>>();

  constructor(
    private readonly options: {
      runtime: Runtime;
      /** Where copies are made. */
      folder: string;
      onLine(line: string): void;
      /** Copies a database as it is at one moment, into a folder that does not exist yet. */
      copy(ownerId: number, databaseId: number, to: string): Promise<void>;
    },
  ) {
    // A server that was killed may have left copies.
    rmSync(options.folder, { recursive: true, force: true });
  }

  /** Starts an export. Its copy is removed when the stream has been read or cancelled. */
  async start(ownerId: number, databaseId: number): Promise<ReadableStream<Uint8Array>> {
    if (this.running.has(ownerId) || this.running.size >= MAX_EXPORTS) throw new ExportsBusyError();
    const name = `export-${randomBytes(6).toString('hex')}`;
    const copy = join(this.options.folder, name);
    let stopHost = async () => {};
    const end = once(async () => {
      try {
        await stopHost();
        await rm(copy, { recursive: true, force: true });
      } finally {
        this.running.delete(ownerId);
      }
    });
    this.running.set(ownerId, end);
    try {
      await this.options.copy(ownerId, databaseId, copy);
      const host = await this.startHost(name, copy);
      stopHost = host.stop;
      const response = await host.fetch(databaseId, DATABASE_PATHS.export);
      if (!response.ok || !response.body)
        throw new Error(`the database host answered an export with ${response.status}`);
      return endingWith(response.body, end);
    } catch (error) {
      await end();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running.values()].map((end) => end()));
  }

  private async startHost(name: string, dataFolder: string) {
    const { runtime, onLine } = this.options;
    const tempBytes = runtime.databaseTempBytes;
    const host = await startTaskHost({ runtime, name, dataFolder, limitBytes: 0, tempBytes, onLine });
    const deadline = setTimeout(host.kill, EXPORT_MS);
    return {
      fetch: host.fetch,
      async stop() {
        clearTimeout(deadline);
        await host.stop();
      },
    };
  }
}

/** Passes a stream on, and does what has to be done when it is over, however it ends. */
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
