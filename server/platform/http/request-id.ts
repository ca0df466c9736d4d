import { randomBytes } from 'node:crypto';

/** The last two digits of ids, made once: every request needs one. */
const ENDINGS = Array.from({ length: 36 ** 2 }, (_, at) => at.toString(36).padStart(2, '0'));

/** Ids that are unique across restarts and cheap to make: a random prefix and a counter. */
export function createRequestIds(): () => string {
  const prefix = `${randomBytes(6).toString('hex')}-`;
  let block = 0;
  let start = prefix;
  let at = 0;
  return () => {
    if (at === ENDINGS.length) {
      at = 0;
      start = prefix + (++block).toString(36);
    }
    return start + ENDINGS[at++];
  };
}
