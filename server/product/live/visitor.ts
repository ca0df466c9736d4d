import { createHmac, randomBytes } from 'node:crypto';
import type { LivePerson } from '../../../contract/live/messages.ts';
import { PublicError } from '../../lib/errors.ts';
import type { ServiceKey } from '../../lib/secrets.ts';
import type { Actor, Caller } from '../../platform/http/index.ts';
import type { Db, PageRow } from '../../platform/storage/index.ts';
import type { PageDirectory } from '../ports.ts';

/** The functions for pages and logins that the live slice uses. */
export interface VisitorContext {
  db: Db;
  key: ServiceKey;
  pages: PageDirectory;
  /** Looks the person behind a credential up again; undefined if it is no longer valid. */
  findAgain(actor: Actor, bearer: string | undefined): Promise<Actor | undefined>;
}

/** Somebody who was allowed to connect to a page. */
export interface Visitor {
  person: LivePerson;
  /** True in a browser that checks the page. */
  isCheck: boolean;
  /** When access to the page ends, if it does. */
  endsAt: number | null;
  /** The page as it is now. */
  readPage(): Promise<PageRow | undefined>;
  /** Why the visitor must be disconnected, if they must. Fails if that cannot be checked now. */
  refusal(
    page: PageRow | undefined,
    isLoginToo: boolean,
  ): Promise<'login ended' | 'access ended' | undefined>;
}

/** Admits somebody who can see the page, or fails. */
export async function admitVisitor(
  context: VisitorContext,
  { actor, passFor }: Caller,
  idOrSlug: string,
  credentials: { bearer: string | undefined; guest: string | undefined },
): Promise<{ page: PageRow; visitor: Visitor }> {
  const { db, pages } = context;
  const found = await pages.find(db, idOrSlug);
  // Read the pass now, so that the connection does not keep the whole request in memory.
  const pass = found && passFor?.(found.id);
  const callerWith = (known: Actor | undefined): Caller => ({ actor: known, passFor: () => pass });
  const page = await pages.see(db, found, callerWith(actor));
  const visitor: Visitor = {
    person: actor
      ? { id: actor.userId, username: actor.username }
      : { id: guestId(context.key, page.id, credentials.guest), username: null },
    isCheck: actor?.isCheck === true,
    endsAt: page.access_expires_at,
    readPage: () => pages.find(db, String(page.id)),
    async refusal(current, isLoginToo) {
      const isLoggedOut = actor && isLoginToo && !(await context.findAgain(actor, credentials.bearer));
      if (isLoggedOut) return 'login ended';
      try {
        const now = await pages.see(db, current, callerWith(actor));
        visitor.endsAt = now.access_expires_at;
        return undefined;
      } catch (error) {
        if (error instanceof PublicError) return 'access ended';
        throw error;
      }
    },
  };
  return { page, visitor };
}

/**
 * The id of a guest comes from a secret that only their browser knows, so that others, who see the id, cannot take it. It
 * differs between pages, so that nobody can follow a guest from one to another.
 */
function guestId(key: ServiceKey, pageId: number, secret = randomBytes(16).toString('base64url')): string {
  const mac = createHmac('sha256', key.inUse.bytes)
    .update(`live-guest\n${pageId}\n${secret}`)
    .digest('base64url');
  return `guest-${mac.slice(0, 16)}`;
}
