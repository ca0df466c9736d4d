import { chmodSync } from 'node:fs';
import type { OwnCertificate } from '../../lib/certificate.ts';
import type { OpenSocket, SocketServer, Sockets } from '../../platform/http/index.ts';

/** Responds to a browser's request for one of our own hosts, like the server's public port. */
export type Site = (request: Request, server: SocketServer) => Response | Promise<Response>;

/** Routes limit their bodies themselves. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;
const IDLE_SECONDS = 60;

/** Serves our own hosts to one browser, on a socket that only its box has. */
export function openOwnSite(
  socket: string,
  certificate: OwnCertificate | undefined,
  site: Site,
  websocket: Sockets['handler'],
): { stop(): Promise<void> } {
  const options = {
    unix: socket,
    maxRequestBodySize: MAX_BODY_BYTES,
    idleTimeout: IDLE_SECONDS,
    ...(certificate && { tls: { key: certificate.key, cert: certificate.cert } }),
    fetch: (request: Request, server: Bun.Server<OpenSocket>) => site(request, server),
    websocket,
    error: () => new Response('Something went wrong on our side.', { status: 500 }),
  };
  const server = Bun.serve(options as unknown as Bun.Serve.Options<OpenSocket>);
  // The folder decides who can connect.
  chmodSync(socket, 0o666);
  return { stop: () => server.stop(true) };
}
