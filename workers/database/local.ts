import { DurableObject } from 'cloudflare:workers';
import { DATABASE_HEADERS, type HostStatus } from '../protocol.ts';
import { isStorageFull } from '../workerd-messages.ts';
import { SqlDatabase } from './database.ts';
import { removed, toFailure } from './failures.ts';
import { isAllowed } from './keys.ts';
import { MeasuredQuota } from './quota/measured.ts';

/** A host on one machine: it has all databases of one owner, as files. */

interface Environment {
  DATABASES: DurableObjectNamespace;
  /** The server's key. */
  KEY: string;
  /** The bytes that the databases may use together, and what each of them uses on disk. */
  LIMIT: string;
  SIZES: string;
}

/** A function that is still finishing a call must not bring a removed database back. */
const removedNames = new Set<string>();
let measured: MeasuredQuota | undefined;

function quotaOf({ LIMIT, SIZES }: Environment): MeasuredQuota {
  measured ??= new MeasuredQuota(Number(LIMIT), SIZES);
  return measured;
}

export class Database extends DurableObject<Environment> {
  private readonly id = this.ctx.id.toString();
  private readonly database = new SqlDatabase(this.ctx, {
    quota: quotaOf(this.env).of(this.id),
    runsScriptsInPieces: false,
    beforeStatement: () => undefined,
    usage: () => quotaOf(this.env).usage,
  });

  override async fetch(request: Request): Promise<Response> {
    if (request.method !== 'DELETE') return this.database.fetch(request);
    const response = await this.database.fetch(request);
    quotaOf(this.env).remove(this.id);
    return response;
  }
}

export default {
  async fetch(request: Request, env: Environment): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (!(await isAllowed(request, pathname, env.KEY))) return new Response(null, { status: 403 });
    const name = request.headers.get(DATABASE_HEADERS.database);
    // The server asks about the host itself. Requests of cells always name their database.
    if (name === null) return status(request, quotaOf(env));
    if (request.method === 'DELETE') removedNames.add(name);
    else if (removedNames.has(name)) return removed();
    try {
      return await env.DATABASES.get(env.DATABASES.idFromName(name)).fetch(request);
    } catch (error) {
      // A write that finds no space ends the object, and with it the response that explains why.
      if (isStorageFull(error)) return toFailure(error);
      throw error;
    }
  },
};

/** Applies the new limit and responds with the usage. */
function status(request: Request, quota: MeasuredQuota): Response {
  const limit = request.headers.get(DATABASE_HEADERS.limit);
  if (limit !== null) quota.limitBytes = Number(limit);
  const body: HostStatus = { bytes: quota.usage };
  return Response.json(body);
}
