import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { MigrationTools } from '../tools.ts';
import { ofUser } from './columns.ts';

/** The page that a grant is limited to, if any. */
const ofAnyPage = (c: ColumnDefinitionBuilder) => c.references('pages.id').onDelete('cascade');

/** Apps that people connect to their accounts with OAuth. */
export async function createOAuth(tools: MigrationTools): Promise<void> {
  await createClients(tools);
  await createCodes(tools);
}

async function createClients({ db, table, id }: MigrationTools): Promise<void> {
  await table('oauth_clients')
    .addColumn('client_id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('redirect_uris', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('used_at', id.big)
    .execute();
  await db.schema
    .createIndex('oauth_clients_by_use')
    .on('oauth_clients')
    .columns(['used_at', 'created_at'])
    .execute();

  await table('oauth_grants')
    .addColumn('id', id.wide, id.define)
    .addColumn('user_id', id.big, ofUser)
    .addColumn('page_id', id.big, ofAnyPage)
    .addColumn('client_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('is_verified', 'integer', (c) => c.notNull())
    .addColumn('resource', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('used_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('oauth_grants_by_user')
    .on('oauth_grants')
    .columns(['user_id', 'used_at'])
    .execute();
  await db.schema.createIndex('oauth_grants_by_page').on('oauth_grants').column('page_id').execute();
  await db.schema.createIndex('oauth_grants_by_expiry').on('oauth_grants').column('expires_at').execute();
}

/** Codes live for minutes, and are stored as hashes. A person types the user code, so it is stored as it is. */
async function createCodes({ db, table, id }: MigrationTools): Promise<void> {
  await table('oauth_codes')
    .addColumn('code_hash', 'text', (c) => c.primaryKey())
    .addColumn('user_id', id.big, ofUser)
    .addColumn('page_id', id.big, ofAnyPage)
    .addColumn('client_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('is_verified', 'integer', (c) => c.notNull())
    .addColumn('redirect_uri', 'text', (c) => c.notNull())
    .addColumn('challenge', 'text', (c) => c.notNull())
    .addColumn('resource', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .addColumn('spent_at', id.big)
    .addColumn('grant_id', id.big)
    .execute();
  await db.schema.createIndex('oauth_codes_by_user').on('oauth_codes').column('user_id').execute();
  await db.schema.createIndex('oauth_codes_by_page').on('oauth_codes').column('page_id').execute();
  await db.schema.createIndex('oauth_codes_by_expiry').on('oauth_codes').column('expires_at').execute();

  await table('oauth_device_codes')
    .addColumn('code_hash', 'text', (c) => c.primaryKey())
    .addColumn('user_code', 'text', (c) => c.notNull().unique())
    .addColumn('user_id', id.big, (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('page_id', id.big, ofAnyPage)
    .addColumn('client_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('is_verified', 'integer', (c) => c.notNull())
    .addColumn('resource', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull().check(sql`status in ('pending', 'allowed', 'denied')`))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .addColumn('polled_at', id.big)
    .addColumn('interval_seconds', 'integer', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('oauth_device_codes_by_user')
    .on('oauth_device_codes')
    .column('user_id')
    .execute();
  await db.schema
    .createIndex('oauth_device_codes_by_page')
    .on('oauth_device_codes')
    .column('page_id')
    .execute();
  await db.schema
    .createIndex('oauth_device_codes_by_expiry')
    .on('oauth_device_codes')
    .column('expires_at')
    .execute();
}
