import { connect, createServer, type Socket } from 'node:net';

/** A connection between a server and its database that can be broken in different ways. */
export interface Wire {
  port: number;
  /** Drops everything silently, like a stopped machine or a lost route. */
  silence(): void;
  /** Breaks connections and refuses new ones, like a stopped database. */
  cut(): Promise<void>;
  /** Repairs it for new connections. Those that were silent continue. */
  mend(): Promise<void>;
  stop(): Promise<void>;
}

export async function startWire(target: { port: number }): Promise<Wire> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const listener = createServer((near) => {
    const far = connect({ port: target.port, host: '127.0.0.1' });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isSilent) from.pause();
    }
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(port, '127.0.0.1', () => {
        listener.off('error', reject);
        resolve();
      });
    });
  const cut = async () => {
    const closed = listener.listening && new Promise((resolve) => listener.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  const address = listener.address();
  if (typeof address !== 'object' || !address) throw new Error('the wire has no port');
  const { port } = address;

  return {
    port,
    silence() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    cut,
    async mend() {
      isSilent = false;
      if (!listener.listening) await listen(port);
      for (const socket of sockets) socket.resume();
    },
    stop: cut,
  };
}
