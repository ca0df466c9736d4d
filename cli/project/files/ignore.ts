import { relative, sep } from 'node:path';
import { findExclusion } from '../../../contract/rules/projects/doubtful-files.ts';
import { CommandError } from '../../usage.ts';
import { readInside } from './inside.ts';
import type { Reason } from './left-out.ts';

/** What a push leaves out: .quireignore, with the rules of .gitignore, and what is never a part of a page. */

const FILE = '.quireignore';
const MAX_BYTES = 64 * 1024;

/** Why a path below the folder is left out; undefined if it is sent. The contents of an ignored folder are ignored too. */
export type Ignores = (path: string, isFolder: boolean) => Reason | undefined;

/** Whether a pattern decides that a path is left out; undefined if none fits. */
type Rules = (path: string, isFolder: boolean) => boolean | undefined;

/** In a pattern: any number of characters, or with `**` any number of folders. */
const STAR = Symbol('star');
type Fits = (character: string) => boolean;
type Name = ReadonlyArray<Fits | typeof STAR>;

interface Rule {
  isException: boolean;
  isForFolders: boolean;
  names: ReadonlyArray<Name | typeof STAR>;
}

/**
 * Reads the rules of a folder. What a build has made is in a folder below its project: the rules there come first, and
 * their paths begin at the project.
 */
export async function readIgnoreRules(folder: string, project = folder): Promise<Ignores> {
  const rules = await readRules(folder);
  const outer = project === folder ? undefined : await readRules(project);
  const under = outer && relative(project, folder).split(sep).join('/');
  return (path, isFolder) => {
    const why = findExclusion(path);
    if (why) return why;
    const isIgnored = rules(path, isFolder) ?? outer?.(`${under}/${path}`, isFolder);
    return isIgnored ? 'in .quireignore' : undefined;
  };
}

async function readRules(folder: string): Promise<Rules> {
  const text = (await readInside(folder, FILE)) ?? '';
  if (text.length > MAX_BYTES) throw new CommandError(`${FILE} has more than 64 KB. Write fewer patterns.`);
  return parseIgnoreRules(text);
}

export function parseIgnoreRules(text: string): Rules {
  const rules = text.split(/\r?\n/).flatMap(parseRule);
  return (path, isFolder) => {
    const names = path.split('/').map((name) => [...name]);
    // The last rule that fits decides.
    const rule = rules.findLast(
      (each) => (isFolder || !each.isForFolders) && fitsAll(each.names, names, fitsName),
    );
    return rule && !rule.isException;
  };
}

function parseRule(line: string): Rule[] {
  const isException = line.startsWith('!');
  const pattern = line
    .slice(isException ? 1 : 0)
    // A space at the end counts only after a backslash.
    .replace(/(?<!\\) +$/, '')
    .normalize('NFC');
  if (pattern === '' || line.startsWith('#')) return [];
  const isForFolders = pattern.endsWith('/');
  const path = pattern.replace(/\/$/, '');
  const parts = path.replace(/^\//, '').split('/');
  // Without a slash, the name can be in any folder.
  if (!path.includes('/')) parts.unshift('**');
  // `folder/**` is everything in the folder, and not the folder itself.
  if (parts.at(-1) === '**') parts.push('*');
  return [
    { isException, isForFolders, names: parts.map((part) => (part === '**' ? STAR : parseName(part))) },
  ];
}

function parseName(part: string): Name {
  const tokens = part.match(/\\.|\[[!^]?\]?[^\]]*\]|./gsu) ?? [];
  return tokens.map((token) => {
    if (token === '*') return STAR;
    if (token === '?') return () => true;
    if (token.startsWith('[') && token.length > 2) return parseSet(token);
    const wanted = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token;
    return (character: string) => character === wanted;
  });
}

/** `[a-z]`, `[!abc]`. */
function parseSet(token: string): Fits {
  const isNegated = /^\[[!^]/.test(token);
  const ranges = [...token.slice(isNegated ? 2 : 1, -1).matchAll(/(.)-(.)|(.)/gsu)];
  return (character) =>
    isNegated !==
    ranges.some(([, from, to, one]) =>
      one === undefined ? character >= String(from) && character <= String(to) : character === one,
    );
}

function fitsName(name: Name, characters: string[]): boolean {
  return fitsAll(name, characters, (fits, character) => fits(character));
}

/**
 * Whether a pattern fits all items. After a failure only the last star takes one item more, so a pattern with many
 * stars does not take exponential time.
 */
function fitsAll<Item, Pattern>(
  pattern: ReadonlyArray<Pattern | typeof STAR>,
  items: readonly Item[],
  fits: (pattern: Pattern, item: Item) => boolean,
): boolean {
  let at = 0;
  let star = -1;
  let starEnd = 0;
  for (let index = 0; index < items.length; ) {
    const next = pattern[at];
    if (next === STAR) {
      star = at++;
      starEnd = index;
    } else if (next !== undefined && fits(next as Pattern, items[index] as Item)) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++starEnd;
    } else return false;
  }
  while (pattern[at] === STAR) at++;
  return at === pattern.length;
}
