import { sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** What people and operators need: mail, other ways to log in, invites, administration. */
export async function up(tools: MigrationTools): Promise<void> {
  await extendUsers(tools);
  await addBlocks(tools);
  await addMail(tools);
  await addLogins(tools);
  await addInvites(tools);
  await addService(tools);
  // To rename a person on all lists.
  await tools.db.schema.createIndex('page_people_by_name').on('page_people').column('name').execute();
}

async function extendUsers({ db, id }: MigrationTools): Promise<void> {
  const users = () => db.schema.alterTable('users');
  await users().addColumn('suspended_at', id.big).execute();
  await users().addColumn('suspended_reason', 'text').execute();
  // The account is deleted then, unless its user returns.
  await users().addColumn('removal_due_at', id.big).execute();
  // Null: the quota of the service.
  await users().addColumn('quota_pages', id.big).execute();
  await users().addColumn('quota_functions', id.big).execute();
  await users().addColumn('quota_bytes', id.big).execute();
  // With 1, a password alone does not log in: a passkey or a recovery code has to follow.
  await users()
    .addColumn('needs_second_factor', 'integer', (c) =>
      c.notNull().defaultTo(0).check(sql`needs_second_factor in (0, 1)`),
    )
    .execute();
  await db.schema
    .createIndex('users_by_removal')
    .on('users')
    .column('removal_due_at')
    .where('removal_due_at', 'is not', null)
    .execute();
  const sessions = () => db.schema.alterTable('login_sessions');
  await sessions()
    .addColumn('name', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await sessions()
    .addColumn('address', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await sessions()
    .addColumn('method', 'text', (c) => c.notNull().defaultTo('password'))
    .execute();
}

/** In the rows of pages and functions, because every request needs them. */
async function addBlocks({ db, id }: MigrationTools): Promise<void> {
  for (const name of ['pages', 'functions']) {
    const table = () => db.schema.alterTable(name);
    await table().addColumn('taken_down_at', id.big).execute();
    await table().addColumn('taken_down_reason', 'text').execute();
    // Set while the owner's account is suspended, or about to be deleted.
    await table().addColumn('owner_blocked_at', id.big).execute();
  }
}

async function addMail({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('mails')
    .addColumn('id', id.type, id.define)
    .addColumn('recipient', 'text', (c) => c.notNull())
    // The recipient without what it adds after a plus sign: all of these are one person.
    .addColumn('mailbox', 'text', (c) => c.notNull())
    .addColumn('user_id', id.big, (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    // Mail with the same one is put together while it waits.
    .addColumn('bundle', bytewise)
    .addColumn('content', 'text')
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .addColumn('due_at', id.big)
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('sent_at', id.big)
    .addColumn('last_error', 'text')
    .execute();
  // Only mail that still has to be sent: few of many.
  await db.schema
    .createIndex('mails_by_due')
    .on('mails')
    .column('due_at')
    .where('due_at', 'is not', null)
    .execute();
  const index = (name: string) => db.schema.createIndex(`mails_by_${name}`).on('mails');
  await index('creation').column('created_at').execute();
  // For the limits: how much was sent to an address, or by a person, in the last hours.
  await index('mailbox').columns(['mailbox', 'kind', 'created_at']).execute();
  await index('user').columns(['user_id', 'kind', 'created_at']).execute();
  await index('bundle').columns(['bundle', 'id']).where('bundle', 'is not', null).execute();
  // Pages that differ from the default, which is that their owner gets mail.
  await table('form_settings')
    .addColumn('page_id', id.big, (c) => c.primaryKey().references('pages.id').onDelete('cascade'))
    .addColumn('notices', 'integer', (c) => c.notNull().check(sql`notices in (0, 1)`))
    .execute();
}

async function addLogins({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  const user = (name: string) =>
    table(name).addColumn('user_id', id.big, (c) => c.notNull().references('users.id').onDelete('cascade'));
  const byUser = (name: string) =>
    db.schema.createIndex(`${name}_by_user`).on(name).column('user_id').execute();
  // Links in mail: to set a new password, or to confirm an address.
  await user('account_links')
    .addColumn('secret_hash', bytewise, (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull().check(sql`kind in ('reset', 'confirm')`))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .execute();
  await byUser('account_links');
  await user('passkeys')
    .addColumn('id', id.type, id.define)
    .addColumn('credential_id', bytewise, (c) => c.notNull().unique())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('counter', id.big, (c) => c.notNull())
    .addColumn('transports', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('is_synced', 'integer', (c) => c.notNull().check(sql`is_synced in (0, 1)`))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('last_used_at', id.big)
    .execute();
  await byUser('passkeys');
  await user('recovery_codes')
    .addColumn('code_hash', bytewise, (c) => c.notNull())
    .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'code_hash'])
    .execute();
  await user('external_logins')
    .addColumn('issuer', bytewise, (c) => c.notNull())
    .addColumn('subject', bytewise, (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('last_used_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('external_logins_key', ['issuer', 'subject'])
    .execute();
  await byUser('external_logins');
  // Names that people had, kept for them so that nobody is taken for somebody else.
  await user('old_usernames')
    .addColumn('username', bytewise, (c) => c.primaryKey())
    .addColumn('kept_until', id.big, (c) => c.notNull())
    .execute();
  await byUser('old_usernames');
  // Where a person has logged in before: wrong passwords from elsewhere do not lock them out there.
  await user('login_addresses')
    .addColumn('address_hash', bytewise, (c) => c.notNull())
    .addColumn('last_seen_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('login_addresses_key', ['user_id', 'address_hash'])
    .execute();
  await db.schema
    .createIndex('login_addresses_by_time')
    .on('login_addresses')
    .column('last_seen_at')
    .execute();
}

async function addInvites({ table, id, bytewise }: MigrationTools): Promise<void> {
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

async function addService({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  // What administrators set while the service runs.
  await table('service_settings')
    .addColumn('name', bytewise, (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .execute();
  // At most one row: the backup that runs now, or the last one that failed.
  await table('backup_runs')
    .addColumn('slot', 'integer', (c) => c.primaryKey().check(sql`slot = 1`))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('started_at', id.big, (c) => c.notNull())
    .addColumn('seen_at', id.big, (c) => c.notNull())
    .addColumn('bytes', id.big, (c) => c.notNull())
    .addColumn('problem', 'text')
    .execute();
  // No references: entries outlive the people and things they are about.
  await table('audit_entries')
    .addColumn('id', id.type, id.define)
    .addColumn('at', id.big, (c) => c.notNull())
    .addColumn('actor_id', id.big)
    .addColumn('actor_name', 'text', (c) => c.notNull())
    .addColumn('action', bytewise, (c) => c.notNull())
    .addColumn('target_kind', 'text', (c) => c.notNull())
    .addColumn('target_id', id.big)
    .addColumn('target_name', 'text', (c) => c.notNull())
    .addColumn('owner_id', id.big)
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('details', 'text', (c) => c.notNull())
    .execute();
  const index = (name: string) => db.schema.createIndex(`audit_entries_by_${name}`).on('audit_entries');
  await index('time').column('at').execute();
  await index('owner').columns(['owner_id', 'at']).where('owner_id', 'is not', null).execute();
  await index('actor').columns(['actor_id', 'at']).execute();
}
