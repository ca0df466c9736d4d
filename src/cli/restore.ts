import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ArchiveError, checkArchive, restoreArchive } from '../backup/index.ts';
import { readConfig } from '../config.ts';
import { createProgress, sayCounts, sayMissing, summarize, watched } from './archive-report.ts';
import { untilLeft } from './until-left.ts';
import { CommandError, UsageError } from './usage.ts';

const USAGE = 'quire restore <file> [--check] [--json]';

/** `quire restore <file>`: puts an archive into an empty data folder, or says whether it could. */
export async function restore(
  environment: Record<string, string | undefined>,
  args: string[],
): Promise<void> {
  const { file, isCheck, isJson } = readArgs(args);
  if (!existsSync(file)) throw new CommandError(`There is no file ${file}.`);
  process.umask(0o077);
  const config = isCheck ? undefined : readConfig(environment);
  const progress = createProgress(!isJson);
  const contents = await untilLeft(async (signal) => {
    const stream = watched(Bun.file(file).stream(), (piece) => progress.bytes(piece.length), signal);
    const reading = config
      ? restoreArchive(stream, config, progress.entries)
      : checkArchive(stream, progress.entries);
    return reading.catch((error: unknown) => {
      if (signal.aborted) throw new CommandError('Stopped; nothing was kept.');
      throw error instanceof ArchiveError ? new CommandError(error.message) : error;
    });
  }).finally(progress.end);
  if (isJson) {
    console.log(
      JSON.stringify({ file, ...(config && { dataFolder: config.dataFolder }), ...summarize(contents) }),
    );
    return;
  }
  const done = config ? `Restored into ${config.dataFolder}` : `${file} is whole`;
  console.log(`${done}: ${sayCounts(contents)}.${sayMissing(contents)}`);
}

function readArgs(args: string[]): { file: string; isCheck: boolean; isJson: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { check: { type: 'boolean' }, json: { type: 'boolean' } },
    });
    const [file, more] = positionals;
    if (file && more === undefined)
      return { file, isCheck: values.check === true, isJson: values.json === true };
  } catch {
    // Told below.
  }
  throw new UsageError(USAGE);
}
