import { LIVE_CLOSE } from '../../../contract/live/limits.ts';
import type { Connection } from './connection.ts';

/** Connections that are checked at the same time: few, to leave the database to other requests. */
const AT_ONCE = 16;
/** The close code that tells the client to try again, if access cannot be checked now. */
const TRY_AGAIN = 1013;

const CLOSINGS = {
  'login ended': [LIVE_CLOSE.loginEnded, 'The login has ended.'],
  'access ended': [LIVE_CLOSE.accessEnded, 'The visitor can no longer see this page.'],
  unsure: [TRY_AGAIN, 'Try again in a moment.'],
} as const;

/** Why connections are checked: access to the page has changed, somebody logged out, or some time has passed. */
export type Occasion = 'access changed' | 'login changed' | 'a while ago';

/** Closes those connections of a page whose visitors cannot stay. */
export async function recheck(connections: Connection[], occasion: Occasion): Promise<void> {
  for (let at = 0; at < connections.length; at += AT_ONCE) {
    const some = connections.slice(at, at + AT_ONCE);
    // All are of the same page, so it is read once for all.
    const page = some[0]?.visitor.readPage().catch(() => 'unavailable' as const);
    await Promise.all(some.map(async (each) => recheckOne(each, await page, occasion)));
  }
}

type ReadPage = Awaited<ReturnType<Connection['visitor']['readPage']>> | 'unavailable';

async function recheckOne(connection: Connection, page: ReadPage, occasion: Occasion): Promise<void> {
  connection.checkedAt = performance.now();
  const { visitor } = connection;
  const isLoginToo = occasion !== 'access changed';
  const refusal =
    page === 'unavailable'
      ? 'unsure'
      : await visitor.refusal(page, isLoginToo).catch(() => 'unsure' as const);
  // A database that is unavailable for a moment must not end every connection.
  if (refusal === undefined || (refusal === 'unsure' && occasion === 'a while ago')) return;
  const [code, reason] = CLOSINGS[refusal];
  connection.close(code, reason);
}
