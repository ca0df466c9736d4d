import { createServer, type Server, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Peer } from '../storage/index.ts';
import { findHosts, splitAddress } from './loopback.ts';
import type { NodeKey } from './node-key.ts';
import { splice } from './splice.ts';

interface OutgoingOptions {
  peer: Peer;
  key: NodeKey;
  countShards(): number;
  warn(sentence: string): void;
}

/** How long another node has to prove who it is. */
const PROOF_MS = 5_000;

/** The way to the database hosts of one other node: what connects to their loopback addresses here, goes there over TLS. */
export class Outgoing {
  readonly #servers = new Map<number, Server>();
  readonly #open = new Set<Socket>();
  #said = '';
  #isStopped = false;

  constructor(private readonly options: OutgoingOptions) {}

  /**
   * Listens for every shard. A port that is taken is tried again the next time: another node of this machine has the
   * same way, and it may end.
   */
  async listen(): Promise<void> {
    const missing = Array.from({ length: this.options.countShards() }, (_, shard) => shard).filter(
      (shard) => !this.#servers.has(shard),
    );
    await Promise.all(missing.map((shard) => this.#listen(shard)));
  }

  stop(): void {
    this.#isStopped = true;
    for (const server of this.#servers.values()) server.close();
    this.#servers.clear();
    for (const socket of this.#open) socket.destroy();
  }

  async #listen(shard: number): Promise<void> {
    const { number, address } = this.options.peer;
    const { host, port } = findHosts(number, address);
    const server = createServer({ allowHalfOpen: true }, (socket) => void this.#forward(socket, shard));
    const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | undefined>();
    server.once('error', resolve);
    server.listen({ host, port: port + shard }, () => resolve(undefined));
    const error = await promise;
    if (!error && this.#isStopped) server.close();
    else if (!error) this.#servers.set(shard, server);
    else if (error.code !== 'EADDRINUSE') this.#warn(`has no way from here: ${error.message}`);
  }

  async #forward(local: Socket, shard: number): Promise<void> {
    const { peer, key } = this.options;
    this.#open.add(local);
    local.once('close', () => this.#open.delete(local));
    local.on('error', () => local.destroy());
    const remote = await dial(peer, key).catch((error: Error) => this.#warn(error.message));
    if (!remote || local.destroyed) {
      remote?.destroy();
      local.destroy();
      return;
    }
    this.#said = '';
    remote.write(Buffer.of(shard));
    splice(local, remote);
  }

  /** Says each problem once, until the node can be reached again. */
  #warn(why: string): undefined {
    if (this.#said === why) return;
    this.#said = why;
    this.options.warn(`the node at ${this.options.peer.address} ${why}`);
  }
}

/** Connects to another node. Nothing is sent before it has proved who it is. */
async function dial(peer: Peer, { key, cert }: NodeKey): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const options = { key, cert, allowHalfOpen: true, minVersion: 'TLSv1.3' } as const;
  // No authority vouches for nodes: the certificate is compared with the registered one.
  const socket = connect({ ...splitAddress(peer.address), ...options, rejectUnauthorized: false });
  const deadline = setTimeout(() => reject(new Error('does not answer')), PROOF_MS);
  socket.on('error', (error) => reject(new Error(`cannot be reached: ${error.message}`)));
  socket.once('close', () => reject(new Error('has ended the connection')));
  socket.once('secureConnect', () => {
    if (socket.getPeerCertificate()?.fingerprint256 === peer.fingerprint) resolve(socket);
    else reject(new Error('shows a key that is not registered, so nothing is sent to it'));
  });
  try {
    return await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}
