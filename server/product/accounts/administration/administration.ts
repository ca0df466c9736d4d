import type { UserDetail, UserQuery } from '../../../../contract/admin/users.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { DisconnectApps } from '../model/replace-password.ts';
import { deleteSessions } from '../model/session-store.ts';
import { setAdmin } from '../model/store.ts';
import { deleteLoginTokens } from '../model/token-store.ts';
import { type DatabaseBytes, type Quotas, type ReadCopied, withoutCopies } from '../quotas/usage.ts';
import { assertNotLastAdministrator } from './last-administrator.ts';
import { findDetail, listIssuers, listUsers, lockUser, setQuota, setSuspended } from './store.ts';

interface Options {
  db: Db;
  now: () => number;
  quotas: Quotas;
  databaseBytes: DatabaseBytes;
  readCopied: ReadCopied;
  disconnectApps: DisconnectApps;
  loginsEnded(userId: number): void;
}

/** The users, as administrators see and change them. */
export class UserAdministration {
  readonly lock = lockUser;
  readonly setAdmin = setAdmin;
  readonly setQuota = setQuota;
  readonly setSuspended = setSuspended;
  readonly assertNotLastAdministrator = assertNotLastAdministrator;
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async list(filter: UserQuery) {
    const { db, readCopied } = this.#options;
    const { rows, total } = await listUsers(db, filter);
    const copied = await readCopied(
      db,
      rows.map(({ id }) => id),
    );
    return { rows: rows.map((row) => withoutCopies(row, copied.get(row.id))), total };
  }

  /** Everything about one user, without the credits. */
  async detail(id: number): Promise<Omit<UserDetail, 'credits'> | undefined> {
    const { db, now, quotas, databaseBytes, readCopied } = this.#options;
    const found = await findDetail(db, id, now());
    if (!found) return undefined;
    const row = withoutCopies(found, (await readCopied(db, [id])).get(id));
    const lastSeenAt = Math.max(row.last_seen_at ?? 0, row.token_used_at ?? 0) || null;
    return {
      id,
      username: row.username,
      email: row.email,
      isEmailConfirmed: row.email_confirmed_at !== null,
      isAdmin: row.is_admin === 1,
      createdAt: toTimestamp(row.created_at),
      lastSeenAt: moment(lastSeenAt),
      pages: row.pages,
      functions: row.functions,
      storedBytes: row.bytes + databaseBytes(id),
      suspendedAt: moment(row.suspended_at),
      suspendedReason: row.suspended_reason,
      removalDueAt: moment(row.removal_due_at),
      passwordAskedAt: moment(row.password_asked_at),
      quota: { pages: row.quota_pages, functions: row.quota_functions, bytes: row.quota_bytes },
      serviceQuota: {
        pages: finite(quotas.pages),
        functions: finite(quotas.functions),
        bytes: finite(quotas.bytes),
      },
      login: {
        hasPassword: row.password_hash !== '',
        passkeys: row.passkeys ?? 0,
        needsSecondFactor: row.needs_second_factor === 1,
        recoveryCodes: row.recovery_codes ?? 0,
        singleSignOn: await listIssuers(db, id),
      },
      sessions: row.sessions ?? 0,
      tokens: row.tokens ?? 0,
    };
  }

  /** Ends every login: sessions, tokens of programs, connected apps. */
  async endLogins(tx: Tx, id: number): Promise<void> {
    await deleteSessions(tx, id, { except: undefined });
    await this.#options.disconnectApps(tx, id);
    await deleteLoginTokens(tx, id, { exceptSession: undefined });
  }

  loginsEnded(id: number): void {
    this.#options.loginsEnded(id);
  }
}

const moment = (at: number | null) => (at === null ? null : toTimestamp(at));
const finite = (quota: number) => (Number.isFinite(quota) ? quota : null);
