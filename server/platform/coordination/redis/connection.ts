import type { Redis as Client } from 'ioredis';

const CONNECT_MS = 2_000;
const MAX_WAIT_MS = 1_000;

export type { Client };

/**
 * Opens a connection that never queues: a command that cannot be sent now fails now, and nothing is sent twice. It
 * reconnects automatically until it is closed. The client is loaded on first use: a single node never needs it.
 */
export async function connect(url: string): Promise<Client> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, {
    connectTimeout: CONNECT_MS,
    disconnectTimeout: 100,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    // The ready check sends INFO, which some accounts may not use. We detect a dead server by beats.
    enableReadyCheck: false,
    // Otherwise the client sends its name and becomes ready once that succeeds or fails. If it is closed while the
    // server hangs, it then believes that it is connected and never reconnects.
    disableClientInfo: true,
    retryStrategy: (times) => Math.min(50 * 2 ** times, MAX_WAIT_MS),
  });
  // Ignored: without a listener it is printed, and every failure shows up in a command or a missing beat.
  client.on('error', () => undefined);
  return client;
}

/** Reconnects if the other end is silent. */
export function renew(client: Client): void {
  if (client.status === 'end') void client.connect().catch(() => undefined);
  else client.disconnect(true);
}
