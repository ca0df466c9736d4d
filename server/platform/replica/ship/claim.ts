import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Destination } from '../destination/destination.ts';
import { WRITERS, writerKey } from '../format/names.ts';
import { seal, unseal } from '../format/object.ts';
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

const Identity = z.object({ id: z.string(), continues: z.string().optional() });
type Identity = z.infer<typeof Identity>;

const FILE = 'replica.json';
/** How often a writer shows that it runs, and looks whether another one has taken over. */
const BEAT_MS = 10_000;
/** A writer that was silent for so long does not run. */
const SILENT_MS = 60_000;

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

/** The last writer of a replica; undefined if there was none. */
export async function readWriter(
  destination: Destination,
): Promise<{ number: number; writer: Writer } | undefined> {
  const last = (await destination.list(WRITERS)).at(-1);
  if (last === undefined) return undefined;
  const { header } = unseal(last, await destination.get(last));
  return { number: Number(last.slice(WRITERS.length)), writer: parseHeader(last, Writer, header) };
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
  static async take(destination: Destination, dataFolder: string, now: () => number): Promise<Claim> {
    const identity = readIdentity(dataFolder);
    const self = {
      ...{ kind: 'writer' as const, folderId: identity.id },
      ...{ host: hostname(), folder: dataFolder },
    };
    const last = await readWriter(destination);
    if (last && last.writer.folderId !== identity.id) assertFree(destination, last.writer, identity, now());
    const isOurs = last?.writer.folderId === identity.id;
    const claim = new Claim(destination, isOurs ? last.number : (last?.number ?? 0) + 1, self, now);
    if (isOurs) await claim.#write(false);
    else if (!(await destination.create(writerKey(claim.number), claim.#seal(false))))
      throw new ClaimError(
        `Another server has just begun to write to the replica at ${destination.name}. Give each server a place of its own.`,
      );
    return claim;
  }

  /** Shows now and then that this server runs. Throws if another one has taken over. */
  async keep(): Promise<void> {
    const elapsed = performance.now();
    if (elapsed - this.#beatAt < BEAT_MS) return;
    const last = await readWriter(this.destination);
    if (last && (last.number !== this.number || last.writer.folderId !== this.self.folderId))
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

function assertFree({ name }: Destination, last: Writer, identity: Identity, now: number): void {
  if (identity.continues !== last.folderId)
    throw new ClaimError(
      `The replica at ${name} belongs to ${sayWriter(last)}, and not to this server. Set QUIRE_REPLICA to a place of its own.`,
    );
  if (last.hasStopped || Math.abs(now - last.at) >= SILENT_MS) return;
  throw new ClaimError(
    `${sayWriter(last)}, from which this data was restored, still writes to the replica at ${name}. Stop it, or set QUIRE_REPLICA to another place.`,
  );
}

function sayWriter({ host, folder }: Writer): string {
  return `the server on ${host} with the data folder ${folder}`;
}
