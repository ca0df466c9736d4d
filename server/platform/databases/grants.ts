import { join } from 'node:path';
import { z } from 'zod';
import type { GrantRequest, GrantResponse } from '../../../workers/protocol.ts';
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

const Ask = z.object({
  owner: z.number(),
  database: z.string().regex(/^database-\d+$/),
  bytes: z.number().int().nonnegative(),
}) satisfies z.ZodType<GrantRequest>;

const REFUSALS = { 'no room': 'QUOTA_EXCEEDED', 'no database': 'NOT_FOUND' } as const;

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
    const { database: name, bytes } = Ask.parse(await request.json());
    const granted = await grant(Number(name.slice('database-'.length)), bytes);
    const response: GrantResponse =
      typeof granted === 'number' ? { granted } : { refused: REFUSALS[granted] };
    return Response.json(response);
  }

  const socket = join(options.folder, 'grants');
  const server = await openSockets([socket], async () =>
    Bun.serve({
      unix: socket,
      fetch: (request) =>
        answer(request).catch((error: unknown) => {
          options.onLine(`a database asked for room in vain: ${error}`);
          return Response.json({ refused: 'UNAVAILABLE' } satisfies GrantResponse);
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
