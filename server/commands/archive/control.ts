import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../../../cli/usage.ts';
import { toFailure } from '../../lib/errors.ts';
import type { Shards } from '../../runtime/databases/index.ts';
import { DataLocations } from './data-locations.ts';

/**
 * The socket in the data folder through which commands reach the running server. Only users who can read the
 * data can open it, so no token is needed, and no other program can impersonate the server.
 */
const NAME = 'control';
/** Where the server stores its data, as JSON in ASCII. */
const LOCATIONS_HEADER = 'x-quire-data-locations';

interface Control {
  stop(): void;
}

const MOVE_PATH = '/shards/move';
const FORGET_PATH = '/shards/forget';

/** Serves archives on the socket, and moves databases to other shards. */
export function serveControl(
  locations: DataLocations,
  { backUp, shards }: { backUp(): ReadableStream<Uint8Array>; shards: Shards | undefined },
): Control {
  const { dataFolder } = locations;
  const headers = { [LOCATIONS_HEADER]: encodeURIComponent(JSON.stringify(locations)) };
  // A killed server leaves its socket behind. We have the lock, so it is not in use.
  rmSync(join(dataFolder, NAME), { force: true });
  const { path, close } = shortPath(dataFolder);
  const server = Bun.serve({
    unix: path,
    // A large database can take minutes, and so can a backup until its next byte. The types do not know it for sockets.
    ...({ idleTimeout: 0 } as object),
    async fetch(request: Request) {
      try {
        if (shards && request.method === 'POST') return await respondShards(shards, request);
        return new Response(backUp(), { headers });
      } catch (error) {
        const { status, message } = toFailure(error, () => undefined, '');
        return Response.json({ error: message }, { status });
      }
    },
  });
  return {
    stop() {
      void server.stop(true);
      close();
      rmSync(join(dataFolder, NAME), { force: true });
    },
  };
}

/** Requests an archive from the server that has locked the folder. */
export async function askControl(
  dataFolder: string,
  signal: AbortSignal,
): Promise<{ stream: ReadableStream<Uint8Array>; locations: DataLocations | undefined }> {
  const response = await send(dataFolder, '/', { signal }).catch((error: unknown) => {
    if (error instanceof CommandError || signal.aborted) throw error;
    throw new CommandError('The server ended the backup before it started. Check its log.');
  });
  const stream = response.body as ReadableStream<Uint8Array> | null;
  if (response.ok && stream) {
    // A server of an earlier version does not send the header.
    const header = response.headers.get(LOCATIONS_HEADER);
    const locations = header ? DataLocations.parse(JSON.parse(decodeURIComponent(header))) : undefined;
    return { stream, locations };
  }
  const { error } = (await response.json()) as { error: string };
  throw new CommandError(error);
}

type MoveRequest = Parameters<Shards['move']>[0];
interface ForgetRequest {
  ownerId: number;
  databaseId: number;
  shard: number;
}

async function respondShards(shards: Shards, request: Request): Promise<Response> {
  try {
    if (new URL(request.url).pathname === MOVE_PATH) await shards.move((await request.json()) as MoveRequest);
    else {
      const { shard, ...database } = (await request.json()) as ForgetRequest;
      await shards.forget(database, shard);
    }
    return Response.json({});
  } catch (error) {
    return Response.json({ error: (error as Error).message }, { status: 503 });
  }
}

/** Has the server that has locked the folder move a database to another shard. */
export const askToMove = (dataFolder: string, move: MoveRequest) => ask(dataFolder, MOVE_PATH, move);

/** Has that server remove what a database has left in a shard. */
export const askToForget = (dataFolder: string, request: ForgetRequest) =>
  ask(dataFolder, FORGET_PATH, request);

async function ask(dataFolder: string, path: string, body: object): Promise<void> {
  const response = await send(dataFolder, path, { method: 'POST', body: JSON.stringify(body) });
  if (response.ok) return;
  throw new Error(((await response.json()) as { error: string }).error);
}

/** Sends a request to the server. Throws a `CommandError` if there is none. */
async function send(dataFolder: string, path: string, init: RequestInit): Promise<Response> {
  const { path: unix, close } = shortPath(dataFolder);
  try {
    // A large backup can take hours.
    return await fetch(`http://quire${path}`, { ...init, unix, timeout: false } as BunFetchRequestInit);
  } catch (error) {
    if (!/ENOENT|ECONNREFUSED|FailedToOpenSocket/.test(String((error as { code?: unknown }).code)))
      throw error;
    throw new CommandError(
      `${dataFolder} is locked, but no server responds there. If a server is starting or stopping, try again.`,
    );
  } finally {
    close();
  }
}

/** Socket paths are limited to about 100 bytes. A path through a file descriptor is always short enough. */
function shortPath(folder: string): { path: string; close(): void } {
  const descriptor = openSync(folder, 'r');
  return { path: `/proc/self/fd/${descriptor}/${NAME}`, close: () => closeSync(descriptor) };
}
