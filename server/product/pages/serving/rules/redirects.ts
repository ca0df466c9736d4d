import { phrase } from '../../../../../contract/rules/texts/fill.ts';
import { encodePath } from '../files/resolve.ts';
import { PathPattern, RuleFault, toParts } from './pattern.ts';

/** A line of `_redirects`, as Netlify and Cloudflare Pages read it: `from to [status][!]`. */
export interface Redirect {
  from: PathPattern;
  /** A path of the page, or a whole URL. */
  to: string;
  status: number;
  /** Applies even if the page has a file at the path. */
  isForced: boolean;
}

/** Where a redirect leads for one path. */
export type Led =
  | { kind: 'redirect'; status: number; to: string }
  /** Another path of the page is shown, with this status. */
  | { kind: 'rewrite'; status: 200 | 404; path: string };

/** Placeholders repeat the path of a request, which strangers choose. */
const MAX_TARGET = 2_000;
const MAX_PLACEHOLDERS = 12;
const MAX_LOCATION = 8_000;

const STATUSES = [200, 301, 302, 303, 307, 308, 404];

/** Reads a line that is not empty. Throws a `RuleFault`. */
export function parseRedirect(line: string): Redirect {
  const [from = '', ...rest] = line.split(/\s+/);
  if (/^https?:/i.test(from)) throw new RuleFault(phrase('Redirects of whole domains are not possible.'));
  if (rest[0]?.includes('=') && !rest[0].startsWith('/'))
    throw new RuleFault(phrase('Redirects by query parameters are not possible.'));
  const [to, written = '301', ...more] = rest;
  if (to === undefined) throw new RuleFault(phrase('The line needs a path and where it leads.'));
  if (more.length > 0)
    throw new RuleFault(phrase('Conditions such as Country or Language are not possible.'));
  const [, digits, force] = /^(\d{3})(!?)$/.exec(written) ?? [];
  const status = Number(digits);
  if (!STATUSES.includes(status))
    throw new RuleFault(phrase('The status must be one of {list}.', { list: STATUSES.join(', ') }));
  const isPath = to.startsWith('/') && !to.startsWith('//');
  if (!isPath && !/^https?:\/\/[^/]/i.test(to))
    throw new RuleFault(phrase('The target must be a path that begins with a slash, or a whole URL.'));
  if (/^\/\.netlify\//.test(to))
    throw new RuleFault(phrase('There is nothing below /.netlify. Call functions at /api/functions/<slug>.'));
  if (!isPath && (status === 200 || status === 404))
    throw new RuleFault(phrase('Another site cannot be shown here; a redirect with 302 leads there.'));
  if (to.length > MAX_TARGET || to.split(':').length > MAX_PLACEHOLDERS)
    throw new RuleFault(
      phrase('The target can have {letters} characters and {count} placeholders.', {
        letters: MAX_TARGET,
        count: MAX_PLACEHOLDERS - 2,
      }),
    );
  return { from: new PathPattern(from), to: toPlain(to), status, isForced: force === '!' };
}

/** Where the first redirect that fits leads. `isThere` if the page has something at the path. */
export function follow(redirects: Redirect[], path: string, isThere: boolean): Led | undefined {
  const parts = toParts(path);
  if (!parts) return undefined;
  for (const { from, to, status, isForced } of redirects) {
    if (isThere && !isForced) continue;
    const values = from.match(parts);
    const target = values && fill(to, values);
    // A rule such as `/* /index.html` also fits its own target.
    if (target === undefined || target === `/${encodePath(path)}` || target.length > MAX_LOCATION) continue;
    if (status === 200 || status === 404)
      return { kind: 'rewrite', status, path: target.replace(/[?#].*/s, '').slice(1) };
    return { kind: 'redirect', status, to: target };
  }
  return undefined;
}

/** Headers have plain characters only. */
const toPlain = (to: string) => to.toWellFormed().replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);

function fill(to: string, values: Map<string, string>): string {
  return to.replaceAll(/:([a-z_]\w*)/gi, (whole, name: string) => {
    const value = values.get(name);
    return value === undefined ? whole : encodePath(value);
  });
}
