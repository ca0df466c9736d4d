import { AppError } from '../../../lib/errors.ts';
import { createFairQueue } from '../../../lib/fair-queue.ts';
import { within } from '../../../lib/time-limits/within.ts';

/** The TXT records at a name; none; or no response, which proves nothing. */
export type TxtAnswer = { texts: string[] } | 'none' | 'no answer';

/** Looks up the TXT records of a name. Callers with different keys take turns. */
export type LookUpTxt = (name: string, key: string) => Promise<TxtAnswer>;

const TRY_MS = 1_500;
const TRIES = 2;
/** The deadline of all tries together. */
const DEADLINE_MS = 5_000;
/** Lookups that run at the same time, and that wait. */
const WIDTH = 16;
const MAX_WAITING = 200;

/** The error codes that mean that there is no such record. */
const NONE = new Set(['ENOTFOUND', 'ENODATA']);

/** Looks up names with these DNS servers, or with those of the system. */
export function createLookUpTxt(servers: readonly string[]): LookUpTxt {
  const inTurn = createFairQueue({ width: WIDTH, maxWaiting: MAX_WAITING, refused: busy });
  return (name, key) => inTurn(key, () => lookUp(name, servers));
}

async function lookUp(name: string, servers: readonly string[]): Promise<TxtAnswer> {
  const { Resolver } = await import('node:dns/promises');
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  try {
    const records = await within(DEADLINE_MS, resolver.resolveTxt(name), () => new Error('too late'));
    return { texts: records.flat() };
  } catch (error) {
    return NONE.has((error as { code?: string }).code ?? '') ? 'none' : 'no answer';
  } finally {
    resolver.cancel();
  }
}

/**
 * Whether a value is among the texts. A long record arrives in several parts, and the runtime does not say where a
 * record ends, so parts that follow each other can be the value together.
 */
export function includesText(texts: readonly string[], value: string): boolean {
  return texts.some((_, start) => {
    let rest = value;
    for (let at = start; rest !== ''; at++) {
      const part = texts[at];
      if (!part || !rest.startsWith(part)) return false;
      rest = rest.slice(part.length);
    }
    return true;
  });
}

const busy = () =>
  new AppError(
    'UNAVAILABLE',
    'Too many domains are being looked up. Try again in a moment.',
    {},
    {
      headers: { 'retry-after': '5' },
    },
  );
