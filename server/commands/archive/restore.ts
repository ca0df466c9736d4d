import { statSync } from 'node:fs';
import type { Call } from '../../../cli/command.ts';
import { onInterrupt } from '../../../cli/terminal/interrupt.ts';
import { CommandError, EXIT } from '../../../cli/usage.ts';
import { readConfig } from '../../platform/config/index.ts';
import { ArchiveError, checkArchive, restoreArchive } from '../../product/backup/index.ts';
import { createJoinCluster } from './cluster.ts';
import { assertFits, describeLocations, locateData } from './data-locations.ts';
import { createTally, sayCounts, sayMissing, summarize, watched } from './report.ts';

/** `quire restore <file>`: restores an archive into an empty data folder, or only checks it. */
export async function restore({ args: [file = ''], flag, environment, out }: Call): Promise<void> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new CommandError(`${file} does not exist.`, EXIT.notFound);
  if (found.isDirectory()) throw new CommandError(`${file} is a folder. Name an archive.`);
  process.umask(0o077);
  const config = flag('check') ? undefined : readConfig(environment);
  const into = config && locateData(config);
  if (into && !out.isJson) out.note(`Restoring ${file} into ${describeLocations(into)}`);
  const tally = createTally(out, config ? 'Restoring' : 'Checking');
  const contents = await onInterrupt(async (signal) => {
    const stream = watched(Bun.file(file).stream(), (piece) => tally.addBytes(piece.length), signal);
    const reading = config
      ? restoreArchive(stream, config, {
          onEntry: tally.setEntries,
          onManifest: (manifest) => into && !flag('move') && assertFits(manifest, into),
          joinCluster: createJoinCluster(config),
          signal,
        })
      : checkArchive(stream, tally.setEntries);
    return reading.catch((error: unknown) => {
      if (signal.aborted) throw new CommandError('Stopped. Nothing was restored.');
      throw error instanceof ArchiveError ? new CommandError(error.message) : error;
    });
  }).finally(tally.end);
  const done = config ? `Restored into ${config.dataFolder}` : `${file} is complete`;
  out.result(
    { file, ...(config && { dataFolder: config.dataFolder, into }), ...summarize(contents) },
    `${done}: ${sayCounts(contents)}.${sayMissing(contents)}`,
  );
}
