import type { Rules } from '../../../../contract/data/collection-rules.ts';
import type { ListQuery } from '../../../../contract/data/records.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Kept } from '../../../lib/live/kept-bytes.ts';
import { Rerun, type RestingQueue } from '../../../lib/live/rerun.ts';
import type { WriteEvent } from '../live/events.ts';
import { recordId } from '../live/replay.ts';
import { matches } from '../queries/matches.ts';
import { type Condition, parseWhere } from '../queries/where.ts';
import { type ReadList, readUnchecked, withMarks } from '../records/read.ts';
import type { Place, ReadContext } from '../records/select.ts';
import { recordWriter } from '../records/wire.ts';
import { findDifferences, type Item } from './differences.ts';

/** A list that is the same for several tabs: it is read once for all of them. */

const ENCODER = new TextEncoder();

/** A list keeps its records, and those of the last change. */
const BYTES_PER_CHARACTER = 2;
const LIST_BYTES = 2_000;

/** What makes two lists the same. */
export interface SharedQuery extends Place {
  query: ListQuery;
  /** The author whose records alone it has; undefined if it has those of all. */
  author: number | undefined;
}

/** A list as it was read. */
export interface ListState {
  rules: Rules | undefined;
  items: Item[];
  total: number;
  hasMore: boolean;
  /** Depends on everything that readers see. */
  hash: string;
}

/** A tab that shows the list. It decides what it sends. */
export interface ListReader {
  /** The address of the reader, or its network. */
  readonly source: string;
  changed(list: SharedList): void;
  failed(list: SharedList, error: AppError): void;
}

export class SharedList {
  readonly readers = new Set<ListReader>();
  state: ListState | undefined;
  /** The address that it was asked for from first. */
  readonly source: string;
  readonly #shared: SharedQuery;
  readonly #context: ReadContext;
  readonly #rerun: Rerun;
  readonly #kept: Kept;
  readonly #condition: Condition | undefined;
  /** The last change, for all readers who have seen the state before it. */
  #step: { from: string; to: string; text: string } | undefined;

  constructor(
    context: ReadContext,
    { queue, kept, source }: { queue: RestingQueue; kept: Kept; source: string },
    shared: SharedQuery,
  ) {
    this.#context = context;
    this.#kept = kept;
    this.source = source;
    this.#rerun = new Rerun({ add: (work) => queue.add(source, work) }, () => this.#run());
    this.#shared = shared;
    const { where } = shared.query;
    this.#condition = where === undefined ? undefined : parseWhere(where).condition;
  }

  stop(): void {
    this.#rerun.stop();
    this.#kept.end();
  }

  /** Reads the list again if a write may have changed it. */
  take(write: WriteEvent): void {
    if (this.#isAbout(write)) this.refresh();
  }

  #isAbout({ storageType, createdBy, body }: WriteEvent): boolean {
    const { author, collection, query } = this.#shared;
    if (storageType !== this.#shared.storageType || body.collection !== collection) return false;
    if (author !== undefined && author !== createdBy) return false;
    // Whether a search finds the record is not tried here: the list is read again.
    if (body.type !== 'deleted' && (!this.#condition || matches(this.#condition, body.record.data)))
      return true;
    if (body.type === 'created') return false;
    const { state } = this;
    // A record that the list does not show may have been counted, or may be in what is being read.
    const isWhole = query.offset === 0 && query.after === undefined && query.before === undefined;
    if (!state || this.#rerun.isRunning || state.hasMore || !isWhole) return true;
    const id = recordId(body);
    return state.items.some((item) => item.id === id);
  }

  /** Reads the list again, soon. */
  refresh(): void {
    this.#rerun.refresh();
  }

  /** Fails if the list cannot be read now, but perhaps later. */
  async #run(): Promise<void> {
    try {
      const { query, author } = this.#shared;
      this.#become(await readUnchecked(this.#context, this.#shared, query, author));
    } catch (error) {
      if (!(error instanceof AppError && isLasting(error))) throw error;
      if (this.#rerun.isStopped) return;
      for (const reader of [...this.readers]) reader.failed(this, error);
    }
  }

  #become(read: ReadList): void {
    if (this.#rerun.isStopped) return;
    const { rules, total, hasMore, marks } = read;
    const write = recordWriter(this.#shared);
    const items = read.rows.map((row, at) => ({ id: row.id, text: withMarks(write(row), marks?.[at]) }));
    const hash = Bun.hash(JSON.stringify([items.map(({ text }) => text), total, hasMore])).toString(36);
    const characters = items.reduce((sum, { text }) => sum + text.length, 0);
    const sources = [...this.readers].map(({ source }) => source);
    if (!this.#kept.resize(BYTES_PER_CHARACTER * characters + LIST_BYTES, sources)) throw tooLarge();
    const before = this.state;
    this.state = { rules, items, total, hasMore, hash };
    if (before && before.hash !== hash) this.#step = makeStep(before, this.state);
    for (const reader of this.readers) reader.changed(this);
  }

  /** The event for a reader who has seen the list with a hash; undefined if there is nothing new. */
  eventFor(id: string, known: string | undefined): Uint8Array | undefined {
    const { state } = this;
    if (!state || state.hash === known) return undefined;
    const step = this.#step;
    const rest = step && step.from === known && step.to === state.hash ? step.text : this.#whole(state);
    return ENCODER.encode(`data: {"id":${JSON.stringify(id)},${rest}}\n\n`);
  }

  #whole({ items, total, hasMore, hash }: ListState): string {
    const { limit, offset } = this.#shared.query;
    const records = items.map(({ text }) => text).join();
    return `"hash":"${hash}","records":[${records}],"total":${total},"limit":${limit},"offset":${offset},"hasMore":${hasMore}`;
  }
}

/** Without a header that says when to try again, the same query would fail again. */
const isLasting = ({ code, headers }: AppError) => code !== 'UNAVAILABLE' || !('retry-after' in headers);

function tooLarge(): AppError {
  return new AppError(
    'RATE_LIMITED',
    'The live lists of this page, or those for your address, are too large together. Ask for fewer records, with limit, or use find.',
  );
}

function makeStep(before: ListState, after: ListState): { from: string; to: string; text: string } {
  const { removed, put } = findDifferences(before.items, after.items);
  const records = put.map(({ at, item }) => `{"at":${at},"record":${item.text}}`).join();
  const text = `"from":"${before.hash}","hash":"${after.hash}","removed":${JSON.stringify(removed)},"put":[${records}],"total":${after.total},"hasMore":${after.hasMore}`;
  return { from: before.hash, to: after.hash, text };
}
