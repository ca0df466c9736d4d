import { Redis as Client } from 'ioredis';

const CONNECT_MS = 2_000;
const MAX_WAIT_MS = 1_000;

export type { Client };

/**
 * Opens a connection that never queues: what cannot be sent now fails now, and nothing is sent twice. It comes back by
 * itself for as long as it is not closed.
 */
export function connect(url: string): Client {
  const client = new Client(url, {
    connectTimeout: CONNECT_MS,
    disconnectTimeout: 100,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    // It would ask INFO, which not every account may; whether the server answers is found out by beats.
    enableReadyCheck: false,
    // It would name itself to the server and call itself ready once that is answered or has failed. Closed while the
    // server hung, it then takes itself for connected and never connects again.
    disableClientInfo: true,
    retryStrategy: (times) => Math.min(50 * 2 ** times, MAX_WAIT_MS),
  });
  // Heard and dropped: without a listener it is printed, and every failure shows in a command or in a missing beat.
  client.on('error', () => undefined);
  return client;
}

/** Opens a connection anew whose other end is silent. */
export function renew(client: Client): void {
  if (client.status === 'end') void client.connect().catch(() => undefined);
  else client.disconnect(true);
}
