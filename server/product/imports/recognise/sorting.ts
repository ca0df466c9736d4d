import { translatable } from '../../../../contract/errors.ts';
import type { Left, Taken, TakenAs } from '../../../../contract/imports/imports.ts';
import { MAX_HTML_BYTES } from '../../../../contract/rules/limits.ts';
import { findExclusion } from '../../../../contract/rules/projects/doubtful-files.ts';
import { isStorable } from '../../../../contract/rules/text.ts';
import { phrase, type Sentence } from '../../../../contract/rules/texts/fill.ts';
import type { ImportFile } from './plan.ts';

/** So many files of one folder that are left for the same reason become one line. */
const MANY = 4;
/** Characters of a path in a report. */
const MAX_SHOWN = 300;
/** Longer paths are not looked into: no file can have one, and the check of paths says so. */
const MAX_LOOKED_AT = 2_000;
/** Files that systems add to archives on their own. */
const RUBBISH = /^__MACOSX\/|(?:^|\/)(?:Thumbs\.db|desktop\.ini)$/;

const HIDDEN = phrase(
  'belongs to other programs: names that start with a dot and node_modules are not published',
);

interface LeftFile {
  path: string;
  /** The folder that stands for the file in a long list. */
  folder: string;
  why: Sentence;
}

/** Sorts files into those that are taken and those that are left. Each is in exactly one list at the end. */
export class Sorting {
  readonly taken: Taken[] = [];
  readonly #all = new Map<string, ImportFile>();
  readonly #open = new Set<ImportFile>();
  readonly #left: LeftFile[] = [];
  readonly #settings: Left[] = [];

  constructor(files: ImportFile[]) {
    for (const file of files) {
      if (this.#all.has(file.path)) this.#left.push(toLeft(file.path, phrase('is there twice')));
      else {
        this.#all.set(file.path, file);
        this.#open.add(file);
      }
    }
  }

  /** Files that are neither taken nor left so far. */
  get open(): ImportFile[] {
    return [...this.#open];
  }

  has(path: string): boolean {
    return this.#all.has(path);
  }

  find(path: string): ImportFile | undefined {
    return this.#all.get(path);
  }

  /** The text of a file; undefined if it does not exist, is too large, or is not UTF-8. */
  text(path: string): string | undefined {
    const file = this.#all.get(path);
    return file && readText(file);
  }

  take(file: ImportFile, as: TakenAs, slug?: string): void {
    if (!this.#open.delete(file)) return;
    const { path, size } = file;
    this.taken.push({ path: toShown(path), as, size, ...(slug !== undefined && { function: slug }) });
  }

  leave(file: ImportFile, why: Sentence): void {
    if (this.#open.delete(file)) this.#left.push(toLeft(file.path, why));
  }

  /** Leaves a setting, or a part of a file. */
  leaveSetting(path: string, why: Sentence): void {
    this.#settings.push({ path: toShown(path), ...sayWhy(why) });
  }

  /** Leaves all files that are still open, for `why` or because they are hidden. Returns everything that was left. */
  finish(why: Sentence): Left[] {
    for (const file of this.open) this.leave(file, isHidden(file.path) ? HIDDEN : why);
    return [...this.#settings, ...summarize(this.#left)];
  }
}

/** Whether a path has a name that is never published. */
export const isHidden = (path: string): boolean => findHidden(path) !== undefined;

/** The path up to the first name that is never published. */
function findHidden(path: string): string | undefined {
  if (path.length > MAX_LOOKED_AT) return undefined;
  if (RUBBISH.test(path)) return path.startsWith('__MACOSX/') ? '__MACOSX/' : path;
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
    if (isHiddenName(path.slice(0, end))) return path.slice(0, end + 1);
  return isHiddenName(path) ? path : undefined;
}

/** Whether the last name of a path is never published. `..` is not a name: the check of paths refuses it. */
const isHiddenName = (path: string) => findExclusion(path) !== undefined && !/(?:^|\/)\.\.?$/.test(path);

function toLeft(path: string, why: Sentence): LeftFile {
  const folder = why === HIDDEN ? findHidden(path) : undefined;
  return { path, folder: folder ?? path.slice(0, path.indexOf('/') + 1), why };
}

/** The lines of a report. Many files of a folder become one line. */
function summarize(left: LeftFile[]): Left[] {
  const makeKey = ({ folder, why }: LeftFile) =>
    `${folder}\n${why.text}\n${JSON.stringify(why.values ?? {})}`;
  const counts = new Map<string, number>();
  for (const each of left) counts.set(makeKey(each), (counts.get(makeKey(each)) ?? 0) + 1);
  const lines: Left[] = [];
  for (const each of left) {
    const { path, folder, why } = each;
    const key = makeKey(each);
    const files = counts.get(key) ?? 0;
    if (files === 0) continue;
    const isFolder = folder.endsWith('/') && (files >= MANY || why === HIDDEN);
    if (!isFolder) lines.push({ path: toShown(path), ...sayWhy(why) });
    else {
      lines.push({ path: toShown(folder), ...sayWhy(why), files });
      counts.set(key, 0);
    }
  }
  return lines;
}

function sayWhy({ text, values }: Sentence): Omit<Left, 'path' | 'files'> {
  const { message, ...key } = translatable(text, values);
  return { why: message, ...key } as Omit<Left, 'path' | 'files'>;
}

/** A path for a report. A name can be as long as the archive, and have characters that hide what it is. */
export function toShown(path: string): string {
  const start = path.slice(0, MAX_SHOWN).toWellFormed();
  const plain = start.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '\u{FFFD}');
  return path.length > MAX_SHOWN ? `${plain}…` : plain;
}

/** The text of a file; undefined if it is too large, or is not UTF-8 without NUL characters. */
export function readText(file: ImportFile): string | undefined {
  if (file.size > MAX_HTML_BYTES) return undefined;
  try {
    // The byte order mark of some editors is left out.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(file.bytes());
    return isStorable(text) ? text : undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
