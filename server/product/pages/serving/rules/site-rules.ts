import { phrase, type Text } from '../../../../../contract/rules/texts/fill.ts';
import type { Manifest } from '../../files/manifest.ts';
import { HEADERS, REDIRECTS } from '../../files/rule-files.ts';
import { type HeaderRule, parseHeader } from './headers.ts';
import { PathPattern, RuleFault } from './pattern.ts';
import { parseRedirect, type Redirect } from './redirects.ts';

/** The rules of a page with `_redirects` or `_headers` among its files. */
export interface SiteRules {
  redirects: Redirect[];
  headers: HeaderRule[];
}

/** A line that is not applied, and why. */
export interface FaultyLine {
  file: string;
  line: number;
  reason: Text;
}

/** Lines of one of these files that count; empty lines and comments do not. */
const MAX_LINES = 100;
const MAX_BYTES = 64 * 1024;

/** Reads the rules of a page. Undefined if it has none, so that other pages pay nothing. */
export async function readRules(
  files: Manifest | undefined,
  read: (hash: string) => Promise<string | undefined>,
): Promise<{ rules: SiteRules; faults: FaultyLine[] } | undefined> {
  if (!files?.has(REDIRECTS) && !files?.has(HEADERS)) return undefined;
  const faults: FaultyLine[] = [];
  const readText = async (file: string) => {
    const entry = files.get(file);
    if (entry && entry.size > MAX_BYTES)
      faults.push({ file, line: 1, reason: phrase('The file has more than 64 KB.') });
    return entry && entry.size <= MAX_BYTES ? ((await read(entry.hash)) ?? '') : '';
  };
  const rules = {
    redirects: parseRedirects(await readText(REDIRECTS), faults),
    headers: parseHeaders(await readText(HEADERS), faults),
  };
  return { rules, faults };
}

function parseRedirects(text: string, faults: FaultyLine[]): Redirect[] {
  const redirects: Redirect[] = [];
  readLines(text, REDIRECTS, faults, (line) => redirects.push(parseRedirect(line.trim())));
  return redirects;
}

function parseHeaders(text: string, faults: FaultyLine[]): HeaderRule[] {
  const rules: HeaderRule[] = [];
  let current: HeaderRule | undefined;
  readLines(text, HEADERS, faults, (line) => {
    if (/^\s/.test(line)) {
      if (!current) throw new RuleFault(phrase('A path comes before its headers.'));
      current.headers.push(parseHeader(line.trim()));
      return;
    }
    // The headers below a path that cannot be read do not belong to the path before it.
    current = undefined;
    const rule: HeaderRule = { path: new PathPattern(line.trim()), headers: [] };
    rules.push(rule);
    current = rule;
  });
  return rules;
}

/** Reads line by line. A line that cannot be read is a fault, and the others still count. */
function readLines(text: string, file: string, faults: FaultyLine[], parse: (line: string) => void): void {
  let count = 0;
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    count += 1;
    try {
      if (count > MAX_LINES)
        throw new RuleFault(phrase('At most {count} lines are applied.', { count: MAX_LINES }));
      parse(line);
    } catch (error) {
      if (!(error instanceof RuleFault)) throw error;
      faults.push({ file, line: at + 1, reason: error.reason });
      if (count > MAX_LINES) return;
    }
  }
}
