import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** Credits as a ledger, consents to spend them, and pictures. */
export async function up({ db, table, id }: MigrationTools): Promise<void> {
  const ofUser = (c: ColumnDefinitionBuilder) => c.notNull().references('users.id').onDelete('cascade');

  await db.schema
    .alterTable('credit_accounts')
    .addColumn('held_tokens', id.big, (c) => c.notNull().defaultTo(0).check(sql`held_tokens >= 0`))
    .execute();

  await table('ledger_transfers')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) =>
      c.notNull().check(sql`kind in ('grant', 'reserve', 'settle', 'release')`),
    )
    .addColumn('user_id', 'integer', ofUser)
    .addColumn('page_id', 'integer')
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

  // Credits that users received before the ledger existed.
  await sql`insert into ledger_transfers (id, kind, user_id, reason, created_at)
    select 'opening-' || credit_accounts.user_id, 'grant', credit_accounts.user_id, 'Opening balance', users.created_at
    from credit_accounts join users on users.id = credit_accounts.user_id where balance_tokens > 0`.execute(
    db,
  );
  await sql`insert into ledger_entries (transfer_id, account, tokens)
    select 'opening-' || user_id, 'issued', -balance_tokens from credit_accounts where balance_tokens > 0`.execute(
    db,
  );
  await sql`insert into ledger_entries (transfer_id, account, tokens)
    select 'opening-' || user_id, 'available', balance_tokens from credit_accounts where balance_tokens > 0`.execute(
    db,
  );

  await table('credit_reservations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'integer', ofUser)
    .addColumn('page_id', 'integer')
    .addColumn('feature', 'text', (c) => c.notNull())
    .addColumn('tokens', id.big, (c) => c.notNull().check(sql`tokens > 0`))
    .addColumn('is_consented', 'integer', (c) => c.notNull().check(sql`is_consented in (0, 1)`))
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('credit_reservations_by_expiry')
    .on('credit_reservations')
    .column('expires_at')
    .execute();

  await table('credit_consents')
    .addColumn('user_id', 'integer', ofUser)
    .addColumn('page_id', 'integer', (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('limit_tokens', id.big, (c) => c.notNull().check(sql`limit_tokens > 0`))
    .addColumn('used_tokens', id.big, (c) => c.notNull().check(sql`used_tokens >= 0`))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('credit_consents_key', ['user_id', 'page_id'])
    .execute();

  await table('images')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'integer', ofUser)
    .addColumn('page_id', 'integer', (c) => c.references('pages.id').onDelete('cascade'))
    .addColumn('content_type', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('images_by_page').on('images').column('page_id').execute();
}
