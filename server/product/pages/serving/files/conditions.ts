import { parseRange, type Range } from './ranges.ts';

/** What identifies a version of a file to a client: a quoted entity tag, and when it changed. */
export interface Version {
  etag: string;
  modifiedAt: number;
}

/** Whether the client has this version already. A date counts only if it sends no entity tag. */
export function isUnchanged({ headers }: Request, etag: string, modifiedAt: number): boolean {
  const tags = headers.get('if-none-match');
  if (tags !== null) return tags.trim() === '*' || tags.slice(0, MAX_TAGS).split(',').some(isTag(etag));
  const since = headers.get('if-modified-since');
  return since !== null && inSeconds(modifiedAt) <= inSeconds(Date.parse(since));
}

/** Characters of an `If-None-Match` header that are read. No client needs more. */
const MAX_TAGS = 4_000;

/** Whether a tag is this one. A proxy may have marked it as weak. */
const isTag = (etag: string) => (given: string) => given.trim().replace(/^W\//, '') === etag;

/** A time in seconds, because HTTP dates have no smaller unit. */
const inSeconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

/** The part that a request asks for, see `parseRange`. A part of another version than the client has is of no use. */
export function readRange({ headers }: Request, size: number, version: Version): Range | null | undefined {
  const header = headers.get('range');
  if (header === null) return undefined;
  const condition = headers.get('if-range');
  if (condition !== null && condition !== version.etag && condition !== httpDate(version.modifiedAt))
    return undefined;
  return parseRange(header, size);
}

export function httpDate(milliseconds: number): string {
  return new Date(milliseconds).toUTCString();
}
