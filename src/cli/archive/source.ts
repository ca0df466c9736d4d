import { lendAdminToken } from '../../accounts/index.ts';
import { startApp } from '../../app.ts';
import type { Config } from '../../config.ts';
import { createLog } from '../../http/index.ts';
import { FolderInUseError, lockDataFolder, startStorage } from '../../storage/index.ts';
import { ownAddress } from '../own-address.ts';
import { CommandError } from '../usage.ts';

/** Something that gives an archive, and what is to be done when it was read. */
export interface Source {
  stream: ReadableStream<Uint8Array>;
  close(): Promise<void>;
}

/** Asks the server that runs on the folder; where none does, the service itself. */
export async function openSource(config: Config, signal: AbortSignal): Promise<Source> {
  const lock = tryLock(config.dataFolder);
  return lock ? fromFolder(config, lock) : fromServer(config, signal);
}

function tryLock(folder: string): { release(): void } | undefined {
  try {
    return lockDataFolder(folder);
  } catch (error) {
    if (error instanceof FolderInUseError) return undefined;
    throw error;
  }
}

/** No server runs: the service itself, without a door. */
async function fromFolder(config: Config, lock: { release(): void }): Promise<Source> {
  try {
    const log = createLog(config.logLevel === 'silent' ? 'silent' : 'error', process.stderr);
    const app = await startApp({ config, log });
    const close = () => app.stop().finally(lock.release);
    return { stream: app.backUp(), close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The server that holds the folder makes it; what it needs to know of us is put into its database. */
async function fromServer(config: Config, signal: AbortSignal): Promise<Source> {
  const storage = await startStorage({ ...config, migrateTo: 'as they are' });
  const lent = await lendAdminToken(storage.db, Date.now());
  const close = async () => {
    await lent?.giveBack();
    await storage.stop();
  };
  try {
    if (!lent) throw new CommandError('There is nothing to back up yet: nobody has an account.');
    return { stream: await ask(config, lent.token, signal), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ask(config: Config, token: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const address = ownAddress(config);
  const settings =
    'Give this command the same settings as the server, above all PORT, QUIRE_HOST and QUIRE_DATA.';
  const response = await fetch(`${address}/api/admin/backup`, {
    headers: { authorization: `Bearer ${token}` },
    redirect: 'manual',
    signal,
    // A large backup takes as long as it takes.
    timeout: false,
  } as RequestInit).catch(() => {
    throw new CommandError(
      `A server holds ${config.dataFolder} but does not answer at ${address}. ${settings}`,
    );
  });
  if (response.ok && response.body) return response.body as ReadableStream<Uint8Array>;
  if (response.status === 401)
    throw new CommandError(`The server at ${address} is not the one of ${config.dataFolder}. ${settings}`);
  const body = (await response.json().catch(() => ({}))) as { error?: string };
  throw new CommandError(body.error ?? `The server at ${address} answered with status ${response.status}.`);
}
