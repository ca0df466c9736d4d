import { existsSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Call } from '../../../cli/command.ts';
import { saySize } from '../../../cli/terminal/amounts.ts';
import { onInterrupt } from '../../../cli/terminal/interrupt.ts';
import { CommandError } from '../../../cli/usage.ts';
import { syncFolder } from '../../lib/sync-folder.ts';
import { type Config, readConfig } from '../../platform/config/index.ts';
import {
  type ArchiveContents,
  ArchiveError,
  checkArchive,
  createEncrypt,
} from '../../product/backup/index.ts';
import { type DataLocations, describeLocations } from './data-locations.ts';
import { encryptTo } from './encrypt-to.ts';
import { createTally, sayCounts, sayMissing, summarize, watched } from './report.ts';
import { openSource } from './source.ts';

interface Copying {
  tally: ReturnType<typeof createTally>;
  /** Called when the source of the data is known, before it is read. */
  onLocated(locations: DataLocations): void;
  signal: AbortSignal;
}

/** `quire backup [file]`: writes everything to one archive, with or without a running server. */
export async function backup({ args: [file], environment, out }: Call): Promise<void> {
  const config = readConfig(environment);
  if (!existsSync(config.dataFolder))
    throw new CommandError(
      `${config.dataFolder} does not exist. Set QUIRE_DATA to the data folder of the server.`,
    );
  const { recipients } = config.backups;
  const target = toTarget(file, recipients.length > 0);
  if (existsSync(target)) throw new CommandError(`${target} already exists. Choose another name.`);
  process.umask(0o077);

  const tally = createTally(out, 'Backing up');
  let from: DataLocations | undefined;
  const onLocated = (locations: DataLocations) => {
    from = locations;
    if (!out.isJson) out.note(`Backing up ${describeLocations(locations)} to ${target}`);
  };
  const contents = await onInterrupt((signal) => write(config, target, { tally, onLocated, signal })).finally(
    tally.end,
  );
  const bytes = tally.bytes();
  const text = `Backed up to ${target} (${saySize(bytes)}): ${sayCounts(contents)}.${sayMissing(contents)}`;
  out.result({ file: target, bytes, from, ...summarize(contents) }, text);
}

function toTarget(file: string | undefined, isEncrypted: boolean): string {
  const time = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  const name = `quire-backup-${time}.tar.gz${isEncrypted ? '.age' : ''}`;
  const path = resolve(file ?? name);
  const target = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, name) : path;
  if (!existsSync(dirname(target))) throw new CommandError(`The folder ${dirname(target)} does not exist.`);
  return target;
}

/** Writes the archive to a temporary name, checks it while it writes, and renames it when it is complete. */
async function write(config: Config, target: string, copying: Copying): Promise<ArchiveContents> {
  const temporary = `${target}.unfinished-${process.pid}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    const contents = await copy(config, handle, copying);
    await handle.sync();
    await handle.close();
    await rename(temporary, target);
    await syncFolder(dirname(target));
    return contents;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}

async function copy(
  config: Config,
  handle: FileHandle,
  { tally, onLocated, signal }: Copying,
): Promise<ArchiveContents> {
  const source = await openSource(config, signal);
  try {
    onLocated(source.locations);
    const write = async (piece: Uint8Array) => {
      for (let at = 0; at < piece.length; ) at += (await handle.write(piece, at)).bytesWritten;
      tally.addBytes(piece.length);
    };
    const encrypt = await createEncrypt(config.backups.recipients);
    const sink = encrypt ? await encryptTo(encrypt, write) : { write, end: async () => undefined };
    // Checks what the server sent. Only the copy that is written is encrypted.
    const stream = watched(source.stream, sink.write, signal);
    const contents = await checkArchive(stream, tally.setEntries, { isNew: true });
    await sink.end();
    return contents;
  } catch (error) {
    if (signal.aborted) throw new CommandError('Stopped. No file was written.');
    if (!(error instanceof ArchiveError)) throw error;
    const full = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOSPC';
    throw new CommandError(
      full
        ? 'The disk is full: there is not enough space for the archive.'
        : `The backup was interrupted. Check the server's log. ${error.message}`,
    );
  } finally {
    await source.close();
  }
}
