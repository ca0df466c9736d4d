import type { Call } from '../../../cli/command.ts';
import { onInterrupt } from '../../../cli/terminal/interrupt.ts';
import { CommandError, UsageError } from '../../../cli/usage.ts';
import { readConfig } from '../../platform/config/index.ts';
import { ArchiveError, checkArchive, decryptArchive, restoreArchive } from '../../product/backup/index.ts';
import { checkFromReplica } from '../replica/check-replica.ts';
import { restoreFromReplica } from '../replica/restore-replica.ts';
import { createJoinCluster } from './cluster.ts';
import { assertFits, describeLocations, locateData } from './data-locations.ts';
import { drill } from './drill.ts';
import { assertFile, readIdentityFile } from './files.ts';
import { createTally, sayCounts, sayMissing, summarize, watched } from './report.ts';

/** `quire restore [file]`: restores an archive into an empty data folder, only checks it, or proves it. With --from, a replica. */
export async function restore(call: Call): Promise<void> {
  const {
    args: [file],
    flag,
    text,
    environment,
    out,
  } = call;
  if (text('from') !== undefined) {
    if (file !== undefined) throw new UsageError('Name an archive, or a replica with --from, but not both.');
    if (flag('drill')) throw new UsageError('--drill is for backups. To read a replica, add --check.');
    return flag('check') ? checkFromReplica(call) : restoreFromReplica(call);
  }
  if (text('at') !== undefined) throw new UsageError('--at is for replicas. Add --from.');
  process.umask(0o077);
  if (flag('drill')) return drill(call);
  if (file === undefined) throw new UsageError('Name an archive, or a replica with --from.');
  assertFile(file);
  const identities = readIdentityFile(call.text('identity'));
  const config = flag('check') ? undefined : readConfig(environment);
  const into = config && locateData(config);
  if (into && !out.isJson) out.note(`Restoring ${file} into ${describeLocations(into)}`);
  const tally = createTally(out, config ? 'Restoring' : 'Checking');
  const contents = await onInterrupt(async (signal) => {
    const read = async () => {
      const archive = watched(Bun.file(file).stream(), (piece) => tally.addBytes(piece.length), signal);
      const { stream } = await decryptArchive(archive, identities);
      if (!config) return checkArchive(stream, tally.setEntries);
      return restoreArchive(stream, config, {
        onEntry: tally.setEntries,
        onManifest: (manifest) => into && !flag('move') && assertFits(manifest, into),
        joinCluster: createJoinCluster(config),
        signal,
      });
    };
    return read().catch((error: unknown) => {
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
