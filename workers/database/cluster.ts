import { DurableObject } from 'cloudflare:workers';
import { collectGarbage } from '../collect-garbage.ts';
import {
  CELL_PATHS,
  cooldownEnd,
  D1_PATHS,
  DATABASE_HEADERS,
  DATABASE_PATHS,
  type HostStatus,
  MOVE_PATHS,
  RUNS_FOR_OWNER,
} from '../protocol.ts';
import { SqlDatabase } from './database.ts';
import { Drain } from './drain.ts';
import { CodedError, failure, relocating, removed } from './failures.ts';
import { Fence, readRaised } from './fence.ts';
import { forgetUse, Handover, isEmpty, isSelf, lastUses, noteUse } from './handover.ts';
import { identifySender } from './keys.ts';
import { findHome, forwardTo, type Neighbours } from './moves/neighbours.ts';
import { Moved, PLACE, Place } from './moves/place.ts';
import { takeStep } from './moves/steps.ts';
import { countPending, withinLimit } from './pending.ts';
import { GrantedQuota } from './quota/granted.ts';
import { openAtDatabase, sendToDatabase } from './send.ts';
import { parseTarget } from './target.ts';
import { ArrivedCount, WaitingCount } from './transaction/waiting.ts';

/** A host of a cluster: one shard at one node. It has databases of many owners, and each database may be at any node. */

interface Environment extends Neighbours {
  DATABASES: DurableObjectNamespace;
  /** The server's key. */
  KEY: string;
  /** Owners whose statements ended a host of this node, and until when they must wait. */
  COOLDOWNS: string;
}

/** What owners run. The rest is how the server copies and removes databases. */
const STATEMENT_PATHS: readonly string[] = [...CELL_PATHS, DATABASE_PATHS.import, DATABASE_PATHS.migrate];

/** Where a database stores the generation that its fence admits. */
const GENERATION = 'quire:generation';

const drain = new Drain();
const waiting = new WaitingCount();
/** The owner whose statement ran last on this host. */
let lastOwner = '';

/** Prints the owner when it changes, because nothing else leaves this process while a statement runs. */
function printOwner(owner: string): void {
  if (owner === lastOwner) return;
  lastOwner = owner;
  console.log(RUNS_FOR_OWNER + owner);
}

export class Database extends DurableObject<Environment> {
  private name = '';
  private owner = '';
  /** A function that is still finishing a call must not bring a removed database back. */
  private isRemoved = false;
  private handover: Handover | undefined;
  private stored: Promise<{ fence: Fence; place: Place }> | undefined;
  private place: Place | undefined;
  /** Attempts whose responses have not left. */
  private readonly attempts = new Set<string | null>();
  private readonly arrived = new ArrivedCount();
  private readonly quota = new GrantedQuota(this.env.SERVER, this.env.KEY, () => ({
    owner: this.owner,
    database: this.name,
  }));
  private readonly database = new SqlDatabase(this.ctx, {
    quota: this.quota,
    runsScriptsInPieces: true,
    assertHere: () => this.place?.assertNotMoved(),
    isDraining: () => drain.isDraining,
    beforeStatement: () => printOwner(this.owner),
    countPending: () => countPending.bind(undefined, this.owner),
    usage: () => undefined,
  });

  override async fetch(request: Request): Promise<Response> {
    const { pathname } = parseTarget(request);
    const attempt = request.headers.get(DATABASE_HEADERS.attempt);
    if (pathname === DATABASE_PATHS.ping) return this.answerPing(attempt);
    this.name = request.headers.get(DATABASE_HEADERS.database) ?? this.name;
    if (pathname === DATABASE_PATHS.handover) return this.writeHandover(request);
    if (drain.isDraining) return notRun();
    const done = drain.begin();
    this.attempts.add(attempt);
    try {
      noteUse(this.name);
      this.owner = request.headers.get(DATABASE_HEADERS.owner) ?? '';
      return await this.arrived.respond(request, () => this.respond(request));
    } finally {
      // The response leaves when what it wrote is in the bucket.
      void this.ctx.storage
        .sync()
        .catch(() => undefined)
        .finally(() => {
          this.attempts.delete(attempt);
          done();
        });
    }
  }

  /**
   * Says whether it is busy with an attempt. While a transaction is open, the question itself waits. A host of an earlier
   * version does not name an attempt.
   */
  private async answerPing(attempt: string | null): Promise<Response> {
    if (attempt !== null && this.attempts.has(attempt))
      return new Response(null, { headers: { [DATABASE_HEADERS.busy]: '1' } });
    await this.database.untilUnlocked();
    return new Response();
  }

  private async respond(request: Request): Promise<Response> {
    const cooldown = cooldownFailure(request, this.env);
    if (cooldown) return cooldown;
    const { pathname } = parseTarget(request);
    if (request.method === 'DELETE') {
      this.isRemoved = true;
      forgetUse(this.name);
      this.quota.granted = undefined;
    } else if (this.isRemoved && pathname !== DATABASE_PATHS.moveForget) return removed();
    const { fence, place } = await this.readStored();
    let settled: (() => void) | undefined;
    try {
      if (MOVE_PATHS.includes(pathname)) return await this.takeStep(pathname, request, fence, place);
      // Of a write that is sent again, this place may still know whether it ran here.
      if (!place.isHere && !request.headers.has(DATABASE_HEADERS.resentAfter))
        await place.admit(request.headers);
      if (pathname === DATABASE_PATHS.fence) return await this.raiseFence(fence, request);
      const refusal = fence.refuse(request);
      if (refusal) return refusal;
      if (pathname === DATABASE_PATHS.replaceLines) this.takeGrant(request);
      settled = fence.begin();
      // Its end is what the drain waits for, not its response.
      if (pathname === DATABASE_PATHS.transaction)
        return (await this.database.openTransaction(request, this.arrived.begin(drain.begin()))) ?? notRun();
      const refused = await this.refuseSecondRun(request);
      if (refused) return refused;
      if (!place.isHere) await place.admit(request.headers);
      return await this.database.fetch(request);
    } catch (error) {
      if (error instanceof Moved) return error.respond();
      if (error instanceof CodedError) return relocating();
      throw error;
    } finally {
      settled?.();
    }
  }

  private readStored(): Promise<{ fence: Fence; place: Place }> {
    const { storage } = this.ctx;
    this.stored ??= storage.get([GENERATION, PLACE]).then((found) => {
      this.place = new Place(
        {
          shard: Number(this.env.SHARD),
          storage,
          isEmpty: () => isEmpty(storage),
          findHome: () => findHome(this.env, this.owner),
        },
        found.get(PLACE) as ConstructorParameters<typeof Place>[1],
      );
      return { fence: new Fence(found.get(GENERATION) as number | undefined), place: this.place };
    });
    return this.stored;
  }

  private async takeStep(pathname: string, request: Request, fence: Fence, place: Place): Promise<Response> {
    const { storage } = this.ctx;
    const { quota, database } = this;
    const response = await takeStep(pathname, request, {
      ...{ place, database, fence },
      storeGeneration: (generation) => storage.put(GENERATION, generation),
      async withoutQuota(work) {
        quota.granted = Number.MAX_SAFE_INTEGER;
        return work().finally(() => {
          quota.granted = undefined;
        });
      },
      async empty() {
        await storage.deleteAll();
        database.forgetCounters();
      },
    });
    return response ?? new Response(null, { status: 404 });
  }

  private async raiseFence(fence: Fence, request: Request): Promise<Response> {
    const generation = await readRaised(request);
    fence.raise(generation);
    await this.ctx.storage.put(GENERATION, generation);
    this.database.forgetCounters();
    if (!(await fence.settle())) return notRun();
    return this.database.fetch(new Request(request.url, { method: 'POST' }));
  }

  /** Whoever replaces a database has asked for its bytes: the server of this node may not respond. */
  private takeGrant({ headers }: Request): void {
    const granted = Number(headers.get(DATABASE_HEADERS.granted) ?? 0);
    if (granted > 0) this.quota.granted = Math.max(this.quota.granted ?? 0, granted);
  }

  /** Refuses a write that may already have run. */
  private async refuseSecondRun({ headers }: Request): Promise<Response | undefined> {
    const id = headers.get(DATABASE_HEADERS.writeId);
    if (id === null) return undefined;
    const resentAfter = headers.get(DATABASE_HEADERS.resentAfter);
    this.handover ??= new Handover(this.ctx.storage, this.name);
    const again = resentAfter === null ? undefined : { sentMsAgo: Number(resentAfter) };
    const mayRun = await this.handover.begin(id, again);
    // The handover may have written a note.
    this.database.forgetCounters();
    if (mayRun) return undefined;
    return new Response(null, { status: 503, headers: { [DATABASE_HEADERS.maybeRun]: '1' } });
  }

  /** Writes the notes only for its own process while it drains. Later, another node may have the database. */
  private async writeHandover(request: Request): Promise<Response> {
    if (!drain.isDraining || !isSelf(request.headers.get(DATABASE_HEADERS.handover)) || this.isRemoved)
      return new Response(null, { status: 409 });
    this.handover ??= new Handover(this.ctx.storage, this.name);
    await this.handover.leave();
    return new Response();
  }
}

export default {
  async fetch(request: Request, env: Environment, ctx: ExecutionContext): Promise<Response> {
    const { pathname } = parseTarget(request);
    if (!(await mayAsk(request, pathname, env.KEY))) return new Response(null, { status: 403 });
    const name = request.headers.get(DATABASE_HEADERS.database);
    // The server asks about the host itself. Requests of cells always name their database.
    if (name === null) {
      if (pathname === DATABASE_PATHS.drain) await drain.run(env.DATABASES);
      if (pathname === DATABASE_PATHS.collect) collectGarbage();
      const body: HostStatus = { lastUses: lastUses() };
      return Response.json(body);
    }
    const cooldown = cooldownFailure(request, env);
    if (cooldown) return cooldown;
    const connect = () => env.DATABASES.get(env.DATABASES.idFromName(name));
    if (pathname === DATABASE_PATHS.transaction)
      return waiting.send(name, pathname, ctx, () =>
        openAtDatabase(connect, request, () => new IdentityTransformStream(), forwardTo(env, request)),
      );
    const respond = () =>
      waiting.send(name, pathname, ctx, () =>
        sendToDatabase(
          connect,
          request,
          (body) => isRepeatable(request.method, pathname, body),
          forwardTo(env, request),
        ),
      );
    return STATEMENT_PATHS.includes(pathname) ? withinLimit(request, respond) : respond();
  },
};

/** The server, a cell, or another host of this node for either of them. Only hosts know where a database has moved. */
async function mayAsk(request: Request, pathname: string, key: string): Promise<boolean> {
  if (request.headers.has(DATABASE_HEADERS.forwarded))
    return request.headers.get(DATABASE_HEADERS.forwarded) === key;
  const sender = await identifySender(request, pathname, key);
  return sender === 'server' || (sender === 'cell' && !request.headers.has(DATABASE_HEADERS.moved));
}

const notRun = () => new Response(null, { status: 503, headers: { [DATABASE_HEADERS.notRun]: '1' } });

function cooldownFailure(request: Request, env: Environment): Response | undefined {
  const until = cooldownEnd(env.COOLDOWNS, request.headers.get(DATABASE_HEADERS.owner) ?? '');
  if (Date.now() >= until || !STATEMENT_PATHS.includes(parseTarget(request).pathname)) return undefined;
  const seconds = Math.ceil((until - Date.now()) / 1000);
  const error = `One of your statements took so much time or memory that databases of other users had to wait. Your databases are suspended for another ${seconds} seconds.`;
  return failure(503, error, 'COOLDOWN');
}

const REPEATABLE_PATHS: readonly string[] = [
  DATABASE_PATHS.exportLines,
  DATABASE_PATHS.watch,
  DATABASE_PATHS.takeReads,
  DATABASE_PATHS.takeTraced,
  DATABASE_PATHS.fence,
];

/** How a single SELECT begins, as the D1 client and the server write it. */
const READING = /^\{"sql":"(?:\s|\\[nrt])*SELECT\b/i;
const READING_BYTES = 256;

/** True if running the request twice has the same effect as running it once. */
function isRepeatable(method: string, pathname: string, body: Uint8Array): boolean {
  if (method === 'DELETE' || REPEATABLE_PATHS.includes(pathname)) return true;
  // A migration that has run is noted in the same transaction, so it does not run again.
  if (pathname === DATABASE_PATHS.migrate) return true;
  if (!D1_PATHS.includes(pathname)) return false;
  // The first bytes of the body tell enough, and what they do not tell counts as a write.
  return READING.test(new TextDecoder().decode(body.subarray(0, READING_BYTES)));
}
