import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Coverage, covers, readCoverage } from './font-file.ts';

/** Where Linux stores fonts. Without them, cards support fewer scripts, but everything else works. */
const FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts'];
const MAX_FILES = 2_000;
const MAX_FILE_BYTES = 12 * 1024 * 1024;

interface SystemFont {
  path: string;
  coverage: Coverage;
}

let known: Promise<SystemFont[]> | undefined;

/** The system font that has the most of these characters. Undefined if none has any. */
export async function findSystemFont(codePoints: number[]): Promise<SystemFont | undefined> {
  known ??= readSystemFonts(FOLDERS);
  let best: { font: SystemFont; count: number } | undefined;
  for (const font of await known) {
    const count = codePoints.filter((codePoint) => covers(font.coverage, codePoint)).length;
    if (count > (best?.count ?? 0)) best = { font, count };
  }
  return best?.font;
}

/** Reads the coverage of each font in the folders, bold and regular ones first. */
export async function readSystemFonts(folders: string[]): Promise<SystemFont[]> {
  const paths: string[] = [];
  for (const folder of folders) {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    for (const name of names) if (/\.(ttf|otf)$/i.test(name)) paths.push(join(folder, name));
  }
  const wanted = paths.filter((path) => !/italic|oblique|color|emoji|mono|condensed/i.test(path));
  wanted.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const fonts: SystemFont[] = [];
  for (const path of wanted.slice(0, MAX_FILES)) {
    // A font that was removed or cannot be read must not prevent the card.
    const size = await stat(path).then(
      (file) => file.size,
      () => 0,
    );
    if (size === 0 || size > MAX_FILE_BYTES) continue;
    const coverage = await readFile(path).then(readCoverage, () => []);
    if (coverage.length > 0) fonts.push({ path, coverage });
  }
  return fonts;
}

function rank(path: string): number {
  return (/sans/i.test(path) ? 0 : 2) + (/bold/i.test(path) ? 0 : 1) + (/noto/i.test(path) ? 0 : 4);
}
