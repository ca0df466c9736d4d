import type { PageRow } from '../../../platform/storage/index.ts';

/** How long a source is kept. Strangers decide how often it is asked for. */
const KEPT_MS = 10_000;
const MAX_KEPT = 20;

type ReadSource = (page: PageRow) => Promise<string>;

/** Remembers for a moment what the authors of pages wrote. */
export function rememberSources(read: ReadSource, now: () => number): ReadSource {
  const kept = new Map<number, { source: Promise<string>; version: number; until: number }>();
  return (page) => {
    const { id, version } = page;
    const known = kept.get(id);
    if (known?.version === version && known.until > now()) return known.source;
    kept.delete(id);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest);
    const source = read(page);
    kept.set(id, { source, version, until: now() + KEPT_MS });
    source.catch(() => kept.get(id)?.source === source && kept.delete(id));
    return source;
  };
}
