import type { Socket } from 'node:net';

/** Finds out when the other side has vanished. */
const KEEP_ALIVE_MS = 10_000;

/** Passes everything on between two connections, each direction for itself, until both have ended. */
export function splice(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.setNoDelay(true);
    from.setKeepAlive(true, KEEP_ALIVE_MS);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => finish(to));
  }
}

/** Ends a connection whose other half is gone, after what it still has to send. */
function finish(socket: Socket): void {
  if (!socket.writableEnded || socket.writableFinished) socket.destroy();
  else socket.once('finish', () => socket.destroy());
}
