import { statfsSync } from 'node:fs';
import type { Destination } from '../destination/destination.ts';
import { generationPrefix, nameGeneration } from '../format/names.ts';
import { DamagedError } from '../format/object.ts';
import { listGenerations, readSpan } from '../history.ts';
import { type FollowedLog, LogLostError } from '../log/followed-log.ts';
import { FIRST_STATE, type ReplicaState } from '../state.ts';
import { copyBase } from './base-copy.ts';
import { Chain, type ChainTools } from './chain.ts';
import { Claim, ClaimError, Rival } from './claim.ts';
import { CORRECTION_MS, ReplicaClock } from './clock.ts';
import { removeBelow } from './retention.ts';

/** The log starts over when it has this size. */
const LOG_BYTES = 32 * 1024 ** 2;
/** The log is given up when it has this size, and the replica cannot be written. */
const MAX_LOG_BYTES = 512 * 1024 ** 2;
/** The log may take this part of the space that is left. */
const MAX_LOG_SHARE = 0.5;
/** A generation is not replaced for its length before it has this many bytes. */
const MIN_CHAIN_BYTES = 64 * 1024 ** 2;
const MAX_CHAIN_MS = 24 * 3600 * 1000;

interface ShipperOptions {
  destination: Destination;
  log: FollowedLog;
  dataFolder: string;
  now: () => number;
  warn(sentence: string): void;
  /** Only tests set these. */
  elapsed?: () => number;
  limits?: Partial<typeof LIMITS>;
}
const LIMITS = { logBytes: LOG_BYTES, maxLogBytes: MAX_LOG_BYTES, minChainBytes: MIN_CHAIN_BYTES };

/** Ships the log of the server's database, and makes full copies when they are needed. */
export class Shipper {
  readonly #limits: typeof LIMITS;
  readonly #rival: Rival;
  #claim: Claim | undefined;
  #clock: ReplicaClock | undefined;
  #chain: Chain | undefined;
  #copying: Promise<void> | undefined;
  #copyFailure: unknown;
  /** The name of the generation whose full copy is being made. */
  #making: string | undefined;
  #next: Chain | undefined;
  /** The times of a generation are in order, so another one must begin. */
  #wasClockSetBack = false;
  #oldestAt: number | null = null;
  #shippedAt: number | null = null;
  #isStopping = false;

  constructor(private readonly options: ShipperOptions) {
    this.#limits = { ...LIMITS, ...options.limits };
    this.#rival = new Rival(options.elapsed);
  }

  /** A time for removing things, which does not follow a clock that jumps. Undefined before the first pass. */
  get cautiousNow(): number | undefined {
    return this.#clock?.cautious();
  }

  get chain(): Chain | undefined {
    return this.#chain;
  }

  /** The names of generations that are in use, also those that are being made. */
  get generations(): string[] {
    const made = [this.#chain, this.#next].flatMap((chain) => chain?.generation.name ?? []);
    return this.#making === undefined ? made : [...made, this.#making];
  }

  /** Ships everything that was committed before the call. */
  async pass(): Promise<void> {
    const { log, now } = this.options;
    const at = now();
    const tools = await this.#open();
    await this.#claim?.keep();
    this.#wasClockSetBack ||= (this.#chain?.newestAt ?? 0) > at + CORRECTION_MS;
    if (this.#copyFailure) throw this.#takeCopyFailure();
    try {
      await this.#chain?.advance(tools);
      if (this.#next) await this.#takeNext(tools);
    } catch (error) {
      if (!(error instanceof LogLostError)) throw error;
      this.options.warn(`The replica gets a new full copy: ${error.message}.`);
      this.#chain = undefined;
      this.#next = undefined;
    }
    if (this.#chain) this.#shippedAt = at;
    this.#startOver();
    if (this.#needsCopy()) this.#startCopy(tools);
    if (this.#copying) this.relieve(log.files.databaseBytes);
  }

  /** Gives the log up if it has become too long. Call it when the replica cannot be written. */
  relieve(atLeastBytes = 0): void {
    const { log } = this.options;
    const bytes = log.usedBytes;
    if (bytes < this.#limits.logBytes || bytes < this.#maxLogBytes(atLeastBytes)) return;
    const size = Math.round(bytes / 1024 ** 2);
    this.options.warn(
      `The log of the database has ${size} MB, and cannot wait for the replica. It gets a new full copy.`,
    );
    this.#chain = undefined;
    this.#next = undefined;
    log.letGo();
  }

  describe(): Omit<ReplicaState, 'waiting'> {
    const chain = this.#chain;
    return {
      ...FIRST_STATE,
      status: chain ? 'following' : 'copying',
      checkedAt: this.options.now(),
      shippedAt: this.#shippedAt,
      oldestAt: this.#oldestAt,
      generation: chain?.generation.name ?? null,
      segments: chain?.segments ?? 0,
      bytes: chain ? chain.bytes + chain.base.bytes : 0,
      behindBytes: chain ? chain.countBytesBehind(this.options.log) : this.options.log.files.databaseBytes,
    };
  }

  /** Ships what is left, and lets another server go on. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#copying;
    await this.pass();
    await this.#claim?.release();
  }

  /** Resolves when no full copy is being made. */
  async whenCopied(): Promise<void> {
    await this.#copying;
  }

  /** Looks for the oldest time again, after something was removed. */
  async refresh(): Promise<void> {
    this.#oldestAt = (await listGenerations(this.options.destination))[0]?.at ?? null;
  }

  async #open(): Promise<ChainTools> {
    const { destination, log, dataFolder, now } = this.options;
    this.#claim ??= await Claim.take(destination, dataFolder, now, this.#rival);
    if (!this.#clock) {
      this.#chain = await this.#resume();
      // Also if the log cannot be followed: a clock that is ahead must not make everything look old.
      const newestAt = this.#chain?.newestAt ?? (await readSpan(destination))?.newestAt;
      this.#clock = new ReplicaClock(newestAt, now);
      await this.refresh();
    }
    return { destination, log, clock: this.#clock };
  }

  async #resume(): Promise<Chain | undefined> {
    const { destination, log } = this.options;
    try {
      return await Chain.resume({ destination, log });
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      this.options.warn(`The replica gets a new full copy, because it is damaged: ${error.message}.`);
      return undefined;
    }
  }

  /** A full copy is done. Ships what it lacks, and goes on with it. */
  async #takeNext(tools: ChainTools): Promise<void> {
    const next = this.#next;
    if (!next) return;
    await next.complete(tools);
    this.#chain = next;
    this.#next = undefined;
    await this.refresh();
  }

  #needsCopy(): boolean {
    if (this.#copying || this.#next || this.#isStopping) return false;
    const { log, now } = this.options;
    const chain = this.#chain;
    if (!chain) return true;
    const longest = Math.max(this.#limits.minChainBytes, log.files.databaseBytes);
    const isOld = now() - (chain.completeAt ?? 0) > MAX_CHAIN_MS;
    return chain.bytes > longest || isOld || this.#wasClockSetBack;
  }

  #startCopy({ destination, log }: ChainTools): void {
    const copy = async () => {
      const last = (await listGenerations(destination)).at(-1)?.number ?? 0;
      const generation = nameGeneration(last + 1, this.#claim?.number ?? 0);
      this.#making = generation.name;
      // One of this name may have been given up, with other segments.
      await removeBelow(destination, generationPrefix(generation));
      this.#wasClockSetBack = false;
      const position = log.findStart();
      const base = await copyBase(destination, log, generation, () => this.#isStopping);
      this.#next = Chain.begin(generation, base, position);
    };
    this.#copying = copy()
      .catch((error: unknown) => {
        if (!this.#isStopping) this.#copyFailure = error;
      })
      .finally(() => {
        this.#copying = undefined;
      });
  }

  #takeCopyFailure(): unknown {
    const failure = this.#copyFailure;
    this.#copyFailure = undefined;
    return failure;
  }

  #startOver(): void {
    const { log } = this.options;
    if (!this.#chain || this.#copying || this.#next || log.usedBytes < this.#limits.logBytes) return;
    this.#chain.startLogOver(log);
  }

  #maxLogBytes(atLeastBytes: number): number {
    const { bavail, bsize } = statfsSync(this.options.dataFolder);
    return Math.min(Math.max(this.#limits.maxLogBytes, atLeastBytes), bavail * bsize * MAX_LOG_SHARE);
  }
}

/** The status and the sentence for an error of a pass. */
export function describeFailure(error: unknown, name: string): Pick<ReplicaState, 'status' | 'problem'> {
  if (error instanceof ClaimError) return { status: 'refused', problem: error.message };
  const { message, code } = error as NodeJS.ErrnoException;
  const why = code === 'ENOSPC' ? 'its disk is full' : message;
  return { status: 'failing', problem: `The replica at ${name} cannot be written: ${why}` };
}
