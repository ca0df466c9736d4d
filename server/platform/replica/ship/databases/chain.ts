import { rmSync } from 'node:fs';
import type { Destination } from '../../destination/destination.ts';
import { openContent } from '../../format/content.ts';
import { type DatabaseSegmentName, databaseSegmentKey } from '../../format/names.ts';
import { DamagedError } from '../../format/object.ts';
import { CORRECTION_MS } from '../clock.ts';
import { putFile } from '../files.ts';
import type { PackDatabase, PackOrder, PackReport } from './port.ts';
import type { ChainState, ChainStates } from './state.ts';

/** A chain is not replaced for its length before it has this many bytes. */
const MIN_CHAIN_BYTES = 1024 ** 2;
/** What an object counts at least: many small ones take long to read from a bucket. */
const OBJECT_BYTES = 4 * 1024;
const MAX_CHAIN_MS = 24 * 3600 * 1000;

export interface DatabaseChainTools {
  destination: Destination;
  states: ChainStates;
  pack: PackDatabase;
  now: () => number;
}

/** Thrown if the place cannot be written: other databases cannot be shipped either. */
export class PlaceError extends Error {
  readonly code: string | undefined;

  constructor(cause: Error) {
    super(cause.message, { cause });
    this.code = (cause as NodeJS.ErrnoException).code;
  }
}

/** A packed segment that is not in the replica yet, or for which there was no response. */
interface Packed {
  order: PackOrder;
  report: PackReport;
  stamp: string;
  name: Omit<DatabaseSegmentName, 'key'>;
}

/** The chain of one database, which grows segment by segment. */
export class DatabaseChain {
  #packed: Packed | undefined;
  #isVerified = false;
  /** How often in a row it could not be packed. */
  #failures = 0;

  /** `state` is what is known of the newest segment, and `lastChain` the number of the newest chain in the replica. */
  constructor(
    private readonly id: { ownerId: number; file: string },
    private state: ChainState | undefined,
    private lastChain: number,
    private readonly tools: DatabaseChainTools,
  ) {}

  /** The files of the database at the newest segment. */
  get stamp(): string | undefined {
    return this.state?.stamp;
  }

  /** Whether the next segment has all pages. */
  get isNextFull(): boolean {
    return this.#since === undefined;
  }

  /** Ships what has changed, for files with this stamp. False if there is no such database any more. */
  async advance(stamp: string): Promise<boolean> {
    if (this.#packed) {
      await this.#ship(this.#packed);
      return true;
    }
    await this.#verify();
    const { states, pack } = this.tools;
    const since = this.#since;
    const order: PackOrder = { segment: states.scratch(), hashes: states.scratch(), since };
    try {
      const report = await this.#counting(() => pack(this.id.ownerId, this.id.file, order));
      if (!report) return false;
      await this.#take(order, report, stamp);
      return true;
    } finally {
      if (!this.#waitsToSend(order)) removeFiles(order);
    }
  }

  #waitsToSend(order: PackOrder): boolean {
    return this.#packed?.order === order;
  }

  /** Frees what it has on this disk: there is no such database any more. */
  forget(): void {
    if (this.#packed) removeFiles(this.#packed.order);
    this.#packed = undefined;
    if (this.state) this.tools.states.forget(this.state);
    this.state = undefined;
  }

  /**
   * What the next segment builds on. After a failure the log is not trusted any more, and after a second one neither are
   * the hashes.
   */
  get #since(): PackOrder['since'] {
    const { state } = this;
    if (!state || this.#failures > 1 || this.#isLong(state)) return undefined;
    const hashes = this.tools.states.findHashes(state);
    const position = this.#failures === 0 ? state.position : undefined;
    return hashes === undefined ? undefined : { hashes, position, pageBytes: state.pageBytes };
  }

  /** A new chain also begins if the clock was set back: the times of a chain are in order. */
  #isLong({ startedAt, at, baseBytes, laterBytes }: ChainState): boolean {
    const now = this.tools.now();
    return (
      now - startedAt > MAX_CHAIN_MS ||
      now < at - CORRECTION_MS ||
      laterBytes > Math.max(baseBytes, MIN_CHAIN_BYTES)
    );
  }

  /** Reads the newest segment once after a start: nothing can follow it if it is damaged. */
  async #verify(): Promise<void> {
    if (this.#isVerified || !this.state) return;
    try {
      const { sum } = await openContent(this.tools.destination, this.state.key);
      if (sum !== this.state.sum) throw new DamagedError(`${this.state.key} is another one`);
    } catch (error) {
      if (!(error instanceof DamagedError)) throw new PlaceError(error as Error);
      this.forget();
    }
    this.#isVerified = true;
  }

  async #counting<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.#failures = 0;
      return result;
    } catch (error) {
      this.#failures++;
      throw error;
    }
  }

  async #take(order: PackOrder, report: PackReport, stamp: string): Promise<void> {
    const { state } = this;
    const continued = order.since && !report.isFull ? state : undefined;
    if (continued && report.pages === 0 && report.pageCount === continued.pageCount) {
      const { hashes: _, ...same } = continued;
      this.state = this.tools.states.save(
        { ...same, position: report.position, stamp },
        order.hashes,
        continued,
      );
      return;
    }
    const name = {
      ...this.id,
      chain: continued?.chain ?? this.lastChain + 1,
      index: continued ? continued.index + 1 : 0,
      at: Math.max(report.at, continued?.at ?? 0),
    };
    // The number of a chain is used once, also if it does not get into the replica.
    this.lastChain = name.chain;
    this.#packed = { order, report, stamp, name };
    await this.#ship(this.#packed);
  }

  /** If there is no response, the same object is sent again: it may be there. */
  async #ship(packed: Packed): Promise<void> {
    const { order, report, stamp, name } = packed;
    const { destination, states } = this.tools;
    const { pageBytes, pageCount, bytes = 0, checksum = '' } = report;
    const earlier = this.state;
    const previous = name.index > 0 ? (earlier?.sum ?? null) : null;
    const key = databaseSegmentKey(name);
    const segment = { previous, pageBytes, pageCount, bytes, checksum };
    const sum = await putFile(destination, key, order.segment, { segment }).catch((error: Error) => {
      // A full one can be large: it does not wait on this disk.
      if (name.index === 0) this.#drop(packed);
      throw new PlaceError(error);
    });
    if (sum === undefined) {
      this.#drop(packed);
      throw new Error('a packed segment is gone');
    }
    this.state = states.save(
      {
        ...{ ...this.id, key, sum, chain: name.chain, index: name.index, at: name.at },
        startedAt: name.index === 0 ? name.at : (earlier?.startedAt ?? name.at),
        baseBytes: name.index === 0 ? bytes : (earlier?.baseBytes ?? bytes),
        laterBytes: name.index === 0 ? 0 : (earlier?.laterBytes ?? 0) + Math.max(bytes, OBJECT_BYTES),
        ...{ pageBytes, pageCount, position: report.position, stamp },
      },
      order.hashes,
      earlier,
    );
    this.#isVerified = true;
    this.#drop(packed);
  }

  #drop({ order }: Packed): void {
    this.#packed = undefined;
    removeFiles(order);
  }
}

function removeFiles({ segment, hashes }: PackOrder): void {
  for (const path of [segment, hashes]) rmSync(path, { force: true });
}
