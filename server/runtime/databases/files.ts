import { join } from 'node:path';
import { DATABASE_PATHS } from '../../../workers/protocol.ts';
import { createRuntime, type Runtime } from '../workerd/index.ts';
import { startTaskHost, type TaskHost } from './host/process.ts';

/** `folder` has a folder per owner, as an archive has it. Nobody else uses the files. */
export async function openDatabaseFiles(folder: string): Promise<DatabaseFiles> {
  return new DatabaseFiles(folder, await createRuntime(folder, 'auto'));
}

/** Reads databases from files. One process at a time does so: there may be as many owners as there are users. */
class DatabaseFiles {
  private current: { ownerId: number; host: TaskHost } | undefined;

  constructor(
    private readonly folder: string,
    private readonly runtime: Runtime,
  ) {}

  /** A database as statements, one a line. Read it to its end before the next one. */
  async read(ownerId: number, databaseId: number): Promise<ReadableStream<Uint8Array>> {
    const host = await this.openHost(ownerId);
    const response = await host.fetch(databaseId, DATABASE_PATHS.exportLines);
    if (!response.ok || !response.body)
      throw new Error(`database ${databaseId} cannot be read: its host answered with ${response.status}`);
    return response.body;
  }

  async stop(): Promise<void> {
    await this.current?.host.stop();
    this.runtime.stop();
  }

  private async openHost(ownerId: number): Promise<TaskHost> {
    if (this.current?.ownerId === ownerId) return this.current.host;
    await this.current?.host.stop();
    this.current = undefined;
    const { runtime, folder } = this;
    const host = await startTaskHost({
      runtime,
      name: `files-${ownerId}`,
      dataFolder: join(folder, String(ownerId)),
      limitBytes: 0,
      tempBytes: runtime.databaseTempBytes,
      onLine: () => undefined,
    });
    this.current = { ownerId, host };
    return host;
  }
}
