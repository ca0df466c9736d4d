import { createServer, type Server } from 'node:net';

/** A listener that counts connections, to prove that there were none. */
export interface Listener {
  port: number;
  /** Connections since the last call. */
  takeCount(): number;
  close(): void;
}

const ANSWER =
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nConnection: close\r\n\r\nreach';

/** Listens on one port at every address of this machine, IPv4 and IPv6. */
export async function listenEverywhere(): Promise<Listener> {
  let count = 0;
  const open = (options: { host: string; port: number; ipv6Only?: boolean }) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((socket) => {
        count++;
        socket.on('error', () => undefined);
        // Closes after the request, if there is one: data that arrives at a closed socket resets it, and the
        // response is
        // lost. Clients that only listen get theirs soon.
        const soon = setTimeout(() => socket.end(ANSWER), 100);
        socket.once('data', () => {
          clearTimeout(soon);
          socket.end(ANSWER);
        });
        socket.once('close', () => clearTimeout(soon));
      });
      server.once('error', reject);
      server.listen(options, () => resolve(server));
    });
  const four = await open({ host: '0.0.0.0', port: 0 });
  const { port } = four.address() as { port: number };
  const six = await open({ host: '::', port, ipv6Only: true }).catch(() => undefined);
  return {
    port,
    takeCount() {
      const taken = count;
      count = 0;
      return taken;
    },
    close() {
      four.close();
      six?.close();
    },
  };
}
