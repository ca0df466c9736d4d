import { createHmac } from 'node:crypto';

/** The server's key to one database host, made from a secret that never leaves the server. */
export function hostKey(master: string, host: string): string {
  return createHmac('sha256', master).update(host).digest('hex');
}
