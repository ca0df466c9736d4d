import { phrase } from '../../../../../contract/rules/texts/fill.ts';
import { isCustomHeader } from '../../../../platform/http/index.ts';
import { type PathPattern, RuleFault, toParts } from './pattern.ts';

/** A path in `_headers`, with the headers below it. */
export interface HeaderRule {
  path: PathPattern;
  headers: Array<[name: string, value: string]>;
}

/** Headers that an author can set. None of them touches isolation, cookies, framing or types. */
const ALLOWED = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'cache-control',
  'content-disposition',
  'content-language',
  'link',
  'permissions-policy',
  'referrer-policy',
  'timing-allow-origin',
  'x-robots-tag',
]);

/** Headers that only a page that everyone can see may have: others must not be stored, shared or told to others. */
const ONLY_IF_OPEN = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'cache-control',
  'referrer-policy',
  'timing-allow-origin',
]);

/** Reads `Name: value`. Throws a `RuleFault`. */
export function parseHeader(line: string): [name: string, value: string] {
  const at = line.indexOf(':');
  const name = line.slice(0, at).trim().toLowerCase();
  const value = line.slice(at + 1).trim();
  if (at < 1 || !/^[a-z0-9-]+$/.test(name))
    throw new RuleFault(phrase('A header is written as Name: value.'));
  if (!/^[\t\x20-\x7e]+$/.test(value))
    throw new RuleFault(phrase('A header can only have plain characters.'));
  if (!ALLOWED.has(name) && !isCustomHeader(name))
    throw new RuleFault(
      phrase('The header {name} cannot be set here, because it could change what keeps pages apart.', {
        name,
      }),
    );
  if (name === 'access-control-allow-origin' && value !== '*')
    throw new RuleFault(phrase('The header access-control-allow-origin can only be *.'));
  return [name, value];
}

/** Sets the headers of all rules that fit a path. `isKept` if caches may keep the response for others. */
export function applyHeaders(
  rules: HeaderRule[],
  path: string,
  response: Response,
  { isOpen, isKept }: { isOpen: boolean; isKept: boolean },
): void {
  const parts = toParts(path);
  if (!parts) return;
  for (const { path: pattern, headers } of rules) {
    if (!pattern.match(parts)) continue;
    for (const [name, value] of headers) {
      if (!isOpen && ONLY_IF_OPEN.has(name)) continue;
      if (!isKept && name === 'cache-control') continue;
      // What the service says about robots is stricter than any author.
      if (name === 'x-robots-tag' && (!isOpen || response.headers.has(name))) continue;
      response.headers.set(name, value);
    }
  }
}
