import { lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Starts Quire from a bundle, which loads three times as fast as the source, or from the source if there is no bundle
 * or a file in it has changed. `quire serve` then makes new ones for the next start. Commands that call a server have
 * a bundle of their own, without the server's code.
 */

export const ROOT = join(import.meta.dir, '..');
export const CACHE = join(ROOT, '.cache');
export const MANIFEST = join(CACHE, 'bundle.json');
export const CLIENT_MANIFEST = join(CACHE, 'client.json');

const BUILD_AFTER_MS = 2_000;

/** Describes a bundle: its main file, and the state of everything it was made from. */
export interface Manifest {
  main: string;
  root: string;
  bun: string;
  files: Record<string, FileState>;
  /** The commands for which it is enough, by their first word. Undefined if it has all of them. */
  words?: string[];
}

type FileState = [sizeAndTime: string, hash: string];

/** The size and time of the last change are quick to compare. Unlike the time of the last write, nobody can set it. */
export function sizeAndTime(path: string): string {
  const { size, ctimeMs } = statSync(`${ROOT}/${path}`);
  return `${size} ${Math.trunc(ctimeMs)}`;
}

export function hashFile(path: string): string {
  return Bun.hash(readFileSync(join(ROOT, path))).toString(36);
}

/** True if the file is as it was. A copy of it, for example in an image, has another time but the same content. */
function isUnchanged(path: string, [known, hash]: FileState): boolean {
  const current = sizeAndTime(path);
  if (current === known) return true;
  const [size = ''] = known.split(' ');
  return current.startsWith(`${size} `) && hashFile(path) === hash;
}

/** True if nobody can write to the cache who cannot write to the program too. */
function isCacheSafe(): boolean {
  const cache = lstatSync(CACHE);
  const root = statSync(ROOT);
  const isOurs = [0, root.uid, process.getuid?.()].includes(cache.uid);
  return cache.isDirectory() && isOurs && (cache.mode & ~root.mode & 0o022) === 0;
}

function findBundle(path: string, word = ''): string | undefined {
  try {
    if (!isCacheSafe()) return undefined;
    const { main, root, bun, files, words } = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
    if (root !== ROOT || bun !== Bun.revision) return undefined;
    if (words && !words.includes(word)) return undefined;
    const isFresh = Object.entries(files).every(([path, state]) => isUnchanged(path, state));
    return isFresh && statSync(main).isFile() ? main : undefined;
  } catch {
    // There is no bundle, or one of its files is gone.
    return undefined;
  }
}

/**
 * Runs in the background at low priority, and ends with the server. If it fails, for example in a read-only folder, the
 * source works as well.
 */
function makeBundle(): void {
  const bound = Bun.which('setpriv') ? ['setpriv', '--pdeathsig=KILL', '--'] : [];
  const niced = Bun.which('nice') ? ['nice', '-n', '19'] : [];
  const script = join(import.meta.dir, 'bundle.ts');
  Bun.spawn([...bound, ...niced, process.execPath, '--no-install', '--no-env-file', script], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'ignore'],
  }).unref();
}

if (import.meta.main) {
  const word = process.argv[2];
  const bundle = (word !== 'serve' && findBundle(CLIENT_MANIFEST, word)) || findBundle(MANIFEST);
  await import(bundle ?? '../server/main.ts');
  if (!bundle && word === 'serve') setTimeout(makeBundle, BUILD_AFTER_MS).unref();
}
