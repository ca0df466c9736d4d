import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { fileType } from '../../contract/rules/file-types.ts';

/** Completes the names of files where code refers to one. */

export interface FileNames {
  /** The path of the file that is edited. Names are relative to it. */
  path: string;
  /** The paths of all files, read each time. */
  all: () => string[];
}

/** Enough for any line that a person writes. */
const MAX_LOOKED_AT = 500;

type Use = 'source' | 'link' | 'style' | 'import' | 'module';

/** In attributes of HTML, in styles and in scripts. The last group is what has been typed of the name. */
const ADDRESSES: Array<[Use, RegExp]> = [
  ['link', /(?:^|[\s"'])href\s*=\s*(["'])((?:(?!\1).)*)$/i],
  ['source', /(?:^|[\s"'])(?:src|poster)\s*=\s*(["'])((?:(?!\1).)*)$/i],
  ['source', /(?:^|[\s"'])srcset\s*=\s*(["'])(?:(?:(?!\1).)*[\s,])?((?:(?!\1)[^\s,])*)$/i],
  ['style', /\burl\(\s*(["']?)([^"'()\s]*)$/i],
  ['import', /@import\s+(["'])([^"']*)$/i],
  ['module', /\b(?:from|import)\s*\(?\s*(["'])([^"']*)$/],
];

export const completeFileNames =
  ({ path, all }: FileNames) =>
  (context: CompletionContext): CompletionResult | null => {
    const { from } = context.state.doc.lineAt(context.pos);
    const before = context.state.sliceDoc(Math.max(from, context.pos - MAX_LOOKED_AT), context.pos);
    const place = placeIn(before);
    // A person who writes the address of another site, or one from the root, does not look for a file.
    if (!place || /^(\/|[a-z]+:)/i.test(place.typed)) return null;
    const { typed } = place;
    // In scripts, a name without `./` means something else.
    const isDotted = place.use === 'module' || typed.startsWith('./');
    const options = all()
      .filter((each) => each !== path)
      .map((each) => ({
        label: toRelativePath(path, each, isDotted),
        boost: isLikely(each, place.use) ? 1 : 0,
      }));
    return { from: context.pos - typed.length, options, validFor: /^[^"'()\s]*$/ };
  };

/** What has been typed of a file's name, if the text ends with a place for one. */
export function placeIn(before: string): { typed: string; use: Use } | undefined {
  for (const [use, pattern] of ADDRESSES) {
    const found = pattern.exec(before);
    if (found) return { typed: found[2] ?? '', use };
  }
  return undefined;
}

/** Whether a file is one that such a place usually names. These are listed first. */
function isLikely(path: string, use: Use): boolean {
  const type = fileType(path);
  return {
    source: /^(image|audio|video)|javascript/,
    link: /html|css/,
    style: /^(image|font)/,
    import: /css/,
    module: /javascript/,
  }[use].test(type);
}

/** How a file refers to another one, relative to its own folder. */
export function toRelativePath(from: string, to: string, isDotted = false): string {
  const here = from.split('/').slice(0, -1);
  const there = to.split('/');
  let shared = 0;
  while (shared < here.length && shared < there.length - 1 && here[shared] === there[shared]) shared++;
  const up = '../'.repeat(here.length - shared);
  const down = there.slice(shared).map(encodeName).join('/');
  // A colon in the first name would make it the scheme of an address.
  const isBare = up === '' && (isDotted || /^[^/]*:/.test(down));
  return `${isBare ? './' : up}${down}`;
}

/** Escapes only what would end the address or mean something else in it, so that names in any script stay readable. */
const encodeName = (name: string) =>
  name.replace(/[%?#"'()<>\s\\,]/g, (letter) =>
    letter.charCodeAt(0) < 128
      ? `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
      : encodeURIComponent(letter),
  );
