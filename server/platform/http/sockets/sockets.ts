import type { WebSocketHandler } from 'bun';
import type { AccessKind } from '../../../../contract/access-kinds.ts';
import type { TextValues } from '../../../../contract/rules/texts/fill.ts';
import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import { corsHeaders } from '../access/cors.ts';
import type { Log } from '../log.ts';
import type { SocketServer, Visit } from '../visit.ts';
import { OpenSocket } from './open-socket.ts';
import { SOCKET_KINDS, type SocketKind } from './session.ts';
import { Shares } from './shares.ts';
import { asksForSocket, MAX_MESSAGE_BYTES, type Upgrade, upgradeRequired } from './upgrade.ts';

/** A client that has not read this much is disconnected. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** A client that is silent for this long is disconnected. It is asked shortly before; many proxies wait a minute. */
const IDLE_SECONDS = 45;
/** Close codes: the server stops; something went wrong here; a message is too large. */
const [GOING_AWAY, INTERNAL_ERROR, TOO_LARGE] = [1001, 1011, 1009];

type SocketVisit = Pick<Visit, 'address' | 'requestId' | 'socketServer'>;

/** All open WebSockets: their limits, and their end when the server stops. */
export class Sockets {
  /** The WebSocket handler for `Bun.serve`. */
  readonly handler: WebSocketHandler<OpenSocket>;
  /** Open connections, by kind. */
  readonly counts = Object.fromEntries(SOCKET_KINDS.map((kind) => [kind, 0])) as Record<SocketKind, number>;
  readonly #open = new Map<OpenSocket, SocketServer>();
  /** The servers that have connections, and how many. */
  readonly #servers = new Map<SocketServer, number>();
  readonly #shares: Shares;
  readonly #log: Log;
  #isEnded = false;

  constructor(options: { maxSockets: number; log: Log }) {
    this.#shares = new Shares(options.maxSockets);
    this.#log = options.log;
    this.handler = {
      // Messages would be compressed for each recipient, and each connection would need memory for it.
      perMessageDeflate: false,
      maxPayloadLength: MAX_MESSAGE_BYTES,
      backpressureLimit: MAX_WAITING_BYTES,
      closeOnBackpressureLimit: true,
      idleTimeout: IDLE_SECONDS,
      open: (ws) => {
        ws.data.attach(ws);
        ws.data.session.open(ws.data);
      },
      message: ({ data: socket }, message) => {
        if (!socket.admit()) return;
        if (isLarger(message, socket.maxMessageBytes))
          socket.close(TOO_LARGE, `A message can have ${socket.maxMessageBytes} bytes.`);
        else socket.session.message(message);
      },
      drain: ({ data: socket }) => socket.drained(),
      close: ({ data: socket }, code, reason) => this.#ended(socket, code, reason),
      error: (error, { data: socket }) => {
        this.#log.error({ err: error }, 'a WebSocket failed');
        socket.close(INTERNAL_ERROR, 'Something went wrong on our side.');
      },
    };
  }

  /** Fails if a request cannot become a WebSocket. Call it before any work for one. */
  assertCanOpen(request: Request, visit: SocketVisit): void {
    if (!asksForSocket(request)) throw upgradeRequired();
    if (this.#isEnded || !visit.socketServer)
      throw unavailable('This server accepts no WebSockets right now.');
    const refusal = this.#shares.refusal(limitKey(visit.address));
    if (refusal === 'total') throw unavailable('The server has too many open WebSockets.');
    if (refusal === 'network')
      throw unavailable('Your network has too many open WebSockets. Close some of them.');
    if (refusal)
      throw unavailable('Your address has {count} open WebSockets, which is the limit. Close some of them.', {
        count: this.#shares.socketsPerAddress,
      });
  }

  /** Answers a request with a WebSocket. The response only says so to the log; the server has already answered. */
  accept(request: Request, visit: SocketVisit, { session, options }: Upgrade): Response {
    try {
      this.assertCanOpen(request, visit);
      const { kind, protocol = '', maxMessageBytes = MAX_MESSAGE_BYTES } = options;
      const share = this.#shares.of(limitKey(visit.address));
      const socket = new OpenSocket(session, kind, maxMessageBytes, share);
      const server = visit.socketServer as SocketServer;
      this.#remember(socket, server);
      const headers = {
        'x-request-id': visit.requestId,
        // Without this, Bun accepts the first subprotocol that the client offers.
        'sec-websocket-protocol': protocol,
      };
      if (server.upgrade(request, { data: socket as never, headers }))
        return new Response(null, { status: 101 });
      this.#forget(socket);
      throw new AppError(
        'BAD_REQUEST',
        'The request for a WebSocket is not valid, or its client has left. Open it with new WebSocket(url).',
      );
    } catch (error) {
      session.closed(1006, '');
      throw error;
    }
  }

  /** Sends a message to all connections of a topic. */
  publish(topic: string, data: string | Uint8Array): void {
    for (const server of this.#servers.keys()) server.publish(topic, data as string);
  }

  /** Closes every connection, and from now on accepts none. Clients connect again, to another node. */
  end(): void {
    this.#isEnded = true;
    for (const socket of [...this.#open.keys()]) socket.close(GOING_AWAY, 'The server is stopping.');
  }

  #ended(socket: OpenSocket, code: number, reason: string): void {
    this.#forget(socket);
    socket.ended(code, reason);
  }

  #remember(socket: OpenSocket, server: SocketServer): void {
    this.#open.set(socket, server);
    this.#servers.set(server, (this.#servers.get(server) ?? 0) + 1);
    this.counts[socket.kind]++;
  }

  #forget(socket: OpenSocket): void {
    const server = this.#open.get(socket);
    if (!server) return;
    this.#open.delete(socket);
    this.counts[socket.kind]--;
    const left = (this.#servers.get(server) ?? 0) - 1;
    if (left > 0) this.#servers.set(server, left);
    else this.#servers.delete(server);
  }
}

/**
 * WebSockets do not follow CORS: a page of any origin can open one and read what it sends. So an origin that could not
 * read a route's responses is refused.
 */
export function assertOrigin(request: Request, kind: AccessKind, ownOrigin: string): void {
  const origin = request.headers.get('origin');
  if (origin === null || origin === ownOrigin) return;
  if (!corsHeaders(kind, origin)['access-control-allow-origin'])
    throw new AppError('FORBIDDEN', 'A WebSocket to this address can only be opened from {ownOrigin}.', {
      ownOrigin,
    });
}

function isLarger(message: string | Uint8Array, bytes: number): boolean {
  if (typeof message !== 'string') return message.byteLength > bytes;
  // A character has three bytes at most. Short messages need not be measured.
  return message.length * 3 > bytes && Buffer.byteLength(message) > bytes;
}

function unavailable(sentence: string, values?: TextValues): AppError {
  return new AppError('UNAVAILABLE', sentence, values, { headers: { 'retry-after': '5' } });
}
