import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type BoxUser, createBoxUsers } from './box/box-users.ts';
import { probeSandbox } from './box/probe.ts';
import type { Sandbox } from './box/sandbox.ts';
import { systemCallFilter } from './box/seccomp.ts';

const DATABASE_TEMP_BYTES = 256 * 1024 * 1024;

/** Where workerd is, how it is boxed in, and a folder for sockets and configurations. */
export interface Runtime {
  binary: string;
  sandbox: Sandbox;
  folder: string;
  /** What SQLite may write to temporary files, at each database host. */
  databaseTempBytes: number;
  /** Makes a folder below the runtime's own that belongs to the user of a box; a group may be let in to its sockets. */
  makeFolder(name: string, user: BoxUser | undefined, group?: number): string;
  /** Writes a file that only the user of a box can read. */
  writeFile(path: string, content: string, user: BoxUser | undefined): void;
  stop(): void;
}

/**
 * Prepares the runtime folder. It is in the temporary folder, not in the data folder: the users of boxes must be able
 * to get there, and socket paths must be short. Its name follows from the data folder, so that what a killed server
 * left behind is found and removed.
 */
export async function createRuntime(
  dataFolder: string,
  sandboxSetting: 'auto' | 'require' | 'off',
  databaseTempBytes = DATABASE_TEMP_BYTES,
): Promise<Runtime> {
  const name = createHash('sha256').update(dataFolder).digest('hex').slice(0, 12);
  const base = join(tmpdir(), `quire-${name}`);
  makeAnew(base);
  // One below it for each start: what ends the helpers of a server that was killed must not meet those of the next.
  const folder = join(base, randomBytes(3).toString('hex'));
  mkdirSync(folder);
  for (const path of [base, folder]) chmodSync(path, 0o711);
  const isRoot = process.getuid?.() === 0;
  const installed = findWorkerd();
  // The package may lie where other users cannot read; a copy lies where they can.
  const needsCopy = isRoot && !isReadableByAll(installed);
  const binary = needsCopy ? join(folder, 'workerd') : installed;
  if (needsCopy) {
    copyFileSync(installed, binary, constants.COPYFILE_FICLONE);
    chmodSync(binary, 0o755);
  }
  const makeFolder: Runtime['makeFolder'] = (name, user, group) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    if (user) chownSync(path, user.id, group ?? user.id);
    chmodSync(path, user && group !== undefined ? 0o710 : 0o700);
    return path;
  };
  const stop = () => rmSync(base, { recursive: true, force: true });
  try {
    const sandbox = await probeSandbox(
      {
        users: isRoot ? createBoxUsers() : undefined,
        isRoot,
        binary,
        libraries: librariesOf(installed),
        filters: writeFilters(folder),
        makeFolder,
      },
      sandboxSetting,
    );
    return { binary, sandbox, folder, databaseTempBytes, makeFolder, writeFile, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

function writeFilters(folder: string): Sandbox['filters'] {
  const [local, network] = [false, true].map((hasNetwork) => systemCallFilter({ hasNetwork }));
  if (!local || !network) return undefined;
  const files = { local: join(folder, 'filter-local'), network: join(folder, 'filter-network') };
  writeFileSync(files.local, local);
  writeFileSync(files.network, network);
  return files;
}

function writeFile(path: string, content: string, user: BoxUser | undefined): void {
  writeFileSync(path, content, { mode: 0o600 });
  if (user) chownSync(path, user.id, user.id);
}

/** Removes what an earlier server left and makes the folder anew; processes of a killed one may still be dying in it. */
function makeAnew(folder: string): void {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { mode: 0o711 });
      return;
    } catch (error) {
      if (tries === 40) throw error;
      Bun.sleepSync(50);
    }
  }
}

/** The binary that npm brought for this machine. */
export function findWorkerd(): string {
  const { resolve } = createRequire(import.meta.url);
  const cpu = process.arch === 'x64' ? '64' : process.arch;
  try {
    return resolve(`@cloudflare/workerd-${process.platform}-${cpu}/bin/workerd`);
  } catch (error) {
    throw new Error('workerd is not installed. Quire runs on Linux, on x86-64 and ARM64.', { cause: error });
  }
}

/** Whether any user may run the file: its own bits, and those of every folder on the way. */
function isReadableByAll(path: string): boolean {
  if ((statSync(path).mode & 0o005) !== 0o005) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function librariesOf(binary: string): string[] {
  const { stdout } = Bun.spawnSync(['ldd', binary]);
  return [...stdout.toString().matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
}
