import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Destination, WRITERS } from '../destination/destination.ts';
import { writerKey } from '../format/names.ts';
import { DamagedError, seal, unseal } from '../format/object.ts';
import { parseHeader } from '../format/segment.ts';

/** Thrown if another server writes to the replica. */
export class ClaimError extends Error {}

const Writer = z.object({
  kind: z.literal('writer'),
  /** The data folder. */
  folderId: z.string(),
  host: z.string(),
  folder: z.string(),
  at: z.int(),
  hasStopped: z.boolean(),
});
type Writer = z.infer<typeof Writer>;

const Identity = z.object({
  id: z.string(),
  /** The folder that the data was restored from. */
  continues: z.string().optional(),
  /** Where this folder writes, or has last written. */
  place: z.string().optional(),
});
type Identity = z.infer<typeof Identity>;

const FILE = 'replica.json';
/** How often a writer shows that it runs, and looks whether another one has taken over. */
const BEAT_MS = 10_000;
/** A writer that was silent for so long does not run, if the clocks are right. */
const SILENT_MS = 60_000;
/** How long to watch a writer before it counts as silent. */
const WATCH_MS = 30_000;

/** Says which data folder this is; made once. A restored folder may go on with the replica it comes from. */
export function readIdentity(dataFolder: string): Identity {
  const path = join(dataFolder, FILE);
  if (!existsSync(path)) writeIdentity(dataFolder, { id: randomUUID() });
  return Identity.parse(JSON.parse(readFileSync(path, 'utf8')));
}

export function writeIdentity(dataFolder: string, identity: Identity): void {
  const path = join(dataFolder, FILE);
  writeFileSync(`${path}.new`, JSON.stringify(identity), { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

/** The last writer of a replica; undefined if there was none. It is `damaged` if nobody can tell who it was. */
export async function readWriter(
  destination: Destination,
): Promise<{ number: number; writer: Writer | 'damaged' } | undefined> {
  const last = (await destination.list(WRITERS)).at(-1);
  if (last === undefined) return undefined;
  const number = Number(last.slice(WRITERS.length));
  try {
    const { header } = unseal(last, await destination.get(last));
    return { number, writer: parseHeader(last, Writer, header) };
  } catch (error) {
    if (error instanceof DamagedError) return { number, writer: 'damaged' };
    throw error;
  }
}

/** Watches another writer with a clock that nobody can set: two machines can have different times. */
export class Rival {
  #seenAt: number | undefined;
  #since = 0;

  constructor(private readonly elapsed = () => performance.now()) {}

  /** Whether a writer, which last showed at this time that it runs, has not done so for a while. */
  isSilent(at: number): boolean {
    if (at !== this.#seenAt) this.#since = this.elapsed();
    this.#seenAt = at;
    return this.elapsed() - this.#since >= WATCH_MS;
  }
}

/** The right to write to a replica, which one data folder at a time has. */
export class Claim {
  #beatAt = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly destination: Destination,
    readonly number: number,
    private readonly self: Omit<Writer, 'at' | 'hasStopped'>,
    private readonly now: () => number,
  ) {}

  /** Takes the replica, unless it belongs to another data folder. */
  static async take(
    destination: Destination,
    dataFolder: string,
    now: () => number,
    rival: Rival,
  ): Promise<Claim> {
    const identity = readIdentity(dataFolder);
    const self = {
      ...{ kind: 'writer' as const, folderId: identity.id },
      ...{ host: hostname(), folder: dataFolder },
    };
    const last = await readWriter(destination);
    const isOurs = isWriter(last?.writer, identity.id);
    const wasHere = identity.place === destination.name;
    if (!last && wasHere) throw new Error(NOTHING_LEFT);
    if (last && !isOurs && !(last.writer === 'damaged' && wasHere))
      assertFree(destination, last.writer, identity, { now: now(), rival });
    const claim = new Claim(destination, isOurs && last ? last.number : (last?.number ?? 0) + 1, self, now);
    if (isOurs) await claim.#write(false);
    else if (!(await destination.create(writerKey(claim.number), claim.#seal(false))))
      throw new ClaimError(
        `Another server has just begun to write to the replica at ${destination.name}. Give each server a place of its own.`,
      );
    if (!wasHere) writeIdentity(dataFolder, { ...identity, place: destination.name });
    return claim;
  }

  /** Shows now and then that this server runs. Throws if another one has taken over. */
  async keep(): Promise<void> {
    const elapsed = performance.now();
    if (elapsed - this.#beatAt < BEAT_MS) return;
    const last = await readWriter(this.destination);
    if (!last) throw new Error(NOTHING_LEFT);
    const isOurs = last.writer === 'damaged' || isWriter(last.writer, this.self.folderId);
    if (last.number !== this.number || !isOurs)
      throw new ClaimError(
        `${sayWriter(last.writer)} writes to the replica at ${this.destination.name} now. This server has stopped doing so. Set QUIRE_REPLICA to another place.`,
      );
    await this.#write(false);
    this.#beatAt = elapsed;
  }

  /** Lets a folder that was restored from the replica take it at once. */
  release(): Promise<void> {
    return this.#write(true);
  }

  #seal(hasStopped: boolean): Buffer {
    return seal({ ...this.self, at: this.now(), hasStopped }).bytes;
  }

  #write(hasStopped: boolean): Promise<void> {
    return this.destination.put(writerKey(this.number), this.#seal(hasStopped));
  }
}

const NOTHING_LEFT =
  'nothing is left of it. If it is on a disk that is not mounted, mount the disk. To begin a new replica, set QUIRE_REPLICA to another place';

const isWriter = (writer: Writer | 'damaged' | undefined, folderId: string) =>
  writer !== undefined && writer !== 'damaged' && writer.folderId === folderId;

function assertFree(
  { name }: Destination,
  last: Writer | 'damaged',
  identity: Identity,
  { now, rival }: { now: number; rival: Rival },
): void {
  if (last === 'damaged')
    throw new ClaimError(
      `The replica at ${name} is damaged: it does not say which server it belongs to. Set QUIRE_REPLICA to another place.`,
    );
  if (identity.continues !== last.folderId)
    throw new ClaimError(
      `The replica at ${name} belongs to ${sayWriter(last)}, and not to this server. Set QUIRE_REPLICA to a place of its own.`,
    );
  const isSilent = rival.isSilent(last.at) && Math.abs(now - last.at) >= SILENT_MS;
  if (last.hasStopped || isSilent) return;
  throw new ClaimError(
    `${sayWriter(last)}, from which this data was restored, still writes to the replica at ${name}, or did a minute ago. Stop it, or set QUIRE_REPLICA to another place.`,
  );
}

function sayWriter(writer: Writer | 'damaged'): string {
  if (writer === 'damaged') return 'another server';
  const { host, folder } = writer;
  return `the server on ${host} with the data folder ${folder}`;
}
