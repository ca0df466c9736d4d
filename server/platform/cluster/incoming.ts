import { connect, type Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Log } from '../http/index.ts';
import { NodeError } from '../storage/index.ts';
import { type Endpoint, splitAddress } from './loopback.ts';
import type { NodeKey } from './node-key.ts';
import { splice } from './splice.ts';

interface IncomingOptions {
  key: NodeKey;
  address: string;
  countShards(): number;
  /** Where the database hosts of this node are. */
  hosts: Endpoint;
  /** Whether a node with this certificate is registered, as far as this node has read. */
  knows(fingerprint: string): boolean;
  /** Reads the registered nodes again. */
  refresh(): Promise<void>;
  log: Pick<Log, 'info' | 'warn'>;
}

/** How long somebody has to prove that they are a node. */
const PROOF_MS = 5_000;
/** How many can be about to prove it at the same time. The oldest gives way, because proving takes milliseconds. */
const MAX_UNPROVEN = 256;
/** How often refusals are logged: strangers can cause them. */
const SAY_EVERY_MS = 60_000;

/** Lets registered nodes reach the database hosts of this node, over TLS. */
export class Incoming {
  readonly #unproven = new Set<Socket>();
  /** Connections of registered nodes, with their certificates. */
  readonly #open = new Map<Socket, string>();
  readonly #server: Server;
  #saidAt = Number.NEGATIVE_INFINITY;

  private constructor(private readonly options: IncomingOptions) {
    const { key, cert } = options.key;
    this.#server = createServer(
      // No authority vouches for nodes: each certificate is compared with the registered ones.
      { key, cert, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.3', allowHalfOpen: true },
      (socket) => void this.#admit(socket).catch(() => socket.destroy()),
    );
    this.#server.on('connection', (socket) => this.#limit(socket));
    // Strangers can send anything. Their connections are closed.
    this.#server.on('tlsClientError', () => undefined);
  }

  static async listen(options: IncomingOptions): Promise<Incoming> {
    const incoming = new Incoming(options);
    const { address, log } = options;
    const { host, port } = splitAddress(address);
    await incoming.#listen(port, host).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRNOTAVAIL') throw explain(error, address);
      log.info(
        `QUIRE_CLUSTER_ADDRESS is not an address of this machine, so port ${port} is open to other nodes on all of its addresses`,
      );
      await incoming.#listen(port).catch((again: NodeJS.ErrnoException) => {
        throw explain(again, address);
      });
    });
    return incoming;
  }

  /** Ends connections of nodes that are not registered any more. */
  endUnknown(): void {
    for (const [socket, fingerprint] of this.#open) if (!this.options.knows(fingerprint)) socket.destroy();
  }

  stop(): void {
    this.#server.close();
    for (const socket of [...this.#unproven, ...this.#open.keys()]) socket.destroy();
  }

  #listen(port: number, host?: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen({ port, ...(host !== undefined && { host }) }, () => {
      this.#server.off('error', reject);
      resolve();
    });
    return promise;
  }

  #limit(socket: Socket): void {
    const [oldest] = this.#unproven;
    if (oldest && this.#unproven.size >= MAX_UNPROVEN) {
      this.#unproven.delete(oldest);
      oldest.destroy();
    }
    this.#unproven.add(socket);
    const deadline = setTimeout(() => this.#unproven.has(socket) && socket.destroy(), PROOF_MS);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(deadline);
      this.#unproven.delete(socket);
    });
  }

  async #admit(socket: TLSSocket): Promise<void> {
    const { hosts, countShards, knows, refresh } = this.options;
    // Undefined if no certificate was sent.
    const fingerprint = socket.getPeerCertificate()?.fingerprint256 ?? '';
    if (fingerprint && !knows(fingerprint)) await refresh();
    if (!knows(fingerprint)) return this.#refuse(socket);
    const shard = await readByte(socket);
    // The node may have been removed in the meantime.
    if (socket.destroyed || shard >= countShards() || !knows(fingerprint)) return this.#refuse(socket);
    this.#unproven.delete(socket);
    this.#open.set(socket, fingerprint);
    socket.once('close', () => this.#open.delete(socket));
    splice(socket, connect({ host: hosts.host, port: hosts.port + shard, allowHalfOpen: true }));
  }

  #refuse(socket: Socket): void {
    const { remoteAddress } = socket;
    socket.destroy();
    if (performance.now() < this.#saidAt + SAY_EVERY_MS) return;
    this.#saidAt = performance.now();
    this.options.log.warn(`refused a connection from ${remoteAddress}: its key is not that of a node`);
  }
}

/** The first byte: the shard. */
function readByte(socket: Socket): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  socket.once('close', () => reject(new Error('the connection was closed')));
  socket.once('data', (chunk: Buffer) => {
    socket.pause();
    if (chunk.length > 1) socket.unshift(chunk.subarray(1));
    resolve(chunk[0] ?? 0);
  });
  return promise;
}

function explain(error: NodeJS.ErrnoException, address: string): Error {
  if (error.code === 'EADDRINUSE')
    return new NodeError(
      `Another program uses the port of QUIRE_CLUSTER_ADDRESS (${address}). Stop it, or choose another port.`,
    );
  if (error.code === 'ENOTFOUND')
    return new NodeError(
      `The name in QUIRE_CLUSTER_ADDRESS (${address}) cannot be resolved. Set it to an address at which the other nodes reach this one.`,
    );
  return new NodeError(`This node cannot listen at QUIRE_CLUSTER_ADDRESS (${address}): ${error.message}`);
}
