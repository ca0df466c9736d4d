import { existsSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lendAdminToken } from '../accounts/index.ts';
import { startApp } from '../app.ts';
import { type ArchiveContents, ArchiveError, checkArchive } from '../backup/index.ts';
import { type Config, readConfig } from '../config.ts';
import { createLog } from '../http/index.ts';
import { FolderInUseError, lockDataFolder, startStorage } from '../storage/index.ts';
import { createProgress, sayCounts, sayMissing, saySize, summarize, watched } from './archive-report.ts';
import { CommandError, UsageError } from './usage.ts';

/** Something that gives an archive, and what is to be done when it was read. */
interface Source {
  stream: ReadableStream<Uint8Array>;
  close(): Promise<void>;
}

const USAGE = 'quire backup [file] [--json]';

/** `quire backup [file]`: takes everything into one archive, from the server that runs or without one. */
export async function backup(environment: Record<string, string | undefined>, args: string[]): Promise<void> {
  const { file, isJson } = readArgs(args);
  const config = readConfig(environment);
  if (!existsSync(config.dataFolder))
    throw new CommandError(`There is no data at ${config.dataFolder}. Set QUIRE_DATA as for the server.`);
  const target = toTarget(file);
  if (existsSync(target)) throw new CommandError(`${target} is there already. Give another name.`);
  process.umask(0o077);

  const progress = createProgress(!isJson);
  const { contents, bytes } = await untilLeft((signal) => write(config, target, progress, signal)).finally(
    progress.end,
  );
  const text = `Everything is in ${target} (${saySize(bytes)}): ${sayCounts(contents)}.${sayMissing(contents)}`;
  console.log(isJson ? JSON.stringify({ file: target, bytes, ...summarize(contents) }) : text);
}

function readArgs(args: string[]): { file: string | undefined; isJson: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { json: { type: 'boolean' } },
    });
    if (positionals.length <= 1) return { file: positionals[0], isJson: values.json === true };
  } catch {
    // Told below.
  }
  throw new UsageError(USAGE);
}

function toTarget(file: string | undefined): string {
  const time = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  const name = `quire-backup-${time}.tar.gz`;
  const path = resolve(file ?? name);
  const target = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, name) : path;
  if (!existsSync(dirname(target))) throw new CommandError(`There is no folder ${dirname(target)}.`);
  return target;
}

/** Writes the archive under another name, reading along whether it is whole, and only then calls it what it is. */
async function write(
  config: Config,
  target: string,
  progress: ReturnType<typeof createProgress>,
  signal: AbortSignal,
): Promise<{ contents: ArchiveContents; bytes: number }> {
  const temporary = `${target}.unfinished-${process.pid}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    const contents = await copy(config, handle, progress, signal);
    await handle.sync();
    await handle.close();
    await rename(temporary, target);
    await syncFolder(dirname(target));
    return { contents, bytes: progress.seen.bytes };
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}

async function copy(
  config: Config,
  handle: FileHandle,
  progress: ReturnType<typeof createProgress>,
  signal: AbortSignal,
): Promise<ArchiveContents> {
  const source = await openSource(config, signal);
  try {
    const see = async (piece: Uint8Array) => {
      for (let at = 0; at < piece.length; ) at += (await handle.write(piece, at)).bytesWritten;
      progress.bytes(piece.length);
    };
    return await checkArchive(watched(source.stream, see, signal), progress.entries);
  } catch (error) {
    if (signal.aborted) throw new CommandError('Stopped; nothing was kept.');
    if (!(error instanceof ArchiveError)) throw error;
    const full = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOSPC';
    throw new CommandError(
      full
        ? 'There is no room for the archive.'
        : `The backup was broken off; the server's log may say why. ${error.message}`,
    );
  } finally {
    await source.close();
  }
}

async function openSource(config: Config, signal: AbortSignal): Promise<Source> {
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
    if (!lent)
      throw new CommandError('There is no administrator yet. Make one first: quire user promote <username>.');
    return { stream: await ask(config, lent.token, signal), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ask(config: Config, token: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const address = `http://${loopback(config.hostname)}:${config.port}`;
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

/** An address of this machine at which a server that binds `hostname` answers. */
function loopback(hostname: string | undefined): string {
  if (hostname === undefined || hostname === '0.0.0.0') return '127.0.0.1';
  if (hostname === '::') return '[::1]';
  return hostname.includes(':') ? `[${hostname}]` : hostname;
}

/** Lets Ctrl-C and the like end the work so that nothing is left behind. */
async function untilLeft<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, leave);
  try {
    return await work(leaving.signal);
  } finally {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, leave);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
