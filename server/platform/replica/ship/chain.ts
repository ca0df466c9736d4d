import type { LogPosition } from '../../../lib/formats/sqlite-log.ts';
import type { Destination } from '../destination/destination.ts';
import { catalogKey, type GenerationName, segmentKey } from '../format/names.ts';
import { seal } from '../format/object.ts';
import { decodeSegment, encodeSegment } from '../format/segment.ts';
import { type BaseCopy, listGenerations, listSegments, readBaseCopy, sumPieces } from '../history.ts';
import type { Changes, FollowedLog } from '../log/followed-log.ts';
import type { ReplicaClock } from './clock.ts';

/** Frames in one segment, unless one transaction has more: 32 MB of pages. */
const MAX_FRAMES = 8_192;

/** What chains are made with. */
export interface ChainTools {
  destination: Destination;
  log: FollowedLog;
  clock: ReplicaClock;
}

/** A generation that grows, segment by segment. */
export class Chain {
  segments = 0;
  /** Bytes of the segments, as they are stored. */
  bytes = 0;
  /** Since when it can be restored. */
  completeAt: number | undefined;
  newestAt: number | undefined;
  /** Changes that are not in the replica yet, and may no longer be in the log. */
  #pending: Changes | undefined;
  /** An object that may have been stored, although there was no response. */
  #sent: { key: string; bytes: Buffer; sum: string; at: number } | undefined;

  constructor(
    readonly generation: GenerationName,
    readonly base: BaseCopy,
    private previous: string,
    private position: LogPosition,
  ) {}

  /** The end of the newest generation, if the log still has what comes next. */
  static async resume({ destination, log }: Omit<ChainTools, 'clock'>): Promise<Chain | undefined> {
    const generation = (await listGenerations(destination)).at(-1);
    if (!generation) return undefined;
    const segments = await listSegments(destination, generation);
    const last = segments.at(-1);
    if (!last || last.index !== segments.length - 1) return undefined;
    const { header, sum } = decodeSegment(last.key, await destination.get(last.key));
    if (!log.has(header.position)) return undefined;
    const chain = new Chain(generation, await readBaseCopy(destination, generation), sum, header.position);
    chain.segments = segments.length;
    chain.completeAt = generation.at;
    chain.newestAt = last.at;
    return chain;
  }

  static begin(generation: GenerationName, base: BaseCopy, position: LogPosition): Chain {
    return new Chain(generation, base, sumPieces(base), position);
  }

  countBytesBehind(log: FollowedLog): number {
    return log.countBytesAfter(this.position);
  }

  /** Ships everything that was committed so far. */
  async advance({ destination, log, clock }: ChainTools): Promise<void> {
    for (;;) {
      this.#pending ??= log.read(this.position, MAX_FRAMES);
      if (!this.#pending) return;
      await this.#ship(this.#pending, destination, clock);
      log.holdNew(this.position);
    }
  }

  /** Ends the full copy: from now on it can be restored. */
  async complete(tools: ChainTools): Promise<void> {
    const { destination, log, clock } = tools;
    await this.advance(tools);
    if (this.segments === 0) await this.#ship(log.readNothing(this.position), destination, clock);
    const at = this.newestAt ?? 0;
    await destination.put(catalogKey(this.generation, at, this.segments - 1), seal(this.base).bytes);
    this.completeAt = at;
  }

  async #ship(changes: Changes, destination: Destination, clock: ReplicaClock): Promise<void> {
    if (!this.#sent) {
      const at = clock.stamp(changes.at);
      const key = segmentKey(this.generation, this.segments, at);
      this.#sent = { key, at, ...encodeSegment(changes, at, this.previous) };
    }
    const { key, bytes, sum, at } = this.#sent;
    await destination.put(key, bytes);
    this.#sent = undefined;
    this.#pending = undefined;
    this.position = changes.position;
    this.previous = sum;
    this.segments++;
    this.bytes += bytes.length;
    this.newestAt = at;
  }

  /** Lets the log start over. What was written in the meantime is shipped next. */
  startLogOver(log: FollowedLog): void {
    this.#pending = log.startOver(this.position);
  }
}
