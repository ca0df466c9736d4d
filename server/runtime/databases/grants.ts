import { join } from 'node:path';
import type { Server } from 'bun';
import { z } from 'zod';
import {
  DATABASE_HEADERS,
  type GrantRequest,
  type GrantResponse,
  HOME_PATH,
} from '../../../workers/protocol.ts';
import { openSockets } from '../workerd/index.ts';
import { parseDatabaseId } from './address.ts';
import type { DatabaseQuota } from './quota.ts';

const Request = z.object({
  owner: z.number().int(),
  database: z.string().regex(/^database-\d+$/),
  bytes: z.number().int().nonnegative(),
}) satisfies z.ZodType<GrantRequest>;

const REFUSALS = { 'quota exceeded': 'QUOTA_EXCEEDED', 'not found': 'NOT_FOUND' } as const;

interface GrantOptions {
  folder: string;
  /** The keys of the hosts that may ask for bytes. */
  keys: string[];
  quota: Pick<DatabaseQuota, 'grant'>;
  /** The shard that the databases of an owner belong to now. */
  findHome(ownerId: number): Promise<number>;
  onLine(line: string): void;
}

/** The server's own socket for hosts of a cluster, which ask there for more of an owner's quota, and where it belongs. */
export class GrantServer {
  static async start(options: GrantOptions): Promise<GrantServer> {
    const socket = join(options.folder, 'grants');
    const respond = async (request: globalThis.Request) => {
      if (!options.keys.includes(request.headers.get(DATABASE_HEADERS.key) ?? ''))
        return new Response(null, { status: 401 });
      if (new URL(request.url).pathname === HOME_PATH) return respondHome(options, request);
      return Response.json(await grant(options, request));
    };
    const server = await openSockets([socket], async () => Bun.serve({ unix: socket, fetch: respond }));
    return new GrantServer(socket, server);
  }

  private constructor(
    readonly socket: string,
    private readonly server: Server<undefined>,
  ) {}

  stop(): Promise<void> {
    return this.server.stop(true);
  }
}

const HomeRequest = z.object({ owner: z.number().int() });

async function respondHome({ findHome, onLine }: GrantOptions, request: globalThis.Request) {
  try {
    const { owner } = HomeRequest.parse(await request.json());
    return Response.json({ shard: await findHome(owner) });
  } catch (error) {
    onLine(`the shard of a database could not be read: ${error}`);
    return new Response(null, { status: 503 });
  }
}

async function grant({ quota, onLine }: GrantOptions, request: globalThis.Request): Promise<GrantResponse> {
  try {
    const { owner, database, bytes } = Request.parse(await request.json());
    const granted = await quota.grant(owner, parseDatabaseId(database), bytes);
    return typeof granted === 'number' ? { granted } : { refused: REFUSALS[granted] };
  } catch (error) {
    onLine(`a grant for a database failed: ${error}`);
    return { refused: 'UNAVAILABLE' };
  }
}
