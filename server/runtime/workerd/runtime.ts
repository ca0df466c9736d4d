import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
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

/** The workerd binary, its sandbox, and a folder for sockets and configurations. */
export interface Runtime {
  binary: string;
  sandbox: Sandbox;
  folder: string;
  /** The bytes that SQLite may write to temporary files, for each database host. */
  databaseTempBytes: number;
  /** Creates a folder in the runtime folder that the user of a box owns. A group may get access to its sockets. */
  makeFolder(name: string, user: BoxUser | undefined, group?: number): string;
  /** Writes a file that only the user of a box can read. */
  writeFile(path: string, content: string, user: BoxUser | undefined): void;
  /** Returns a path of a program that the users of boxes can read: its own, or that of a copy with this name. */
  shareProgram(path: string, name: string): string;
  stop(): void;
}

/**
 * Prepares the runtime folder. It is in the temporary folder, not in the data folder: the users of boxes must be able
 * to access it, and socket paths must be short. Its name is derived from the data folder, so that the next server finds
 * and removes what a killed server left behind.
 */
export async function createRuntime(
  dataFolder: string,
  sandboxSetting: 'auto' | 'require' | 'off',
  databaseTempBytes = DATABASE_TEMP_BYTES,
): Promise<Runtime> {
  const name = createHash('sha256').update(dataFolder).digest('hex').slice(0, 12);
  const base = join(tmpdir(), `quire-${name}`);
  makeAnew(base);
  // Each start gets its own subfolder, so that cleaning up after a killed server does not kill the next one's helpers.
  const folder = join(base, randomBytes(3).toString('hex'));
  mkdirSync(folder);
  for (const path of [base, folder]) chmodSync(path, 0o711);
  const isRoot = process.getuid?.() === 0;
  const installed = findWorkerd();
  const shareProgram = (path: string, name: string) => {
    // The package may be in a folder that other users cannot read, so we copy the binary to one that they can.
    if (!isRoot || isReadableByAll(path)) return path;
    const copy = join(folder, name);
    if (existsSync(copy)) return copy;
    copyFileSync(path, copy, constants.COPYFILE_FICLONE);
    chmodSync(copy, 0o755);
    return copy;
  };
  const binary = shareProgram(installed, 'workerd');
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
        libraries: findLibraries(installed),
        filters: writeFilters(folder),
        makeFolder,
      },
      sandboxSetting,
    );
    return { binary, sandbox, folder, databaseTempBytes, makeFolder, writeFile, shareProgram, stop };
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

/** Removes an earlier server's folder and creates it again. Processes of a killed server may still be ending in it. */
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

/** The binary that npm installed for this machine. */
export function findWorkerd(): string {
  const { resolve } = createRequire(import.meta.url);
  const cpu = process.arch === 'x64' ? '64' : process.arch;
  try {
    return resolve(`@cloudflare/workerd-${process.platform}-${cpu}/bin/workerd`);
  } catch (error) {
    throw new Error('workerd is not installed. Quire runs on Linux, on x86-64 and ARM64.', { cause: error });
  }
}

/** True if every user can read and run the file: checks its mode and the modes of all parent folders. */
function isReadableByAll(path: string): boolean {
  if ((statSync(path).mode & 0o005) !== 0o005) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

const libraries = new Map<string, string[]>();

/** The libraries that a program loads when it starts. They are looked up once. */
export function findLibraries(binary: string): string[] {
  const known = libraries.get(binary);
  if (known) return known;
  const { stdout, success } = Bun.spawnSync(['ldd', binary]);
  const found = [...stdout.toString().matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  if (success) libraries.set(binary, found);
  return found;
}
