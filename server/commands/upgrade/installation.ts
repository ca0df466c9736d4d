import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { CommandError, EXIT } from '../../../cli/usage.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { IS_COMPILED } from '../../lib/modules.ts';
import { syncFolder } from '../../lib/sync-folder.ts';
import { FolderInUseError, lockDataFolder } from '../../platform/storage/index.ts';

/** The link to the folder of the version that is used. */
const CURRENT = 'current';
const RECORD = 'upgrade.json';
/** A file in the archive's folder that only our image has. */
const IMAGE_MARK = 'lib/image';

const FROM_SOURCE = `This Quire runs from its source, so it is not upgraded by this command. Make a backup (quire backup), stop the server,
replace the source, run "sh scripts/ensure-installed.sh production" in it, and start the server: it migrates the database.`;
const FROM_IMAGE = `This Quire runs from an image, so it is not upgraded by this command. Make a backup (quire backup), and start a
container of the new image with the same volume and settings: it migrates the database.`;

/** What the last upgrade did, for going back. Names are those of folders. */
const Record = z.object({ from: z.string(), to: z.string(), backup: z.string().nullable() });
export type UpgradeRecord = z.infer<typeof Record>;

/** The folder with all installed versions, each in its own folder. */
export class Installation {
  readonly version = packageJson.version;

  private constructor(
    readonly folder: string,
    /** The folder of the version that runs this. */
    readonly own: string,
  ) {}

  /** Finds the installation of this program, or explains why it has none that can be upgraded. */
  static find(): Installation {
    if (!IS_COMPILED) throw new CommandError(FROM_SOURCE);
    const own = dirname(process.execPath);
    if (existsSync(join(own, IMAGE_MARK))) throw new CommandError(FROM_IMAGE);
    const [folder, name] = [dirname(own), basename(own)];
    const link = join(folder, CURRENT);
    const target = readLink(link);
    if (!target)
      throw new CommandError(
        `${link} does not exist. An upgrade changes this link, so start Quire through it: ln -s ${name} ${link}, and then ${link}/quire serve.`,
      );
    if (resolve(folder, target) !== own)
      throw new CommandError(`${link} leads to ${target}. Run ${link}/quire upgrade.`);
    return new Installation(folder, name);
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  program(name: string): string {
    return this.path(name, 'quire');
  }

  /** Runs work that nobody else does in this installation at the same time. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      accessSync(this.folder, constants.W_OK);
    } catch {
      throw new CommandError(`You cannot write to ${this.folder}. Run the command as root.`, EXIT.denied);
    }
    const lock = lockOrFail(this.folder, 'Another upgrade is running.');
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  /** Makes a version the one that is used. The link leads to one of the two at every moment. */
  async switchTo(name: string, record: UpgradeRecord | undefined): Promise<void> {
    const temporary = this.path(`${CURRENT}.new`);
    rmSync(temporary, { force: true });
    symlinkSync(name, temporary);
    if (record) this.write(record);
    await syncFolder(this.folder);
    renameSync(temporary, this.path(CURRENT));
    if (!record) rmSync(this.path(RECORD), { force: true });
    await syncFolder(this.folder);
  }

  private write(record: UpgradeRecord): void {
    writeFileSync(this.path(`${RECORD}.new`), JSON.stringify(record), { flush: true });
    renameSync(this.path(`${RECORD}.new`), this.path(RECORD));
  }

  /** The upgrade to this version, if its earlier version is still there. */
  lastUpgrade(): UpgradeRecord {
    const text = existsSync(this.path(RECORD)) ? readFileSync(this.path(RECORD), 'utf8') : '{}';
    const { data } = Record.safeParse(JSON.parse(text));
    if (data?.to !== this.own || !existsSync(this.program(data.from)))
      throw new CommandError(
        `There is no earlier version of ${this.own} in ${this.folder} to go back to.`,
        EXIT.notFound,
      );
    return data;
  }
}

/** Fails if no server has used the folder. */
export function requireData(dataFolder: string): void {
  if (!existsSync(join(dataFolder, 'lock')))
    throw new CommandError(
      `${dataFolder} is not the data folder of a server. Set QUIRE_DATA, as for the server.`,
    );
}

/** Fails if a server runs on the data folder. */
export function requireStopped(dataFolder: string): void {
  requireData(dataFolder);
  const message = `A server is running on ${dataFolder}. Stop it first (for example: systemctl stop quire).`;
  lockOrFail(dataFolder, message).release();
}

function lockOrFail(folder: string, message: string): { release(): void } {
  try {
    return lockDataFolder(folder);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    const { code } = error.cause as { code?: string };
    if (code === 'SQLITE_FULL') throw new CommandError(`The disk is full: ${folder} cannot be locked.`);
    throw new CommandError(message, EXIT.conflict);
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
