import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Call } from '../../../cli/command.ts';
import { onInterrupt } from '../../../cli/terminal/interrupt.ts';
import { CommandError, UsageError } from '../../../cli/usage.ts';
import { type Config, readConfig } from '../../platform/config/index.ts';
import { goBack } from './back.ts';
import { Installation, requireStopped } from './installation.ts';
import { makeFolder, Program } from './program.ts';
import { checkSum, type Release, readRelease } from './release.ts';
import { unpack } from './unpack.ts';

/** Unpacked here, and renamed when it is complete. */
const UNPACKING = '.unpacking';
const BACKUPS = 'upgrades';
const Version = z.object({ version: z.string() });
const Examined = z.object({
  checks: z.array(z.object({ name: z.string(), status: z.string(), message: z.string() })),
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
  if (call.flag('dry-run')) return describe(call, installation, release);
  requireStopped(config.dataFolder);
  await installation.alone(() =>
    onInterrupt((signal) => new Upgrade({ call, installation, config, release, signal }).run()),
  );
}

/** Only checks the archive. */
async function describe({ out }: Call, { own, version }: Installation, release: Release): Promise<void> {
  await unpack(release.path, release.name, undefined);
  out.result(
    { from: version, to: release.version, isDryRun: true },
    `The archive is complete. The upgrade from ${version} to ${release.version} would back up the data, migrate the database and switch from ${own} to ${release.name}.`,
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

  async run(): Promise<void> {
    const { call, installation, release } = this.context;
    const { version, own } = installation;
    const backup = await this.prepare().catch((error: unknown) => {
      rmSync(installation.path(release.name), { recursive: true, force: true });
      throw error;
    });
    await installation.switchTo(release.name, { from: own, to: release.name, backup });
    call.out.result(
      { from: version, to: release.version, backup },
      `Quire ${release.version} is installed. Start the server (for example: systemctl start quire). To return to ${version}: quire upgrade --back.`,
    );
  }

  /** Everything before the switch. Returns the backup, if one was made. */
  private async prepare(): Promise<string | null> {
    const { call, installation, release } = this.context;
    call.out.note(`Unpacking Quire ${release.version}`);
    await this.unpack();
    await this.check();
    const backup = call.flag('no-backup') ? null : await this.backUp();
    call.out.note('Migrating the database');
    const where = backup ? `, and the backup is ${backup}` : '';
    const failure = `The database was not migrated. Quire ${installation.version} stays in use${where}.`;
    await this.program(release.name).run(['migrate'], failure);
    return backup;
  }

  private async unpack(): Promise<void> {
    const { installation, release, signal } = this.context;
    const temporary = installation.path(UNPACKING);
    // What a killed upgrade left, or the version that was left with --back.
    for (const path of [temporary, installation.path(release.name)])
      rmSync(path, { recursive: true, force: true });
    try {
      await unpack(release.path, release.name, temporary, signal);
      // After a power failure, the link could otherwise lead to empty files.
      Bun.spawnSync(['sync', '-f', temporary]);
      renameSync(join(temporary, release.name), installation.path(release.name));
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  }

  /** Checks that the new version runs on this machine, before it touches the data. */
  private async check(): Promise<void> {
    const { release } = this.context;
    const program = this.program(release.name);
    const { data: found } = Version.safeParse(await program.ask(['--version']));
    if (found?.version !== release.version)
      throw new CommandError(
        `The program in the archive ${found ? `is Quire ${found.version}, not ${release.version}` : 'does not run here'}.`,
      );
    const { data: examined } = Examined.safeParse(await program.ask(['doctor']));
    const failed = examined?.checks.filter(({ status }) => status === 'fail');
    if (failed?.length === 0) return;
    const why = failed?.map(({ name, message }) => `${name}: ${message}`).join('; ') ?? 'quire doctor failed';
    throw new CommandError(`Quire ${release.version} would not run here: ${why}.`);
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
    await this.program(installation.own).run(
      ['backup', target],
      `There is no backup, so the upgrade was stopped. Quire ${installation.version} stays in use.`,
    );
    return target;
  }

  private program(name: string): Program {
    const { call, config, installation, signal } = this.context;
    return new Program(installation.program(name), call, config.dataFolder, signal);
  }
}
