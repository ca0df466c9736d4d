import type { Device } from '../../../contract/analytics/analytics.ts';
import { MAX_PAGE_ERRORS, MAX_PATHS, MAX_REFERRERS } from '../../../contract/analytics/limits.ts';
import type { Reported } from './errors/store.ts';
import { MAX_ERRORS_PENDING, MAX_PAGES_PENDING } from './limits.ts';
import { addHash, createSketch, mergeSketch, type Sketch } from './sketch.ts';

/** The counts of one page in one hour that are not written yet. */
export interface PageCounts extends Record<Device, number> {
  views: number;
  /** Views without a referrer. */
  direct: number;
  /** Loads whose visitors were counted. */
  lookedAt: number;
  sketch: Sketch | undefined;
  /** Views by the host that they came from; the empty host stands for all hosts over the limit. */
  referrers: Map<string, number> | undefined;
  /** Views by the file of a site that was shown; the empty path stands for all files over the limit. */
  paths: Map<string, number> | undefined;
  features: Map<string, { uses: number; tokens: number }> | undefined;
  /** Errors by fingerprint. */
  errors: Map<string, Reported> | undefined;
}

/** The counts of one hour, by page. */
export interface Batch {
  hour: number;
  pages: Map<number, PageCounts>;
}

/**
 * The numbers that wait to be written. Strangers decide how many there are, so all of it is bounded, also while the
 * database is unavailable.
 */
export class Pending {
  #batches: Batch[] = [];
  #current: Batch = { hour: 0, pages: new Map() };
  #pages = 0;
  #errors = 0;

  /** The counts of a page in an hour. Undefined if too many wait. */
  of(pageId: number, hour: number): PageCounts | undefined {
    if (hour !== this.#current.hour) this.#turnTo(hour);
    const counts = this.#current.pages.get(pageId);
    if (counts || this.#pages >= MAX_PAGES_PENDING) return counts;
    this.#pages++;
    const added = {
      views: 0,
      direct: 0,
      lookedAt: 0,
      phone: 0,
      tablet: 0,
      desktop: 0,
      sketch: undefined,
      referrers: undefined,
      paths: undefined,
      features: undefined,
      errors: undefined,
    };
    this.#current.pages.set(pageId, added);
    return added;
  }

  addError(counts: PageCounts, error: Reported): void {
    counts.errors ??= new Map();
    const known = counts.errors.get(error.fingerprint);
    if (known) {
      counts.errors.set(error.fingerprint, merged(known, error));
      return;
    }
    const [oldest] = counts.errors.keys();
    if (counts.errors.size >= MAX_PAGE_ERRORS) counts.errors.delete(oldest as string);
    else if (this.#errors < MAX_ERRORS_PENDING) this.#errors++;
    else return;
    counts.errors.set(error.fingerprint, error);
  }

  /** Takes the counts so far, to write them. Counts that cannot be written are put back. */
  take(): Batch[] {
    const taken = this.#batches.filter(({ pages }) => pages.size > 0);
    this.#batches = [];
    this.#current = { hour: 0, pages: new Map() };
    this.#pages = 0;
    this.#errors = 0;
    return taken;
  }

  putBack({ hour, pages }: Batch): void {
    for (const [pageId, old] of pages) {
      const counts = this.of(pageId, hour);
      if (!counts) return;
      counts.views += old.views;
      counts.direct += old.direct;
      counts.phone += old.phone;
      counts.tablet += old.tablet;
      counts.desktop += old.desktop;
      counts.sketch ??= old.sketch;
      if (old.sketch) mergeSketch(counts.sketch as Sketch, old.sketch);
      for (const [host, views] of old.referrers ?? []) addReferrer(counts, host, views);
      for (const [path, views] of old.paths ?? []) addPath(counts, path, views);
      for (const [feature, { uses, tokens }] of old.features ?? []) addFeature(counts, feature, uses, tokens);
      for (const error of old.errors?.values() ?? []) this.addError(counts, error);
    }
  }

  #turnTo(hour: number): void {
    const known = this.#batches.find((batch) => batch.hour === hour);
    this.#current = known ?? { hour, pages: new Map() };
    if (!known) this.#batches.push(this.#current);
  }
}

export function addVisitor(counts: PageCounts, hash: number): void {
  counts.sketch ??= createSketch();
  addHash(counts.sketch, hash);
}

export function addReferrer(counts: PageCounts, host: string, views: number): void {
  counts.referrers ??= new Map();
  addViews(counts.referrers, host, views, MAX_REFERRERS);
}

export function addPath(counts: PageCounts, path: string, views: number): void {
  counts.paths ??= new Map();
  addViews(counts.paths, path, views, MAX_PATHS);
}

/** Adds views of a name, or of the empty one if there are too many names. */
function addViews(counted: Map<string, number>, name: string, views: number, most: number): void {
  const known = counted.get(name);
  if (known !== undefined || counted.size < most) counted.set(name, (known ?? 0) + views);
  else counted.set('', (counted.get('') ?? 0) + views);
}

export function addFeature(counts: PageCounts, feature: string, uses: number, tokens: number): void {
  counts.features ??= new Map();
  const known = counts.features.get(feature) ?? { uses: 0, tokens: 0 };
  counts.features.set(feature, { uses: known.uses + uses, tokens: known.tokens + tokens });
}

/** The newer of two reports of one error, with both counts. What led to it is that of the first one in its version. */
function merged(a: Reported, b: Reported): Reported {
  const [first, last] = b.last_at >= a.last_at ? [a, b] : [b, a];
  const isSame = first.version === last.version;
  const context = isSame ? (first.context ?? last.context) : (last.context ?? first.context);
  return { ...last, context, count: a.count + b.count, first_at: Math.min(a.first_at, b.first_at) };
}
