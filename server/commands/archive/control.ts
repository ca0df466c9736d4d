import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../../../cli/usage.ts';
import { toFailure } from '../../lib/errors.ts';

/**
 * How `quire backup` reaches the server that runs on a data folder: a socket in that folder, which only who may read
 * the data can open. So nobody needs a token, and no other program can pose as the server.
 */
const NAME = 'control';

export interface Control {
  stop(): void;
}

/** Gives archives to whoever may open the socket. */
export function serveControl(dataFolder: string, backUp: () => ReadableStream<Uint8Array>): Control {
  // Left behind by a server that was killed; we hold the folder's lock.
  rmSync(join(dataFolder, NAME), { force: true });
  const { path, close } = shortPath(dataFolder);
  const server = Bun.serve({
    unix: path,
    fetch() {
      try {
        return new Response(backUp());
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

/** Asks the server that holds the folder for an archive. */
export async function askControl(
  dataFolder: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { path, close } = shortPath(dataFolder);
  try {
    const response = await fetch('http://quire/', {
      unix: path,
      signal,
      // A large backup takes as long as it takes.
      timeout: false,
    } as BunFetchRequestInit);
    if (response.ok && response.body) return response.body as ReadableStream<Uint8Array>;
    const { error } = (await response.json()) as { error: string };
    throw new CommandError(error);
  } catch (error) {
    if (error instanceof CommandError || signal.aborted) throw error;
    const isUnreached = /ENOENT|ECONNREFUSED|FailedToOpenSocket/.test(
      String((error as { code?: unknown }).code),
    );
    throw new CommandError(
      isUnreached
        ? `A program holds ${dataFolder} but gives no backups. Is it a server that is just starting or stopping?`
        : 'The server broke the backup off before it began. Its log says why.',
    );
  } finally {
    close();
  }
}

/** Addresses of sockets have little room, and folders long names: through a descriptor of the folder any name fits. */
function shortPath(folder: string): { path: string; close(): void } {
  const descriptor = openSync(folder, 'r');
  return { path: `/proc/self/fd/${descriptor}/${NAME}`, close: () => closeSync(descriptor) };
}
