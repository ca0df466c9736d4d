import { existsSync, renameSync, rmSync } from 'node:fs';
import type { Call } from '../../../cli/command.ts';
import { CommandError, UsageError } from '../../../cli/usage.ts';
import type { Config } from '../../platform/config/index.ts';
import { exchange } from './exchange.ts';
import { type Installation, requireStopped, type UpgradeRecord } from './installation.ts';
import { makeFolder, Program } from './program.ts';

interface Context {
  call: Call;
  installation: Installation;
  config: Config;
  signal: AbortSignal;
}

/**
 * `quire upgrade --back`: uses the earlier version again. Migrations only add, so it usually works with the data as it
 * is, and nothing is lost. With `--restore`, the data is also what it was before the upgrade.
 */
export async function goBack(context: Context): Promise<void> {
  const { call, installation, config, signal } = context;
  const record = installation.lastUpgrade();
  const program = new Program(installation.program(record.from), call, config.dataFolder, signal);
  if (call.flag('restore')) requireRestorable(context, record);
  if (call.flag('dry-run')) {
    call.out.result(
      { from: record.to, to: record.from, isDryRun: true },
      `This would return to ${record.from}.`,
    );
    return;
  }
  requireStopped(config.dataFolder);
  if (call.flag('restore')) {
    const replaced = await restore(context, record, program);
    call.out.note(`The data that was replaced is in ${replaced}.`);
  } else {
    // Changes nothing: it fails if the earlier version cannot use a table of the later one.
    await program.run(
      ['migrate'],
      `${record.from} does not work with the data of ${record.to}. To return to the backup from before the upgrade as well, and lose what was stored since: quire upgrade --back --restore --yes.`,
    );
  }
  await installation.switchTo(record.from, undefined);
  call.out.result(
    { from: record.to, to: record.from, isRestored: call.flag('restore') },
    `${record.from} is used again. Start the server (for example: systemctl start quire).`,
  );
}

function requireRestorable({ call, config }: Context, { backup, from }: UpgradeRecord): void {
  if (!backup || !existsSync(backup)) throw new CommandError('There is no backup from before the upgrade.');
  if (config.databaseUrl || config.s3)
    throw new CommandError(
      `With PostgreSQL or a bucket, go back without --restore. Then restore ${backup} into an empty database and bucket with quire restore.`,
    );
  if (!call.flag('yes'))
    throw new UsageError(
      `This returns to ${from} and to the data of ${backup}. What was stored since is no longer used. Add --yes to confirm.`,
    );
}

/** Restores the backup beside the data folder, and exchanges the two in one step. */
async function restore({ config }: Context, { backup }: UpgradeRecord, program: Program): Promise<string> {
  const restored = `${config.dataFolder}.restored`;
  rmSync(restored, { recursive: true, force: true });
  makeFolder(restored, config.dataFolder);
  const failure =
    'The backup was not restored. Nothing has changed. To go back and keep the data as it is: quire upgrade --back.';
  await program.run(['restore', backup ?? ''], failure, { QUIRE_DATA: restored }).catch((error: unknown) => {
    rmSync(restored, { recursive: true, force: true });
    throw error;
  });
  const time = new Date().toISOString().replace(/\..*$/, '').replaceAll(':', '-');
  const replaced = `${config.dataFolder}.replaced-${time}`;
  // Before the exchange: if the command is killed after it, nothing takes the replaced data for an unfinished restore.
  renameSync(restored, replaced);
  exchange(replaced, config.dataFolder);
  return replaced;
}
