import { resolve } from 'node:path';
import type { Call } from '../../../cli/command.ts';
import { columns } from '../../../cli/terminal/columns.ts';
import { onInterrupt } from '../../../cli/terminal/interrupt.ts';
import { CommandError, UsageError } from '../../../cli/usage.ts';
import { type Config, readConfig } from '../../platform/config/index.ts';
import {
  ArchiveError,
  type Compared,
  compareRestored,
  type Restored,
  restoreArchive,
} from '../../product/backup/index.ts';
import { isExpected } from '../expected.ts';
import { createJoinCluster } from './cluster.ts';
import { openOneMachine, readOldConfig } from './one-machine.ts';
import { createTally, sayCounts, sayMissing, summarize, watched } from './report.ts';

const OLD_IS_UNCHANGED = 'The old installation has not changed.';

/** `quire migrate-to-cluster <folder>`: moves a single-machine installation into a cluster. */
export async function migrateToCluster({ args: [from = ''], text, environment, out }: Call): Promise<void> {
  const folder = resolve(from);
  const config = readConfig(environment);
  const { s3 } = config;
  if (!config.cluster || !s3)
    throw new UsageError(
      'Set QUIRE_CLUSTER_ADDRESS and the settings it needs. They say where to move the installation.',
    );
  if (folder === config.dataFolder)
    throw new UsageError(
      `QUIRE_DATA is the folder to move. Set it to the empty data folder of the first node.`,
    );
  const old = readOldConfig(environment, folder, text('database-url'));
  process.umask(0o077);

  const tally = createTally(out, 'Moving');
  const restored = await onInterrupt((signal) => move(old, config, tally, signal)).finally(tally.end);
  const comparing = out.progress('Comparing', undefined);
  const checks = await compareRestored(restored, { ...config, s3 }).finally(comparing.end);
  const agrees = checks.every((check) => check.agrees);
  const table = columns(
    ['what', 'before', 'now', 'match'],
    checks.map(({ what, before, after, agrees }) => [what, before, after, agrees ? 'yes' : 'NO']),
    out.paint.bold,
  );
  if (!agrees) throw disagreement(checks, table);
  out.result(
    { from: folder, ...summarize(restored), checks },
    `${table}\nMoved from ${folder}: ${sayCounts(restored)}.${sayMissing(restored)}\n${OLD_IS_UNCHANGED} Keep it until you have checked the cluster, and do not start it again: new writes there would not reach the cluster.`,
  );
}

async function move(
  old: Config,
  config: Config,
  tally: ReturnType<typeof createTally>,
  signal: AbortSignal,
): Promise<Restored> {
  const source = await openOneMachine(old);
  try {
    const stream = watched(source.stream, (piece) => tally.addBytes(piece.length), signal);
    return await restoreArchive(stream, config, {
      onEntry: tally.setEntries,
      joinCluster: createJoinCluster(config),
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw new CommandError(`Stopped. Nothing was moved. ${OLD_IS_UNCHANGED}`);
    if (!(error instanceof ArchiveError) && !isExpected(error)) throw error;
    throw new CommandError(
      `${error.message}\n${OLD_IS_UNCHANGED} Fix the problem, and run the command again.`,
    );
  } finally {
    await source.close();
  }
}

function disagreement(checks: Compared[], table: string): CommandError {
  return new CommandError(
    `${table}\nThe copy does not match. ${OLD_IS_UNCHANGED} Do not start a node. Empty the database, the bucket and the data folder of the cluster, and run the command again.`,
    undefined,
    { checks },
  );
}
