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

/** The user that owner code runs as when we are root. */
export const NOBODY = 65_534;

/** Where workerd is, what it needs, and a folder for sockets and configurations. */
export interface Runtime {
  binary: string;
  /** The binary's shared libraries, which a box must show it. */
  libraries: string[];
  folder: string;
  isRoot: boolean;
  /** Makes a folder below the runtime's own that a cell may read, and write if said so. */
  makeFolder(name: string): string;
  writeFile(path: string, content: string): void;
  stop(): void;
}

/**
 * Prepares the runtime folder. It is in the temporary folder, not in the data folder: cells run as nobody, who must
 * be able to get there, and socket paths must be short. Its name follows from the data folder, so that what a killed
 * server left behind is found and removed.
 */
export function createRuntime(dataFolder: string): Runtime {
  const name = createHash('sha256').update(dataFolder).digest('hex').slice(0, 12);
  const base = join(tmpdir(), `quire-${name}`);
  makeAnew(base);
  // One below it for each start: what ends the helpers of a server that was killed must not meet those of the next.
  const folder = join(base, randomBytes(3).toString('hex'));
  mkdirSync(folder);
  for (const path of [base, folder]) chmodSync(path, 0o711);
  const isRoot = process.getuid?.() === 0;
  const installed = findWorkerd();
  // The package may lie where nobody cannot read; a copy lies where nobody can.
  const needsCopy = isRoot && !isReadableByAll(installed);
  const binary = needsCopy ? join(folder, 'workerd') : installed;
  if (needsCopy) {
    copyFileSync(installed, binary, constants.COPYFILE_FICLONE);
    chmodSync(binary, 0o755);
  }
  const own = (path: string, mode: number) => {
    chmodSync(path, mode);
    if (isRoot) chownSync(path, NOBODY, NOBODY);
  };
  return {
    binary,
    libraries: librariesOf(installed),
    folder,
    isRoot,
    makeFolder(name) {
      const path = join(folder, name);
      mkdirSync(path, { recursive: true });
      own(path, 0o700);
      return path;
    },
    writeFile(path, content) {
      writeFileSync(path, content, { mode: 0o600 });
      own(path, 0o600);
    },
    stop: () => rmSync(base, { recursive: true, force: true }),
  };
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
