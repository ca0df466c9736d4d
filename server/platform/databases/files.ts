import { join } from 'node:path';
import { randomSecret } from '../../lib/secrets.ts';
import { createRuntime } from '../workerd/index.ts';
import { askDatabase } from './ask.ts';
import { startDatabaseHost } from './local/host.ts';

/** Databases that lie in a folder as an archive brings them, and that nobody uses but who reads them. */
export interface DatabaseFiles {
  /** A database as statements, one a line; to be read before the next is asked for. */
  read(ownerId: number, databaseId: number): Promise<ReadableStream<Uint8Array>>;
  stop(): Promise<void>;
}

/** `folder` has a folder per owner. One process at a time reads them: there may be as many owners as there are users. */
export async function openDatabaseFiles(folder: string): Promise<DatabaseFiles> {
  const runtime = await createRuntime(folder, 'auto');
  let current: { ownerId: number; socket: string; key: string; end(): Promise<void> } | undefined;

  async function hostOf(ownerId: number): Promise<{ socket: string; key: string }> {
    if (current?.ownerId === ownerId) return current;
    await current?.end();
    const key = randomSecret();
    const { process, socket } = await startDatabaseHost({
      runtime,
      name: `files-${ownerId}`,
      user: runtime.sandbox.users?.next(),
      dataFolder: join(folder, String(ownerId)),
      key,
      limitBytes: 0,
      tempBytes: runtime.databaseTempBytes,
      onLine: () => undefined,
    });
    const end = async () => {
      process.kill();
      await process.exited;
    };
    current = { ownerId, socket, key, end };
    return current;
  }

  return {
    async read(ownerId, databaseId) {
      const response = await askDatabase(await hostOf(ownerId), databaseId, '/export-lines');
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
