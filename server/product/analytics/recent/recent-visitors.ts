import type { Batch } from '../pending.ts';
import { createSketch, decodeSketch, encodeSketch, estimate, mergeSketch } from '../sketch.ts';

/** Somebody who came in this time is taken to be there still. */
const RECENT_MS = 5 * 60_000;
/** Pages with visitors in one write, for five minutes. Strangers decide how many there are. */
const MAX_ENTRIES = 20_000;
/** The pages that are counted for one owner. */
const MAX_COUNTED = 200;

interface Entry {
  at: number;
  pageId: number;
  /** A sketch as text: a few bytes for a few visitors. */
  sketch: string;
}

/** Who came to this node in the last minutes, from what is written anyway. Loads of pages cost nothing more. */
export class RecentVisitors {
  #entries: Entry[] = [];

  constructor(private readonly maxEntries = MAX_ENTRIES) {}

  /** Takes the visitors of a batch that was written. */
  add({ pages }: Pick<Batch, 'pages'>, now: number): void {
    for (const [pageId, { sketch }] of pages)
      if (sketch) this.#entries.push({ at: now, pageId, sketch: encodeSketch(sketch) });
    this.#forget(now);
  }

  /** The visitors of each of these pages. Pages without visitors are left out. */
  count(pageIds: number[], now: number): Map<number, number> {
    this.#forget(now);
    const asked = new Set(pageIds);
    const found = Map.groupBy(
      this.#entries.filter(({ pageId }) => asked.has(pageId)),
      ({ pageId }) => pageId,
    );
    return new Map([...found].slice(0, MAX_COUNTED).map(([pageId, entries]) => [pageId, merge(entries)]));
  }

  #forget(now: number): void {
    const first = this.#entries.findIndex(({ at }) => at > now - RECENT_MS);
    const old = first < 0 ? this.#entries.length : first;
    const tooMany = this.#entries.length - this.maxEntries;
    if (old > 0 || tooMany > 0) this.#entries.splice(0, Math.max(old, tooMany));
  }
}

function merge(entries: Entry[]): number {
  const sketch = createSketch();
  for (const text of new Set(entries.map((entry) => entry.sketch))) mergeSketch(sketch, decodeSketch(text));
  return estimate(sketch);
}
