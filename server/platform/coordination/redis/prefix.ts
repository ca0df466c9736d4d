import { hashSecret } from '../../../lib/secrets.ts';

/** Services that share a Redis do not hear each other; the nodes of one have the same key. */
export function redisPrefix(key: Buffer): string {
  return `quire:${hashSecret(`redis ${key.toString('base64url')}`).slice(0, 12)}:`;
}
