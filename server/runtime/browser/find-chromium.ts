import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { TextError } from '../../lib/errors.ts';

/** Where distributions put the program itself. The headless shell comes first: it needs half the memory. */
const PLACES = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/usr/lib64/chromium-browser/headless_shell',
  '/usr/lib64/chromium-browser/chromium-browser',
  '/usr/lib/chromium-browser/chromium-browser',
  '/opt/google/chrome/chrome',
];

/** Thrown if pages cannot be checked on this server. The message says what to do. */
export class NoBrowserError extends TextError {}

/** The program of the browser. `setting` is its path, `off`, or undefined to look for it. */
export function findChromium(setting: string | undefined): string {
  if (setting === 'off')
    throw new NoBrowserError('Page checks are turned off on this server (QUIRE_CHROMIUM=off).');
  if (setting === undefined) {
    const found = PLACES.find(isProgram);
    if (found) return realpathSync(found);
    throw new NoBrowserError(
      'Page checks need Chromium, which is not installed. Install it on the server (Debian and Ubuntu: apt-get install chromium-headless-shell), or set QUIRE_CHROMIUM to its program.',
    );
  }
  const isThere = existsSync(setting);
  // Debian starts the program with a script, which needs more than the box has.
  const behindScript = join('/usr/lib/chromium', basename(setting));
  const program = [setting, ...(isThere ? [behindScript] : [])].find(isProgram);
  if (program) return realpathSync(program);
  throw new NoBrowserError(
    isThere
      ? 'Page checks need Chromium, and {setting} (QUIRE_CHROMIUM) is not a program. Set it to the program itself, not to a script that starts it.'
      : 'Page checks need Chromium, and {setting} (QUIRE_CHROMIUM) does not exist. Install it on the server (Debian and Ubuntu: apt-get install chromium-headless-shell), or set QUIRE_CHROMIUM to its program.',
    { setting },
  );
}

/** The folder with the files that the program reads when it starts. */
export const programFolder = (program: string) => dirname(program);

/** True for a program that the kernel can run, and false for a script. */
function isProgram(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const start = Buffer.alloc(4);
      readSync(file, start);
      return start.equals(Buffer.from('\x7fELF'));
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}
