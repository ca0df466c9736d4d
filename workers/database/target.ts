/** What the URL of a request asks for. */
export interface Target {
  pathname: string;
  /** The D1 client asks for objects when it passes the rows on unchanged. */
  wantsObjects: boolean;
}

/** The D1 client and the server use only a few URLs. Owner code can send others. */
const MAX_CACHED = 32;
const cached = new Map<string, Target>();

/** Parses the URL of a request once. */
export function parseTarget({ url }: { url: string }): Target {
  const known = cached.get(url);
  if (known) return known;
  const { pathname, searchParams } = new URL(url);
  const target = { pathname, wantsObjects: searchParams.get('resultsFormat') === 'NONE' };
  if (cached.size < MAX_CACHED) cached.set(url, target);
  return target;
}
