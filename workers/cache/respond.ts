import type { Entry } from './store.ts';

/** The header by which the runtime tells a match from a miss. */
const STATUS = 'cf-cache-status';
const WITHOUT_BODY = [204, 205, 304];

export function respondMiss(): Response {
  return new Response(null, { status: 504, headers: { [STATUS]: 'MISS' } });
}

/** The response to a request that an entry matches: all of it, a range of it, or that it has not changed. */
export function respondMatch(entry: Entry, request: Headers, now: number): Response {
  const { status, statusText, body } = entry;
  const headers = new Headers(entry.headers);
  headers.set(STATUS, 'HIT');
  const age = Math.floor((now - entry.storedAt) / 1_000) + (Number(headers.get('age')) || 0);
  headers.set('age', String(age));
  if (isUnchanged(headers, request)) return new Response(null, { status: 304, headers });
  const range = status === 200 ? readRange(headers, request, body.byteLength) : undefined;
  if (range === 'not satisfiable') {
    headers.set('content-range', `bytes */${body.byteLength}`);
    return new Response(null, { status: 416, headers });
  }
  if (range) {
    const { start, end } = range;
    headers.set('content-range', `bytes ${start}-${end - 1}/${body.byteLength}`);
    return send(body.subarray(start, end), { status: 206, headers });
  }
  return send(body, { status, statusText, headers });
}

function send(body: Uint8Array, init: { status: number; statusText?: string; headers: Headers }): Response {
  if (WITHOUT_BODY.includes(init.status)) return new Response(null, init);
  init.headers.set('content-length', String(body.byteLength));
  // What is stored is compressed already, if its headers say so.
  return new Response(body as Uint8Array<ArrayBuffer>, { ...init, encodeBody: 'manual' } as ResponseInit);
}

function isUnchanged(stored: Headers, request: Headers): boolean {
  const wanted = request.get('if-none-match');
  if (wanted !== null) {
    const tag = toTag(stored.get('etag'));
    if (tag === undefined) return false;
    return (
      wanted.trim() === '*' || [...wanted.matchAll(/(?:W\/)?"[^"]*"/g)].some(([each]) => toTag(each) === tag)
    );
  }
  // A date that cannot be read is not a number, and every comparison with it is false.
  return readDate(stored.get('last-modified')) <= readDate(request.get('if-modified-since'));
}

/** An entity tag without the mark of a weak one, which does not matter here. */
const toTag = (text: string | null) => /^(?:W\/)?("[^"]*")$/.exec(text?.trim() ?? '')?.[1];

const DATE = /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/;
const readDate = (text: string | null) => (text !== null && DATE.test(text) ? Date.parse(text) : Number.NaN);

/** The first byte and the one after the last. Undefined if the whole response is to be sent. */
function readRange(
  stored: Headers,
  request: Headers,
  size: number,
): { start: number; end: number } | 'not satisfiable' | undefined {
  // A part of a compressed body is useless. Several ranges are not supported.
  const [, from = '', to = ''] =
    /^bytes=(\d{0,15})-(\d{0,15})$/.exec(request.get('range')?.trim() ?? '') ?? [];
  if ((from === '' && to === '') || stored.has('content-encoding')) return undefined;
  const condition = request.get('if-range');
  if (condition !== null && condition !== stored.get('etag') && condition !== stored.get('last-modified'))
    return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  return start >= size || start >= end ? 'not satisfiable' : { start, end };
}
