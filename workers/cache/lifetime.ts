/** Seconds for which a response without instructions is fresh, by its status, as Cloudflare documents it. */
const DEFAULT_SECONDS: Record<number, number> = {
  ...{ 200: 7_200, 301: 7_200 },
  ...{ 302: 1_200, 303: 1_200 },
  ...{ 404: 180, 410: 180 },
};
const MAX_SECONDS = 365 * 24 * 60 * 60;

/** How a response may be stored. */
interface Storing {
  lifetimeMs: number;
  /** Names of headers that must not be stored, in lower case. */
  withoutHeaders: Set<string>;
}

/** Undefined if the response must not be stored in a cache that several visitors share. */
export function planStoring(
  request: Headers,
  response: { status: number; headers: Headers },
  now: number,
): Storing | undefined {
  const { status, headers } = response;
  const directives = parseDirectives(headers.get('cache-control') ?? '');
  if (directives.has('no-store')) return undefined;
  const withoutHeaders = new Set<string>();
  for (const name of ['private', 'no-cache']) {
    const fields = directives.get(name);
    // A directive without names of headers is about the whole response.
    if (fields === '') return undefined;
    for (const [field] of fields?.toLowerCase().matchAll(/[\w-]+/g) ?? []) withoutHeaders.add(field);
  }
  if (headers.has('set-cookie') && !withoutHeaders.has('set-cookie')) return undefined;
  const isShared = ['public', 's-maxage', 'must-revalidate'].some((name) => directives.has(name));
  if (request.has('authorization') && !isShared) return undefined;
  const seconds = freshSeconds(status, headers, directives, now) - readSeconds(headers.get('age') ?? '0');
  return seconds > 0 ? { lifetimeMs: Math.min(seconds, MAX_SECONDS) * 1_000, withoutHeaders } : undefined;
}

function freshSeconds(
  status: number,
  headers: Headers,
  directives: Map<string, string>,
  now: number,
): number {
  const age = directives.get('s-maxage') ?? directives.get('max-age');
  if (age !== undefined) return readSeconds(age);
  const expires = headers.get('expires');
  if (expires === null) return DEFAULT_SECONDS[status] ?? 0;
  const from = Date.parse(headers.get('date') ?? '') || now;
  return Math.floor((Date.parse(expires) - from) / 1_000) || 0;
}

/** Values of directives by name. A directive without a value has an empty one. The first of a name counts. */
function parseDirectives(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of text.matchAll(/([\w-]+)(?:=(?:"([^"]*)"|([^\s,;"]*)))?/g))
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), quoted ?? plain);
  return found;
}

/** A number of seconds. Anything else counts as 0, so the response is stale. */
const readSeconds = (text: string) => (/^\d+$/.test(text) ? Number(text) : 0);
