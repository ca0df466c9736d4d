import { hashSecret } from '../../../lib/secrets.ts';

/** Separates services that share a Redis. The nodes of one service have the same key, and so the same prefix. */
export function redisPrefix(key: Buffer): string {
  return `quire:${hashSecret(`redis ${key.toString('base64url')}`).slice(0, 12)}:`;
}
