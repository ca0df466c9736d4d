import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../../../cli/usage.ts';
import { toFailure } from '../../lib/errors.ts';
import { DataLocations } from './data-locations.ts';

/**
 * The socket in the data folder through which `quire backup` reaches the running server. Only users who can read the
 * data can open it, so no token is needed, and no other program can impersonate the server.
 */
const NAME = 'control';
/** Where the server stores its data, as JSON in ASCII. */
const LOCATIONS_HEADER = 'x-quire-data-locations';

interface Control {
  stop(): void;
}

/** Serves archives on the socket. */
export function serveControl(locations: DataLocations, backUp: () => ReadableStream<Uint8Array>): Control {
  const { dataFolder } = locations;
  const headers = { [LOCATIONS_HEADER]: encodeURIComponent(JSON.stringify(locations)) };
  // A killed server leaves its socket behind. We have the lock, so it is not in use.
  rmSync(join(dataFolder, NAME), { force: true });
  const { path, close } = shortPath(dataFolder);
  const server = Bun.serve({
    unix: path,
    fetch() {
      try {
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
  const { path, close } = shortPath(dataFolder);
  try {
    const response = await fetch('http://quire/', {
      unix: path,
      signal,
      // A large backup can take hours.
      timeout: false,
    } as BunFetchRequestInit);
    const stream = response.body as ReadableStream<Uint8Array> | null;
    if (response.ok && stream) {
      // A server of an earlier version does not send the header.
      const header = response.headers.get(LOCATIONS_HEADER);
      const locations = header ? DataLocations.parse(JSON.parse(decodeURIComponent(header))) : undefined;
      return { stream, locations };
    }
    const { error } = (await response.json()) as { error: string };
    throw new CommandError(error);
  } catch (error) {
    if (error instanceof CommandError || signal.aborted) throw error;
    const isUnreached = /ENOENT|ECONNREFUSED|FailedToOpenSocket/.test(
      String((error as { code?: unknown }).code),
    );
    throw new CommandError(
      isUnreached
        ? `${dataFolder} is locked, but no server responds there. If a server is starting or stopping, try again.`
        : 'The server ended the backup before it started. Check its log.',
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
