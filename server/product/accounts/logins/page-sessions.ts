import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { PreviewedAs } from '../../../../contract/pages/previews.ts';
import { hashSecret, type ServiceKey, sign, verify } from '../../../lib/secrets.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findUserById, isBlocked } from '../model/store.ts';
import { hasToken, parseSessionFamily } from '../model/token-store.ts';
import type { Sessions } from './sessions.ts';

const PAGE_SESSION_SECONDS = 2 * 3600;
const TICKET_SECONDS = 30;
/** How long a session for a page check lasts: longer than a check with the time it waits for its turn. */
const CHECK_SECONDS = 120;

const PageSession = z.object({ session: z.number(), page: z.number() });
/** How long a preview session lasts. A script could send it elsewhere, so it ends soon and cannot be renewed. */
const PREVIEW_SECONDS = 3600;

const CheckSession = z.object({ user: z.number(), page: z.number(), token: z.number().optional() });
const TrialSession = CheckSession.extend({ exp: z.number() });
const ForPreview = PageSession.extend({ maxRole: PreviewedAs, exp: z.number() });
const Ticket = PageSession.extend({ id: z.string(), browser: z.string() });

/** A visitor as signed tokens name them: by their login, or as the user who checks a page. */
interface Known {
  session?: number | undefined;
  checker?: number | undefined;
  /** The bearer token in whose name the check is made, or the agent acts: what it does ends with the token. */
  token?: number | undefined;
  /** Whether that user is the one who owns what people try. */
  isTrial?: boolean | undefined;
  /** The highest role of the visitor in a preview. */
  maxRole?: PreviewedAs | undefined;
  endsAt?: number | undefined;
}

/**
 * Lets a page's script act as its visitor, on that page only. A page session is a signed token with the login and
 * the page. It is valid while that login is, for at most two hours, and can be renewed. A ticket carries it to the
 * page's own host. It works once, for 30 seconds, in the browser it was made for. Otherwise an attacker could lead
 * others to the attacker's own ticket, and they would act on the page as the attacker.
 */
export interface PageSessions {
  /** How long a page session lasts. */
  readonly seconds: number;
  make(actor: Actor, pageId: number): string | undefined;
  /**
   * A page session for a check of the page, in the name of a user who may have no login. It cannot be renewed, and ends
   * with the token that asked for the check.
   */
  makeForCheck(userId: number, pageId: number, tokenId: number | undefined): string;
  /** A page session for somebody who tries a page, in the name of the account that owns it. It cannot be renewed. */
  makeForTrial(userId: number, pageId: number, endsAt: number): string;
  /** A page session for a preview in the dashboard, with a limited role; undefined unless a browser's login asks. */
  makeForPreview(
    actor: Actor,
    pageId: number,
    maxRole: PreviewedAs,
  ): { pageSession: string; expiresIn: number } | undefined;
  find(token: string, pageId: number): Promise<Actor | undefined>;
  /** The visitor and the page of a page session. */
  identify(token: string): Promise<{ actor: Actor; pageId: number } | undefined>;
  /** Finds the visitor with this login, or the user who checks a page, without a token. */
  findAgain(visitor: Known): Promise<Actor | undefined>;
  /** Makes a ticket. `browser` is the hash of a secret that the page's host gave the browser before. */
  makeTicket(actor: Actor, pageId: number, browser: string): string | undefined;
  /**
   * The page session of a ticket; undefined if it is forged, expired, used, or for another page or browser.
   */
  redeemTicket(ticket: string, pageId: number, browserSecret: string): Promise<string | undefined>;
}

interface PageSessionsOptions {
  db: Db;
  key: ServiceKey;
  sessions: Sessions;
  limits: Limits;
  now: () => number;
}

export function createPageSessions(options: PageSessionsOptions): PageSessions {
  const { key, sessions, limits, now } = options;
  const signSession = (session: number, page: number) =>
    sign(key, 'page-session', { session, page }, now() + PAGE_SESSION_SECONDS * 1000);

  async function findAgain(known: Known): Promise<Actor | undefined> {
    const { session, maxRole, endsAt } = known;
    if (hasEnded(endsAt, now())) return undefined;
    if (session === undefined) return findChecker(options.db, known);
    const actor = await sessions.byId(session);
    return actor && maxRole ? inPreview(actor, maxRole, endsAt) : actor;
  }

  return {
    seconds: PAGE_SESSION_SECONDS,
    make: ({ sessionId, maxRole }, pageId) =>
      sessionId === undefined || maxRole !== undefined ? undefined : signSession(sessionId, pageId),

    makeForPreview({ family }, page, maxRole) {
      const session = parseSessionFamily(family);
      if (session === undefined) return undefined;
      const content = { session, page, maxRole };
      const pageSession = sign(key, 'preview-session', content, now() + PREVIEW_SECONDS * 1000);
      return { pageSession, expiresIn: PREVIEW_SECONDS };
    },

    makeForCheck: (user, page, token) =>
      sign(key, 'check-session', { user, page, token }, now() + CHECK_SECONDS * 1000),

    makeForTrial: (user, page, endsAt) => sign(key, 'trial-session', { user, page }, endsAt),

    async find(token, pageId) {
      const named = readSession(key, token, now());
      return named?.page === pageId ? findAgain(named) : undefined;
    },

    async identify(token) {
      const named = readSession(key, token, now());
      const actor = named && (await findAgain(named));
      return actor && { actor, pageId: named.page };
    },

    findAgain,

    makeTicket({ sessionId: session, maxRole }, page, browser) {
      if (session === undefined || maxRole !== undefined) return undefined;
      return sign(key, 'ticket', { session, page, browser, id: randomUUID() }, now() + TICKET_SECONDS * 1000);
    },

    async redeemTicket(ticket, pageId, browserSecret) {
      const parsed = Ticket.safeParse(verify(key, 'ticket', ticket, now()));
      if (!parsed.success || parsed.data.page !== pageId) return undefined;
      if (parsed.data.browser !== hashSecret(browserSecret)) return undefined;
      const isFirst = await limits.claim(parsed.data.id, TICKET_SECONDS);
      return isFirst ? signSession(parsed.data.session, pageId) : undefined;
    },
  };
}

const hasEnded = (endsAt: number | undefined, now: number) => endsAt !== undefined && endsAt <= now;

const inPreview = (actor: Actor, maxRole: PreviewedAs, endsAt: number | undefined): Actor => ({
  ...actor,
  isAdmin: false,
  maxRole,
  ...(endsAt !== undefined && { endsAt }),
});

/** Reads a page session. Undefined if its signature is wrong or it has expired. */
function readSession(key: ServiceKey, token: string, now: number): (Known & { page: number }) | undefined {
  const parsed = PageSession.safeParse(verify(key, 'page-session', token, now));
  if (parsed.success) return parsed.data;
  const preview = ForPreview.safeParse(verify(key, 'preview-session', token, now));
  if (preview.success) return { ...preview.data, endsAt: preview.data.exp };
  const check = CheckSession.safeParse(verify(key, 'check-session', token, now));
  if (check.success) return { page: check.data.page, checker: check.data.user, token: check.data.token };
  const trial = TrialSession.safeParse(verify(key, 'trial-session', token, now));
  if (!trial.success) return undefined;
  const { page, user, exp } = trial.data;
  return { page, checker: user, isTrial: true, endsAt: exp };
}

/** The user in whose name a page is checked or tried. */
async function findChecker(db: Db, { checker, token, isTrial, endsAt }: Known): Promise<Actor | undefined> {
  const user = checker === undefined ? undefined : await findUserById(db, checker);
  if (!user || (await isBlocked(db, user.id))) return undefined;
  if (token !== undefined && !(await hasToken(db, token))) return undefined;
  const { id, username } = user;
  const trial = isTrial && { isTrial, ...(endsAt !== undefined && { endsAt }) };
  const made = token !== undefined && { tokenId: token };
  return {
    ...{ userId: id, username, isAdmin: false, via: 'page session', scopes: [], isCheck: true },
    ...made,
    ...trial,
  };
}
