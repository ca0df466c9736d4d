import { startApp } from '../../app.ts';
import type { Config } from '../../platform/config/index.ts';
import { createLog } from '../../platform/http/index.ts';
import { FolderInUseError, lockDataFolder } from '../../platform/storage/index.ts';
import { askControl } from './control.ts';
import { assertDatabase, assertSameLocations, type DataLocations, locateData } from './data-locations.ts';

/** A stream of an archive, and how to close it. */
export interface Source {
  stream: ReadableStream<Uint8Array>;
  /** Where the archive's data comes from. */
  locations: DataLocations;
  close(): Promise<void>;
}

/** Gets the archive from the running server; without one, starts the service to make it. */
export async function openSource(config: Config, signal: AbortSignal): Promise<Source> {
  const lock = tryLock(config.dataFolder);
  if (lock) return fromFolder(config, lock);
  const own = locateData(config);
  const { stream, locations = own } = await askControl(config.dataFolder, signal);
  try {
    assertSameLocations(locations, own);
  } catch (error) {
    await stream.cancel();
    throw error;
  }
  return { stream, locations, close: async () => undefined };
}

function tryLock(folder: string): { release(): void } | undefined {
  try {
    return lockDataFolder(folder);
  } catch (error) {
    if (error instanceof FolderInUseError) return undefined;
    throw error;
  }
}

/** Starts the service without an HTTP server. */
async function fromFolder(config: Config, lock: { release(): void }): Promise<Source> {
  try {
    assertDatabase(config);
    const log = createLog(config.logLevel === 'silent' ? 'silent' : 'error', process.stderr);
    const app = await startApp({ config, log });
    const close = () => app.stop().finally(lock.release);
    return { stream: app.backUp(), locations: locateData(config), close };
  } catch (error) {
    lock.release();
    throw error;
  }
}
