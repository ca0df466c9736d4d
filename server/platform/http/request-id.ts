import { randomBytes } from 'node:crypto';

/** Ids that are unique across restarts and cheap to make: a random prefix and a counter. */
export function createRequestIds(): () => string {
  const prefix = `${randomBytes(6).toString('hex')}-`;
  let count = 0;
  return () => prefix + (++count).toString(36);
}
