/** What an archive can contain, by name. Anything else is refused, and so is anything that is too large. */

const MEGABYTE = 1024 * 1024;

export type EntryKind =
  | 'manifest'
  | 'secret'
  | 'rows'
  | 'blob'
  | 'database'
  | 'totals'
  | 'sums'
  | 'end'
  | 'unknown';

/** The kinds of entries by the pattern of their name. No name can lead out of a folder. */
const KINDS: Array<{ kind: Exclude<EntryKind, 'unknown'>; name: RegExp; maxBytes: number }> = [
  { kind: 'manifest', name: /^manifest\.json$/, maxBytes: MEGABYTE },
  { kind: 'secret', name: /^secret$/, maxBytes: 4096 },
  { kind: 'rows', name: /^tables\/([a-z][a-z_]*)\/\d{6,9}\.ndjson$/, maxBytes: 64 * MEGABYTE },
  { kind: 'blob', name: /^blobs\/([a-z0-9][a-z0-9.-]*(?:\/[a-z0-9][a-z0-9.-]*)*)$/, maxBytes: 64 * MEGABYTE },
  {
    kind: 'database',
    name: /^databases\/([1-9]\d{0,9}\/[0-9a-f]{64}\.sqlite(?:-wal)?)$/,
    maxBytes: 1024 * 1024 * MEGABYTE,
  },
  { kind: 'totals', name: /^totals\.json$/, maxBytes: 64 * MEGABYTE },
  { kind: 'sums', name: /^sums\/\d{6,9}$/, maxBytes: MEGABYTE },
  { kind: 'end', name: /^SHA256SUMS$/, maxBytes: 64 * MEGABYTE },
];

/** The kind of an entry, the part of its name that identifies it, and its maximum size. */
export function classify(name: string): { kind: EntryKind; which: string; maxBytes: number } {
  for (const { kind, name: pattern, maxBytes } of KINDS) {
    const found = pattern.exec(name);
    if (found) return { kind, which: found[1] ?? '', maxBytes };
  }
  return { kind: 'unknown', which: '', maxBytes: 0 };
}

export const numbered = (number: number) => String(number).padStart(6, '0');
