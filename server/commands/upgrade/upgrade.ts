import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Call } from '../../../cli/command.ts';
import { onInterrupt } from '../../../cli/terminal/interrupt.ts';
import { CommandError, UsageError } from '../../../cli/usage.ts';
import { type Config, readConfig } from '../../platform/config/index.ts';
import { goBack } from './back.ts';
import { Installation, requireData, requireStopped } from './installation.ts';
import { makeFolder, Program } from './program.ts';
import { checkSum, type Release, readRelease } from './release.ts';
import { unpack } from './unpack.ts';

/** A version is unpacked in this folder, which is renamed when it is complete. */
const UNPACKING = '.unpacking';
const BACKUPS = 'upgrades';
const Version = z.object({ version: z.string() });
const Examined = z.object({
  checks: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      canStart: z.boolean().default(false),
    }),
  ),
});

/**
 * `quire upgrade <archive>`: installs a newer version beside this one, and switches to it at the end. If anything fails
 * before, or the command is killed, this version stays in use.
 */
export async function upgrade(call: Call): Promise<void> {
  const installation = Installation.find();
  // The server's user must be able to read the new version, whatever root's own files are like.
  process.umask(0o022);
  const config = readConfig(call.environment);
  const [archive] = call.args;
  if (call.flag('back')) {
    if (archive) throw new UsageError('quire upgrade --back takes no archive.');
    return installation.alone(() => onInterrupt((signal) => goBack({ call, installation, config, signal })));
  }
  if (!archive) throw new UsageError('Name the archive of the new version: quire upgrade <archive>.');
  const release = await readRelease(archive, installation.version);
  if (!(await checkSum(release)))
    call.out.note(`There is no ${archive}.sha256, so it is not compared with a checksum.`);
  const isDryRun = call.flag('dry-run');
  if (isDryRun) requireData(config.dataFolder);
  else requireStopped(config.dataFolder);
  await installation.alone(() =>
    onInterrupt((signal) => {
      const work = new Upgrade({ call, installation, config, release, signal });
      return isDryRun ? work.tryOut() : work.run();
    }),
  );
}

interface Context {
  call: Call;
  installation: Installation;
  config: Config;
  release: Release;
  signal: AbortSignal;
}

class Upgrade {
  constructor(private readonly context: Context) {}

  /** Only checks the archive, and whether the program in it runs here. */
  async tryOut(): Promise<void> {
    const { call, installation, release } = this.context;
    const { version, own } = installation;
    const warnings = await this.inTemporary((folder) => this.check(join(folder, 'quire')));
    call.out.result(
      { from: version, to: release.version, isDryRun: true, warnings },
      `The archive is complete. The upgrade from ${version} to ${release.version} would back up the data, migrate the database and switch from ${own} to ${release.name}.`,
    );
  }

  async run(): Promise<void> {
    const { call, installation, release } = this.context;
    const { version, own } = installation;
    const { backup, warnings } = await this.prepare().catch((error: unknown) => {
      rmSync(installation.path(release.name), { recursive: true, force: true });
      throw error;
    });
    await installation.switchTo(release.name, { from: own, to: release.name, backup });
    call.out.result(
      { from: version, to: release.version, backup, warnings },
      `Quire ${release.version} is installed. Start the server (for example: systemctl start quire). To return to ${version}: quire upgrade --back.`,
    );
  }

  /** Everything before the switch. Returns the backup, if one was made, and what does not work on this machine. */
  private async prepare(): Promise<{ backup: string | null; warnings: string[] }> {
    const { call, installation, release } = this.context;
    call.out.note(`Unpacking Quire ${release.version}`);
    await this.unpack();
    const warnings = await this.check(installation.program(release.name));
    const backup = call.flag('no-backup') ? null : await this.backUp();
    call.out.note('Migrating the database');
    const where = backup ? `, and the backup is ${backup}` : '';
    const failure = `The database was not migrated. Quire ${installation.version} stays in use${where}.`;
    await this.program(installation.program(release.name)).run(['migrate'], failure);
    return { backup, warnings };
  }

  private async unpack(): Promise<void> {
    const { installation, release } = this.context;
    // The version that was left with --back.
    rmSync(installation.path(release.name), { recursive: true, force: true });
    await this.inTemporary(async (folder) => {
      // After a power failure, the link could otherwise lead to empty files.
      Bun.spawnSync(['sync', '-f', folder]);
      renameSync(folder, installation.path(release.name));
    });
  }

  /** Unpacks the archive, and removes what is left of it afterwards. */
  private async inTemporary<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
    const { installation, release, signal } = this.context;
    const temporary = installation.path(UNPACKING);
    // A killed upgrade can leave this folder behind.
    rmSync(temporary, { recursive: true, force: true });
    try {
      await unpack(release.path, release.name, temporary, signal);
      return await work(join(temporary, release.name));
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  }

  /**
   * Checks that the new version would start on this machine, before it touches the data. Returns what would not work,
   * such as mail: that does not work with the installed version either, and an upgrade may be what repairs it.
   */
  private async check(path: string): Promise<string[]> {
    const { call, release } = this.context;
    const program = this.program(path);
    const { data: found } = Version.safeParse(await program.ask(['--version']));
    if (found?.version !== release.version)
      throw new CommandError(
        `The program in the archive ${found ? `is Quire ${found.version}, not ${release.version}` : 'does not run here'}.`,
      );
    const { data: examined } = Examined.safeParse(await program.ask(['doctor']));
    if (!examined)
      throw new CommandError(`Quire ${release.version} would not run here: quire doctor failed.`);
    const failed = examined.checks.filter(({ status }) => status === 'fail');
    const say = (canStart: boolean) =>
      failed.filter((check) => check.canStart === canStart).map(({ name, message }) => `${name}: ${message}`);
    const reasons = say(false);
    if (reasons.length > 0)
      throw new CommandError(`Quire ${release.version} would not start here: ${reasons.join('; ')}.`);
    const warnings = say(true);
    for (const warning of warnings) call.out.note(`Warning: ${warning}`);
    return warnings;
  }

  private async backUp(): Promise<string> {
    const { call, installation, config, release } = this.context;
    const folder = join(config.dataFolder, BACKUPS);
    call.out.note('Backing up the data');
    makeFolder(folder, config.dataFolder);
    for (const name of readdirSync(folder)) {
      if (name.includes('.unfinished-')) rmSync(join(folder, name));
    }
    const time = new Date().toISOString().replace(/\..*$/, '').replaceAll(':', '-');
    const target = join(folder, `${installation.version}-to-${release.version}-${time}.tar.gz`);
    await this.program(installation.program(installation.own)).run(
      ['backup', target],
      `There is no backup, so the upgrade was stopped. Quire ${installation.version} stays in use.`,
      // `quire upgrade --back --restore` has to open it, and the data is on this machine anyway.
      { QUIRE_BACKUP_KEY: '' },
    );
    return target;
  }

  private program(path: string): Program {
    const { call, config, signal } = this.context;
    return new Program(path, call, config.dataFolder, signal);
  }
}
