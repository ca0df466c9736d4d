/** A part of a file: from `start` up to `end`, which is not included. */
export interface Range {
  start: number;
  end: number;
}

/**
 * The part that a `Range` header asks for. Undefined means all of it: there is no header, or one that we do not
 * support, such as several parts. Null means that the file has no such part.
 */
export function parseRange(header: string | null, size: number): Range | null | undefined {
  if (header === null || header.length > 60) return undefined;
  const [, first, last] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { start: size - length, end: size };
  }
  const start = Number(first);
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? null : { start, end };
}
