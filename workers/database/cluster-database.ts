/// <reference path="../workerd.d.ts" />

import { RUNS, restOf } from './cooldowns.ts';
import { isRead, Database as LocalDatabase, type Query } from './database.ts';
import { HostError } from './failures.ts';
import { forgetUse, Handover, inUse, isSelf, lastUses, noteUse, selfToken } from './handover.ts';
import { mayAsk } from './keys.ts';
import { QuotaError } from './quota.ts';
import { reach } from './reach.ts';
import { AGAIN, MAYBE_RUN, NOT_RUN, WRITE_ID } from './relocating.ts';
import { checkReferences, piecesOf, type ScriptTotal } from './script.ts';
import { counted } from './waiting.ts';

/**
 * Runs in workerd on every node of a cluster, as a program of ours. Its databases are the same as on one machine, but
 * may be at any node; and each has room that was granted to it, since nobody sees all databases of an owner.
 */

interface Environment {
  DATABASES: DurableObjectNamespace;
  KEY: string;
  /** Owners who have ended a host of this node, and until when they rest. */
  RESTS: string;
  /** The server of this node. */
  SERVER: { fetch(request: Request): Promise<Response> };
}

/** When the server is about to end, databases answer what is under way, and nothing new. */
let isDraining = false;
let underWay = 0;
const DRAIN_MS = 4_000;
/** An answer is on its way for a moment after the database is done with it. */
const AFTERMATH_MS = 100;

/** On what a host that is about to end asks its databases to do. */
const LEAVING = 'x-quire-leaving';

/** Whose statement was run last, of all databases here. */
let runs = '';

/** Thrown, and undone by the transaction around it, when a write needs more room than was granted. */
class NeedsRoom extends Error {
  constructor(readonly bytes: number) {
    super('more room is needed');
  }
}

export class Database extends LocalDatabase<Environment> {
  private granted = 0;
  private name = '';
  private owner = '';
  /** A function that is still finishing a call must not bring it back. */
  private isRemoved = false;
  private handover: Handover | undefined;

  override async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/ping') {
      await this.untilFree();
      return new Response();
    }
    this.name = request.headers.get('x-quire-database') ?? this.name;
    if (pathname === '/leave') return this.leave(request);
    if (isDraining) return new Response(null, { status: 503, headers: { [NOT_RUN]: '1' } });
    underWay++;
    try {
      noteUse(this.name);
      this.owner = request.headers.get('x-quire-owner') ?? '';
      const resting = restingAnswer(request, this.env);
      if (resting) return resting;
      if (request.method === 'DELETE') {
        this.isRemoved = true;
        forgetUse(this.name);
        this.granted = 0;
      } else if (this.isRemoved) {
        return Response.json({ success: false, error: 'The database was removed.' }, { status: 410 });
      }
      const refusal = await this.begin(request);
      return refusal ?? (await super.fetch(request));
    } finally {
      // It is answered when what it wrote is in the bucket.
      void this.ctx.storage
        .sync()
        .catch(() => undefined)
        .finally(() => {
          underWay--;
        });
    }
  }

  /** Refuses a write that may have been run before. */
  private async begin(request: Request): Promise<Response | undefined> {
    const id = request.headers.get(WRITE_ID);
    if (id === null) return undefined;
    const sentAt = request.headers.get(AGAIN);
    this.handover ??= new Handover(this.ctx.storage, this.name);
    if (await this.handover.begin(id, sentAt === null ? undefined : { sentAt: Number(sentAt) }))
      return undefined;
    return new Response(null, { status: 503, headers: { [MAYBE_RUN]: '1' } });
  }

  /** Only for the process that asks itself, when nothing is begun here any more: the database may have moved away. */
  private async leave(request: Request): Promise<Response> {
    if (!isDraining || !isSelf(request.headers.get(LEAVING)) || this.isRemoved)
      return new Response(null, { status: 409 });
    this.handover ??= new Handover(this.ctx.storage, this.name);
    await this.handover.leave();
    return new Response();
  }

  protected override async write<T>(work: () => T): Promise<T> {
    const { storage } = this.ctx;
    // Not to do it twice for nothing.
    if (this.granted === 0) await this.askForRoom(storage.sql.databaseSize);
    for (;;) {
      await this.untilFree();
      try {
        return storage.transactionSync(() => {
          const result = work();
          const bytes = storage.sql.databaseSize;
          if (bytes > this.granted) throw new NeedsRoom(bytes);
          return result;
        });
      } catch (error) {
        if (!(error instanceof NeedsRoom)) throw error;
        await this.askForRoom(error.bytes);
      }
    }
  }

  /** Printed, since nothing else leaves this process while a statement runs; and only when it says something new. */
  protected override beforeRun(): void {
    if (this.owner === runs) return;
    runs = this.owner;
    console.log(RUNS + this.owner);
  }

  /** Not at one go: a shard holds databases of many, and all of them would wait. */
  protected override runScript(script: string): Promise<ScriptTotal> {
    return this.runPieces(piecesOf(script), checkReferences);
  }

  protected override async checkRoom(bytes: number): Promise<void> {
    if (bytes > this.granted) await this.askForRoom(bytes);
  }

  /** Asks the server of this node, which charges the owner. A database that grows rarely asks. */
  private async askForRoom(bytes: number): Promise<void> {
    const response = await this.env.SERVER.fetch(
      new Request('http://server/room', {
        method: 'POST',
        headers: { 'x-quire-key': this.env.KEY },
        body: JSON.stringify({ name: this.name, bytes }),
      }),
    ).catch(() => undefined);
    if (response?.status === 403) throw new QuotaError();
    if (response?.status === 404) throw new HostError('The database was removed.', 'NOT_FOUND');
    if (!response?.ok) {
      throw new HostError(
        'The database cannot grow right now: the quota could not be looked up. Try again in a moment.',
        'UNAVAILABLE',
      );
    }
    this.granted = ((await response.json()) as { granted: number }).granted;
  }
}

export default {
  async fetch(request: Request, env: Environment): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (!(await mayAsk(request, pathname, env.KEY))) return new Response(null, { status: 403 });
    const name = request.headers.get('x-quire-database');
    // The server's own questions: what cells send has the name of their database put in.
    if (name === null) {
      if (pathname === '/drain') await drain(env);
      return Response.json({ underWay, lastUses: lastUses() });
    }
    const resting = restingAnswer(request, env);
    if (resting) return resting;
    const connect = () => env.DATABASES.get(env.DATABASES.idFromName(name));
    const answer = () => reach(connect, request, (body) => isSafe(request.method, pathname, body));
    return RUNNING.includes(pathname) ? counted(request, answer) : answer();
  },
};

/** What owners run; the rest is how the server copies and removes databases. */
const RUNNING = ['/query', '/execute', '/import'];

function restingAnswer(request: Request, env: Environment): Response | undefined {
  const until = restOf(env.RESTS, request.headers.get('x-quire-owner') ?? '');
  if (Date.now() >= until || !RUNNING.includes(new URL(request.url).pathname)) return undefined;
  const seconds = Math.ceil((until - Date.now()) / 1000);
  const error = `A statement of yours took so long, or so much memory, that databases of others had to wait for it. Yours rest for another ${seconds} seconds.`;
  return Response.json({ success: false, error, code: 'UNAVAILABLE' }, { status: 503 });
}

async function drain({ DATABASES }: Environment): Promise<void> {
  isDraining = true;
  const deadline = Date.now() + DRAIN_MS;
  while (underWay > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  const leaving = inUse().map((name) =>
    DATABASES.get(DATABASES.idFromName(name))
      .fetch(
        new Request('http://database/leave', {
          headers: { 'x-quire-database': name, [LEAVING]: selfToken() },
        }),
      )
      .catch(() => undefined),
  );
  const tooLate = new Promise((resolve) => setTimeout(resolve, deadline - Date.now()));
  await Promise.race([Promise.all(leaving), tooLate]);
  await new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS));
}

/** True when doing it twice is doing it once. */
function isSafe(method: string, pathname: string, body: Uint8Array): boolean {
  if (method === 'DELETE' || pathname === '/export-lines') return true;
  if (pathname !== '/query' && pathname !== '/execute') return false;
  const query = JSON.parse(new TextDecoder().decode(body)) as Query | Query[];
  return !Array.isArray(query) && isRead(query.sql);
}
