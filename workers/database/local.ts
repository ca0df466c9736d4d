import { DurableObject } from 'cloudflare:workers';
import { collectGarbage } from '../collect-garbage.ts';
import { DATABASE_HEADERS, DATABASE_PATHS, type HostStatus, RESTARTING } from '../protocol.ts';
import { isStorageFull } from '../workerd-messages.ts';
import { SqlDatabase } from './database.ts';
import { Drain } from './drain.ts';
import { failure, removed, toFailure } from './failures.ts';
import { Fences, readRaised } from './fence.ts';
import { identifySender } from './keys.ts';
import { MeasuredQuota } from './quota/measured.ts';
import { parseTarget } from './target.ts';
import { WaitingCount } from './transaction/waiting.ts';

/** A host on one machine: it has all databases of one owner, as files. */

interface Environment {
  DATABASES: DurableObjectNamespace;
  /** The server's key. */
  KEY: string;
  /** The bytes that the databases may use together, and what each of them uses on disk. */
  LIMIT: string;
  SIZES: string;
  /** The generations of databases that were restored, as `formatSizes` writes numbers. */
  GENERATIONS: string;
}

/** A function that is still finishing a call must not bring a removed database back. */
const removedNames = new Set<string>();
const drain = new Drain();
const waiting = new WaitingCount();
let measured: MeasuredQuota | undefined;
let fences: Fences | undefined;

function getQuota({ LIMIT, SIZES }: Environment): MeasuredQuota {
  measured ??= new MeasuredQuota(Number(LIMIT), SIZES);
  return measured;
}

export class Database extends DurableObject<Environment> {
  private readonly id = this.ctx.id.toString();
  private readonly database = new SqlDatabase(this.ctx, {
    quota: getQuota(this.env).of(this.id),
    runsScriptsInPieces: false,
    assertHere: () => undefined,
    isDraining: () => drain.isDraining,
    beforeStatement: () => undefined,
    // The host has no other owners.
    countPending: () => () => undefined,
    usage: () => getQuota(this.env).usage,
  });

  override async fetch(request: Request): Promise<Response> {
    if (parseTarget(request).pathname === DATABASE_PATHS.transaction)
      return (await this.database.openTransaction(request, drain.begin())) ?? restarting();
    if (request.method !== 'DELETE') return this.database.fetch(request);
    const response = await this.database.fetch(request);
    getQuota(this.env).remove(this.id);
    return response;
  }
}

export default {
  async fetch(request: Request, env: Environment, ctx: ExecutionContext): Promise<Response> {
    const { pathname } = parseTarget(request);
    const sender = await identifySender(request, pathname, env.KEY);
    if (!sender) return new Response(null, { status: 403 });
    const name = request.headers.get(DATABASE_HEADERS.database);
    // The server asks about the host itself. Requests of cells always name their database.
    if (name === null) {
      if (pathname === DATABASE_PATHS.collect) collectGarbage();
      if (pathname === DATABASE_PATHS.drain) await drain.finish();
      return status(request, getQuota(env));
    }
    if (drain.isDraining) return restarting();
    if (request.method === 'DELETE') removedNames.add(name);
    else if (removedNames.has(name)) return removed();
    const database = env.DATABASES.get(toObjectId(name, env));
    fences ??= new Fences(env.GENERATIONS);
    const fence = fences.find(name);
    if (pathname === DATABASE_PATHS.fence) {
      fence.raise(await readRaised(request));
      if (!(await fence.settle())) return restarting();
      return database.fetch(new Request(request.url, { method: 'POST' }));
    }
    const refusal = fence.refuse(request);
    if (refusal) return refusal;
    const { headers } = request;
    const isBare =
      sender === 'cell' &&
      !headers.has(DATABASE_HEADERS.session) &&
      !headers.has(DATABASE_HEADERS.run) &&
      !headers.has(DATABASE_HEADERS.traceparent);
    // Headers are copied twice on the way, and most statements need none.
    const send = () =>
      isBare ? database.fetch(request.url, { method: 'POST', body: request.body }) : database.fetch(request);
    const [done, settled] = [drain.begin(), fence.begin()];
    try {
      return await waiting.send(name, pathname, ctx, send);
    } catch (error) {
      // A write that finds no space ends the object, and with it the response that explains why.
      if (isStorageFull(error)) return toFailure(error);
      throw error;
    } finally {
      done();
      settled();
    }
  },
};

function restarting(): Response {
  const response = failure(503, RESTARTING, 'UNAVAILABLE');
  response.headers.set(DATABASE_HEADERS.notRun, '1');
  return response;
}

/** Ids by name. An owner's databases are few. */
const ids = new Map<string, DurableObjectId>();

function toObjectId(name: string, { DATABASES }: Environment): DurableObjectId {
  const id = ids.get(name) ?? DATABASES.idFromName(name);
  ids.set(name, id);
  return id;
}

/** Applies the new limit and responds with the usage. */
function status(request: Request, quota: MeasuredQuota): Response {
  const limit = request.headers.get(DATABASE_HEADERS.limit);
  if (limit !== null) quota.limitBytes = Number(limit);
  const body: HostStatus = { bytes: quota.usage };
  return Response.json(body);
}
