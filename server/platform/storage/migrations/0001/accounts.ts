import { sql } from 'kysely';
import type { MigrationTools } from '../tools.ts';
import { ofUser, truth } from './columns.ts';

/** How people log in, and the names they had. */
export async function createAccounts(tools: MigrationTools): Promise<void> {
  await createSessions(tools);
  await createTokens(tools);
  await createLogins(tools);
  await createNames(tools);
}

/** People, and what they use. Almost everything refers to them. */
export async function createUsers({ db, table, id }: MigrationTools): Promise<void> {
  await table('users')
    .addColumn('id', id.wide, id.define)
    .addColumn('username', 'text', (c) => c.notNull().unique())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('is_admin', 'integer', truth('is_admin'))
    .addColumn('created_at', id.big, (c) => c.notNull())
    // Only an address that somebody has confirmed lets its account in.
    .addColumn('email_confirmed_at', id.big)
    .addColumn('suspended_at', id.big)
    .addColumn('suspended_reason', 'text')
    // The account is deleted at this time, unless its user returns.
    .addColumn('removal_due_at', id.big)
    // Null means the quota of the service.
    .addColumn('quota_pages', id.big)
    .addColumn('quota_functions', id.big)
    .addColumn('quota_bytes', id.big)
    // With 1, a password alone does not log in: a passkey or a recovery code has to follow.
    .addColumn('needs_second_factor', 'integer', (c) => truth('needs_second_factor')(c).defaultTo(0))
    .execute();
  await db.schema
    .createIndex('users_by_removal')
    .on('users')
    .column('removal_due_at')
    .where('removal_due_at', 'is not', null)
    .execute();
  await table('usage')
    .addColumn('user_id', id.big, (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('pages', 'integer', (c) => c.notNull().check(sql`pages >= 0`))
    .addColumn('functions', 'integer', (c) => c.notNull().check(sql`functions >= 0`))
    .addColumn('bytes', id.big, (c) => c.notNull().check(sql`bytes >= 0`))
    .execute();
}

async function createSessions({ db, table, id }: MigrationTools): Promise<void> {
  await table('login_sessions')
    .addColumn('id', id.wide, id.define)
    .addColumn('user_id', id.big, ofUser)
    .addColumn('secret_hash', 'text', (c) => c.notNull().unique())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('last_seen_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('address', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('method', 'text', (c) => c.notNull().defaultTo('password'))
    .execute();
  await db.schema.createIndex('login_sessions_by_user').on('login_sessions').column('user_id').execute();
  await table('setup_codes')
    .addColumn('secret_hash', 'text', (c) => c.primaryKey())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();
}

/** A token can be limited to one page, and can spend credits up to a limit. */
async function createTokens({ db, table, id }: MigrationTools): Promise<void> {
  await table('tokens')
    .addColumn('id', id.wide, id.define)
    .addColumn('user_id', id.big, ofUser)
    .addColumn('kind', 'text', (c) =>
      c.notNull().check(sql`kind in ('access', 'refresh', 'personal', 'dashboard')`),
    )
    .addColumn('secret_hash', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('family', 'text')
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('last_used_at', id.big)
    .addColumn('spent_at', id.big)
    .addColumn('expires_at', id.big)
    .addColumn('asked_expires_at', id.big)
    .addColumn('page_id', id.big, (c) => c.references('pages.id').onDelete('cascade'))
    .addColumn('credit_limit_tokens', id.big, (c) => c.check(sql`credit_limit_tokens > 0`))
    .addColumn('credit_used_tokens', id.big, (c) =>
      c.notNull().defaultTo(0).check(sql`credit_used_tokens >= 0`),
    )
    .execute();
  const index = (name: string) => db.schema.createIndex(`tokens_by_${name}`).on('tokens');
  await index('user').columns(['user_id', 'kind']).execute();
  await index('family').column('family').execute();
  await index('expiry').column('expires_at').execute();
  // Deleting a page looks for its tokens. Almost no token has a page.
  await index('page').column('page_id').where('page_id', 'is not', null).execute();
}

async function createLogins({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  const byUser = (name: string) =>
    db.schema.createIndex(`${name}_by_user`).on(name).column('user_id').execute();
  // Links in mail: to set a new password, or to confirm an address.
  await table('account_links')
    .addColumn('user_id', id.big, ofUser)
    .addColumn('secret_hash', bytewise, (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull().check(sql`kind in ('reset', 'confirm')`))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .execute();
  await byUser('account_links');
  await table('passkeys')
    .addColumn('user_id', id.big, ofUser)
    .addColumn('id', id.type, id.define)
    .addColumn('credential_id', bytewise, (c) => c.notNull().unique())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('counter', id.big, (c) => c.notNull())
    .addColumn('transports', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('is_synced', 'integer', truth('is_synced'))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('last_used_at', id.big)
    .execute();
  await byUser('passkeys');
  await table('recovery_codes')
    .addColumn('user_id', id.big, ofUser)
    .addColumn('code_hash', bytewise, (c) => c.notNull())
    .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'code_hash'])
    .execute();
  await table('external_logins')
    .addColumn('user_id', id.big, ofUser)
    .addColumn('issuer', bytewise, (c) => c.notNull())
    .addColumn('subject', bytewise, (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('last_used_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('external_logins_key', ['issuer', 'subject'])
    .execute();
  await byUser('external_logins');
}

async function createNames({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  // Names that people had, kept for them so that nobody is taken for somebody else.
  await table('old_usernames')
    .addColumn('user_id', id.big, ofUser)
    .addColumn('username', bytewise, (c) => c.primaryKey())
    .addColumn('kept_until', id.big, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('old_usernames_by_user').on('old_usernames').column('user_id').execute();
  // Where a person has logged in before: wrong passwords from elsewhere do not lock them out there.
  await table('login_addresses')
    .addColumn('user_id', id.big, ofUser)
    .addColumn('address_hash', bytewise, (c) => c.notNull())
    .addColumn('last_seen_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('login_addresses_key', ['user_id', 'address_hash'])
    .execute();
  await db.schema
    .createIndex('login_addresses_by_time')
    .on('login_addresses')
    .column('last_seen_at')
    .execute();
  await table('registration_invites')
    .addColumn('id', id.type, id.define)
    .addColumn('secret_hash', bytewise, (c) => c.notNull().unique())
    .addColumn('created_by', id.big, (c) => c.references('users.id').onDelete('set null'))
    .addColumn('email', 'text')
    .addColumn('note', 'text', (c) => c.notNull())
    .addColumn('uses', 'integer', (c) => c.notNull())
    .addColumn('max_uses', 'integer', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .execute();
}
