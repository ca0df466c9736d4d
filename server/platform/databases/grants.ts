import { join } from 'node:path';
import { z } from 'zod';
import { openSockets } from '../workerd/index.ts';

/**
 * Charges an owner for what one of their databases is to take up: how much it may take up now, which is at least what
 * it asks for; or why not.
 */
export type GrantRoom = (databaseId: number, bytes: number) => Promise<number | 'no room' | 'no database'>;

/** The server's own door for databases at its hosts, which ask there for room. */
export interface DatabaseGrants {
  socket: string;
  grantBy(grant: GrantRoom): void;
  stop(): Promise<void>;
}

const Ask = z.object({ name: z.string().regex(/^database-\d+$/), bytes: z.number().int().nonnegative() });

const REFUSALS = { 'no room': 403, 'no database': 404 };

export async function startDatabaseGrants(options: {
  folder: string;
  /** Those of the hosts that may ask. */
  keys: string[];
  onLine(line: string): void;
}): Promise<DatabaseGrants> {
  let grant: GrantRoom = async () => {
    throw new Error('nobody has said who grants room');
  };

  async function answer(request: Request): Promise<Response> {
    if (!options.keys.includes(request.headers.get('x-quire-key') ?? ''))
      return new Response(null, { status: 401 });
    const { name, bytes } = Ask.parse(await request.json());
    const granted = await grant(Number(name.slice('database-'.length)), bytes);
    return typeof granted === 'number'
      ? Response.json({ granted })
      : new Response(null, { status: REFUSALS[granted] });
  }

  const socket = join(options.folder, 'grants');
  const server = await openSockets([socket], async () =>
    Bun.serve({
      unix: socket,
      fetch: (request) =>
        answer(request).catch((error: unknown) => {
          options.onLine(`a database asked for room in vain: ${error}`);
          return new Response(null, { status: 503 });
        }),
    }),
  );
  return {
    socket,
    grantBy(next) {
      grant = next;
    },
    stop: () => server.stop(true),
  };
}
