import { ServiceKey } from '../../server/lib/secrets.ts';
import type { Actor } from '../../server/platform/http/index.ts';
import { type Db, startStorage } from '../../server/platform/storage/index.ts';
import { tokenLimits } from '../../server/product/accounts/index.ts';
import { giveConsent, withdrawConsent } from '../../server/product/credits/consents.ts';
import { Credits, grant } from '../../server/product/credits/index.ts';
import { functionLimits } from '../../server/product/functions/index.ts';
import { PageDirectory, Passes } from '../../server/product/pages/index.ts';
import type { TestApp, TestUser } from './app.ts';

/** The credit operations on the database of a running service, and checks of the ledger. */
export interface Bank {
  db: Db;
  credits: Credits;
  grant(user: TestUser, tokens: number): Promise<unknown>;
  allow(user: TestUser, pageId: number, limit: number): Promise<unknown>;
  withdraw(user: TestUser, pageId: number): Promise<void>;
  account(user: TestUser): Promise<{ balance: number; held: number }>;
  consent(user: TestUser, pageId: number): Promise<{ limit: number; used: number } | undefined>;
  /** All errors in the ledger. There must never be any. */
  faults(): Promise<unknown[]>;
  stop(): Promise<void>;
}

export async function openBank(
  quire: Pick<TestApp, 'dataFolder' | 'databaseUrl' | 'baseUrl'>,
): Promise<Bank> {
  const storage = await startStorage({ dataFolder: quire.dataFolder, databaseUrl: quire.databaseUrl });
  const { db } = storage;
  const now = Date.now;
  const pages = new PageDirectory({
    findRole: async () => undefined,
    passes: new Passes({ key: new ServiceKey(Buffer.alloc(32)), now }),
    findConfirmedEmail: async () => undefined,
    isBlocked: async () => false,
    now,
  });
  const credits = new Credits({
    db,
    now,
    log: { warn: (fields: unknown) => console.error(fields) },
    pages,
    readUsername: async () => 'somebody',
    tokenLimits,
    functionLimits,
    baseUrl: quire.baseUrl,
  });

  return {
    db,
    credits,
    grant: (user, tokens) => grant(db, { userId: user.id, tokens, reason: 'A present', now: now() }),
    allow: (user, pageId, limit) =>
      giveConsent({ db, now, pages }, toActor(user), { pageId, limit, publish: true }),
    withdraw: (user, pageId) => withdrawConsent({ db, now }, toActor(user), pageId),
    async account(user) {
      const query = db.selectFrom('credit_accounts').selectAll().where('user_id', '=', user.id);
      const row = await query.executeTakeFirstOrThrow();
      return { balance: row.balance_tokens, held: row.held_tokens };
    },
    async consent(user, pageId) {
      const row = await db
        .selectFrom('credit_consents')
        .selectAll()
        .where('user_id', '=', user.id)
        .where('page_id', '=', pageId)
        .executeTakeFirst();
      return row && { limit: row.limit_tokens, used: row.used_tokens };
    },
    faults: () => findFaults(db),
    async stop() {
      await credits.stop();
      await storage.stop();
    },
  };
}

const toActor = ({ id, username }: TestUser): Actor => ({
  userId: id,
  username,
  isAdmin: false,
  via: 'login',
  scopes: [],
});

async function findFaults(db: Db): Promise<unknown[]> {
  const entries = await db
    .selectFrom('ledger_entries')
    .innerJoin('ledger_transfers', 'ledger_transfers.id', 'ledger_entries.transfer_id')
    .select(['transfer_id', 'user_id', 'account', 'tokens'])
    .execute();
  const byTransfer = new Map<string, number>();
  const byAccount = new Map<string, number>();
  const add = (sums: Map<string, number>, key: string, tokens: number) =>
    sums.set(key, (sums.get(key) ?? 0) + tokens);
  for (const { transfer_id, user_id, account, tokens } of entries) {
    add(byTransfer, transfer_id, tokens);
    add(byAccount, `${account} of ${user_id}`, tokens);
  }
  const faults: unknown[] = [...byTransfer].filter(([, sum]) => sum !== 0);

  const reservations = await db.selectFrom('credit_reservations').selectAll().execute();
  for (const row of await db.selectFrom('credit_accounts').selectAll().execute()) {
    const own = reservations.filter(({ user_id }) => user_id === row.user_id);
    const books = {
      available: byAccount.get(`available of ${row.user_id}`) ?? 0,
      held: byAccount.get(`held of ${row.user_id}`) ?? 0,
      reserved: own.reduce((sum, { tokens }) => sum + tokens, 0),
    };
    const isRight =
      row.balance_tokens === books.available &&
      row.held_tokens === books.held &&
      row.held_tokens === books.reserved &&
      row.balance_tokens >= 0 &&
      row.held_tokens >= 0;
    if (!isRight) faults.push({ row, books });
  }
  for (const consent of await db.selectFrom('credit_consents').selectAll().execute()) {
    if (consent.used_tokens < 0 || consent.used_tokens > consent.limit_tokens) faults.push(consent);
  }
  return faults;
}
