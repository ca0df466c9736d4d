import { join } from 'node:path';
import { randomSecret } from '../lib/secrets.ts';
import { bundleWorker } from './bundle.ts';
import { askDatabase } from './database-ask.ts';
import { startDatabaseHost } from './database-host.ts';
import { createRuntime } from './runtime.ts';

/** Databases that lie in a folder as an archive brings them, and that nobody uses but who reads them. */
export interface DatabaseFiles {
  /** A database as statements, one a line; to be read before the next is asked for. */
  read(ownerId: number, databaseId: number): Promise<ReadableStream<Uint8Array>>;
  stop(): Promise<void>;
}

/** `folder` has a folder per owner. One process at a time reads them: there may be as many owners as there are users. */
export async function openDatabaseFiles(folder: string): Promise<DatabaseFiles> {
  const runtime = createRuntime(folder);
  const key = randomSecret();
  runtime.writeFile(
    join(runtime.folder, 'database-host.js'),
    await bundleWorker(join(import.meta.dir, 'database-host.worker.ts')),
  );
  let current: { ownerId: number; socket: string; end(): Promise<void> } | undefined;

  async function hostOf(ownerId: number): Promise<string> {
    if (current?.ownerId === ownerId) return current.socket;
    await current?.end();
    const { process, socket } = await startDatabaseHost({
      runtime,
      name: `files-${ownerId}`,
      dataFolder: join(folder, String(ownerId)),
      key,
      limitBytes: 0,
      onLine: () => undefined,
    });
    const end = async () => {
      process.kill();
      await process.exited;
    };
    current = { ownerId, socket, end };
    return socket;
  }

  return {
    async read(ownerId, databaseId) {
      const address = { socket: await hostOf(ownerId), key };
      const response = await askDatabase(address, databaseId, '/export-lines');
      if (!response.ok || !response.body)
        throw new Error(`database ${databaseId} cannot be read: its host answered with ${response.status}`);
      return response.body;
    },
    async stop() {
      await current?.end();
      runtime.stop();
    },
  };
}
