import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { type CellAnswer, readAnswer } from '../answer.ts';
import { CellSocket } from './cell-socket.ts';

/** The headers of a handshake. Any key will do, because no proxy is between the server and a cell. */
const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** The file descriptors that workerd needs for one WebSocket. */
const DESCRIPTORS = 2;

/** What a function answers to a request for a WebSocket: one, or a response that refuses it. */
export type SocketAnswer = CellAnswer & { socket?: CellSocket };

/** The WebSockets of one cell. */
export class CellSockets {
  /** When a message last passed. */
  lastUsedAt = Date.now();
  readonly #open = new Map<CellSocket, string>();
  readonly #path: string;
  readonly #max: number;
  #opening = 0;

  constructor(path: string, maxDescriptors: number) {
    this.#path = path;
    this.#max = Math.floor(maxDescriptors / 2 / DESCRIPTORS);
  }

  /** True if WebSockets have half of the descriptors. The module needs some, and workerd ends without. */
  get isFull(): boolean {
    return this.#open.size + this.#opening >= this.#max;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The number of WebSockets of one caller. */
  countCaller(caller: string): number {
    let count = 0;
    for (const each of this.#open.values()) if (each === caller) count++;
    return count;
  }

  /** Asks the function for a WebSocket. `done` is called when it has answered. */
  async open(
    path: string,
    { headers, signal }: RequestInit & { signal: AbortSignal },
    caller: string,
    done: () => void,
  ): Promise<SocketAnswer> {
    const asked = request({
      socketPath: this.#path,
      path,
      headers: { host: 'function', ...(headers as Record<string, string>), ...HANDSHAKE },
      signal,
      // Each WebSocket has its own connection.
      agent: false,
    });
    this.#opening++;
    const answer = await new Promise<SocketAnswer>((resolve, reject) => {
      asked.on('error', reject);
      asked.on('response', (response) => {
        readAnswer(toResponse(response), 'GET', done).then(resolve, reject);
      });
      asked.on('upgrade', (response, socket, first) => {
        const protocol = response.headers['sec-websocket-protocol'];
        const opened = new CellSocket(socket as Socket, first, protocol, () => {
          this.lastUsedAt = Date.now();
        });
        resolve({ threw: false, exception: undefined, status: 101, headers: new Headers(), socket: opened });
      });
      asked.end();
    }).finally(() => this.#opening--);
    if (answer.socket) this.#add(answer.socket, caller);
    if (!answer.stream) done();
    return answer;
  }

  /** Ends all WebSockets, for functions and clients. */
  close(code: number, reason: string): void {
    for (const socket of [...this.#open.keys()]) socket.shut(code, reason);
  }

  #add(socket: CellSocket, caller: string): void {
    this.lastUsedAt = Date.now();
    this.#open.set(socket, caller);
    void socket.ended.then(() => this.#open.delete(socket));
  }
}

function toResponse(message: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      message.on('data', (bytes: Uint8Array) => {
        controller.enqueue(bytes);
        if ((controller.desiredSize ?? 0) <= 0) message.pause();
      });
      message.on('end', () => controller.close());
      message.on('error', () => controller.error());
    },
    pull: () => void message.resume(),
    cancel: () => void message.destroy(),
  });
  return new Response(body, { status: message.statusCode ?? 502, headers });
}
