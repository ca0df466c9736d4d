import { sql } from 'kysely';
import type { MigrationTools } from '../tools.ts';

/** What the service itself keeps: nodes, mail, settings, backups, the audit log. */
export async function createService(tools: MigrationTools): Promise<void> {
  await createNodes(tools);
  await createMail(tools);
  await createOperations(tools);
}

async function createNodes({ table, id }: MigrationTools): Promise<void> {
  // Nodes that share a PostgreSQL, by data folder: their address, when last seen, and which one stores databases.
  await table('nodes')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('address', 'text')
    .addColumn('instance', 'text', (c) => c.notNull())
    .addColumn('keeps_databases', 'integer', (c) => c.notNull())
    .addColumn('seen_at', id.big, (c) => c.notNull())
    .execute();
  await table('blob_trash')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('delete_after', id.big, (c) => c.notNull())
    .execute();
}

async function createMail({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('mails')
    .addColumn('id', id.type, id.define)
    .addColumn('recipient', 'text', (c) => c.notNull())
    // The recipient without what it adds after a plus sign: all of these are one person.
    .addColumn('mailbox', 'text', (c) => c.notNull())
    .addColumn('user_id', id.big, (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    // Mail with the same bundle is put together while it waits.
    .addColumn('bundle', bytewise)
    .addColumn('content', 'text')
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .addColumn('due_at', id.big)
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('sent_at', id.big)
    .addColumn('last_error', 'text')
    .execute();
  // Only mail that still has to be sent has an entry: little of much.
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
}

async function createOperations({ db, table, id, bytewise }: MigrationTools): Promise<void> {
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
