import { sql } from 'kysely';
import type { MigrationTools } from '../tools.ts';
import { ofPage, ofUser, truth } from './columns.ts';

/** Credits as a ledger, and consents to spend them and to publish. */
export async function createCredits(tools: MigrationTools): Promise<void> {
  await createLedger(tools);
  await createReservations(tools);
  await createConsents(tools);
}

async function createLedger({ db, table, id }: MigrationTools): Promise<void> {
  await table('credit_accounts')
    .addColumn('user_id', id.big, (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('balance_tokens', id.big, (c) => c.notNull().check(sql`balance_tokens >= 0`))
    .addColumn('held_tokens', id.big, (c) => c.notNull().defaultTo(0).check(sql`held_tokens >= 0`))
    .execute();
  await table('ledger_transfers')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) =>
      c.notNull().check(sql`kind in ('grant', 'reserve', 'settle', 'release')`),
    )
    .addColumn('user_id', id.big, ofUser)
    .addColumn('page_id', id.big)
    .addColumn('feature', 'text')
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('ledger_transfers_by_user')
    .on('ledger_transfers')
    .columns(['user_id', 'id'])
    .execute();
  await table('ledger_entries')
    .addColumn('transfer_id', 'text', (c) =>
      c.notNull().references('ledger_transfers.id').onDelete('cascade'),
    )
    .addColumn('account', 'text', (c) =>
      c.notNull().check(sql`account in ('issued', 'available', 'held', 'spent')`),
    )
    .addColumn('tokens', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('ledger_entries_key', ['transfer_id', 'account'])
    .execute();
}

async function createReservations({ db, table, id }: MigrationTools): Promise<void> {
  await table('credit_reservations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', id.big, ofUser)
    .addColumn('page_id', id.big)
    .addColumn('feature', 'text', (c) => c.notNull())
    .addColumn('tokens', id.big, (c) => c.notNull().check(sql`tokens > 0`))
    .addColumn('is_consented', 'integer', truth('is_consented'))
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .addColumn('token_id', 'integer')
    .execute();
  const index = (name: string) =>
    db.schema.createIndex(`credit_reservations_by_${name}`).on('credit_reservations');
  await index('expiry').column('expires_at').execute();
  await index('user').column('user_id').execute();
}

async function createConsents({ db, table, id }: MigrationTools): Promise<void> {
  await table('credit_consents')
    .addColumn('user_id', id.big, ofUser)
    .addColumn('page_id', id.big, ofPage)
    .addColumn('limit_tokens', id.big, (c) => c.notNull().check(sql`limit_tokens > 0`))
    .addColumn('used_tokens', id.big, (c) => c.notNull().check(sql`used_tokens >= 0`))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('credit_consents_key', ['user_id', 'page_id'])
    .execute();
  // Which pages may publish in a person's name: a decision of its own, beside how much they may spend.
  await table('publish_consents')
    .addColumn('user_id', id.big, ofUser)
    .addColumn('page_id', id.big, ofPage)
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('publish_consents_key', ['user_id', 'page_id'])
    .execute();
  await db.schema.createIndex('publish_consents_by_page').on('publish_consents').column('page_id').execute();
}
