/** What changed between two versions. */
export interface FileChange {
  path: string;
  kind: 'added' | 'removed' | 'changed';
  /** Sizes in bytes. */
  before: number | undefined;
  after: number | undefined;
}

/** The files of a version: what identifies the content of each, and its size in bytes. */
export type Entries = Map<string, { stamp: string; size: number }>;

/** A text identifies itself. */
export const textEntry = (text: string) => ({ stamp: text, size: new TextEncoder().encode(text).length });

/** The files that differ, `first` before all others. */
export function compareEntries(earlier: Entries, later: Entries, first: string): FileChange[] {
  const changes: FileChange[] = [];
  for (const [path, { stamp, size }] of later) {
    const old = earlier.get(path);
    if (old?.stamp === stamp) continue;
    changes.push({ path, kind: old ? 'changed' : 'added', before: old?.size, after: size });
  }
  for (const [path, { size }] of earlier) {
    if (!later.has(path)) changes.push({ path, kind: 'removed', before: size, after: undefined });
  }
  const rank = ({ path }: FileChange) => (path === first ? 0 : 1);
  return changes.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}
