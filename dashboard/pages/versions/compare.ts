import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import type { PageFile } from '../files/api.ts';

/** What changed between two versions. */
export interface FileChange {
  path: string;
  kind: 'added' | 'removed' | 'changed';
  /** Sizes in bytes. */
  before: number | undefined;
  after: number | undefined;
}

interface State {
  html_content: string;
  files: PageFile[];
}

/** The files that differ, the page's own HTML first. `before` is undefined for the first version. */
export function compareVersions(before: State | undefined, after: State): FileChange[] {
  const earlier = entriesOf(before);
  const later = entriesOf(after);
  const changes: FileChange[] = [];
  for (const [path, { stamp, size }] of later) {
    const old = earlier.get(path);
    if (old?.stamp === stamp) continue;
    changes.push({ path, kind: old ? 'changed' : 'added', before: old?.size, after: size });
  }
  for (const [path, { size }] of earlier) {
    if (!later.has(path)) changes.push({ path, kind: 'removed', before: size, after: undefined });
  }
  const rank = ({ path }: FileChange) => (path === INDEX_PATH ? 0 : 1);
  return changes.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}

/** Each file with what identifies its content. */
function entriesOf(state: State | undefined): Map<string, { stamp: string; size: number }> {
  if (!state) return new Map();
  const html = { stamp: state.html_content, size: new TextEncoder().encode(state.html_content).length };
  return new Map([
    [INDEX_PATH, html],
    ...state.files.map(({ path, hash, size }) => [path, { stamp: hash, size }] as const),
  ]);
}
