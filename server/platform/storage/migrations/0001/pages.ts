import { sql } from 'kysely';
import type { MigrationTools } from '../tools.ts';
import { ofPage, ofUser, pageKey, truth } from './columns.ts';

/** Pages, with everything about them that their owners made. */
export async function createPages(tools: MigrationTools): Promise<void> {
  await createPagesTable(tools);
  await createVersions(tools);
  await createDrafts(tools);
  await createFiles(tools);
  await createDomains(tools);
  await createAccess(tools);
  await createAgents(tools);
  await createPictures(tools);
}

async function createPagesTable({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('pages')
    .addColumn('id', id.wide, id.define)
    .addColumn('owner_id', id.big, ofUser)
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('slug', bytewise, (c) => c.notNull().unique())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('storage_mode', 'text', (c) =>
      c.notNull().check(sql`storage_mode in ('page', 'solo_app', 'team_app', 'social_app')`),
    )
    .addColumn('is_published', 'integer', truth('is_published'))
    .addColumn('is_unlisted', 'integer', truth('is_unlisted'))
    .addColumn('page_api_ai_enabled', 'integer', truth('page_api_ai_enabled'))
    .addColumn('page_api_image_gen_enabled', 'integer', truth('page_api_image_gen_enabled'))
    .addColumn('page_api_image_search_enabled', 'integer', truth('page_api_image_search_enabled'))
    .addColumn('page_api_image_recognition_enabled', 'integer', truth('page_api_image_recognition_enabled'))
    .addColumn('page_api_spawn_enabled', 'integer', truth('page_api_spawn_enabled'))
    .addColumn('preview_image', 'text')
    .addColumn('version', 'integer', (c) => c.notNull().check(sql`version >= 1`))
    .addColumn('views', id.big, (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    // The mode, the stamp and the expiry are needed for every request. The stamp changes with the mode, the password
    // and the people, and ends the passes that visitors have.
    .addColumn('access_mode', 'text', (c) =>
      c
        .notNull()
        .defaultTo('public')
        .check(sql`access_mode in ('public', 'password', 'people', 'team', 'private')`),
    )
    .addColumn('access_stamp', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('access_expires_at', id.big)
    // The domain is in the row of the page, so that every copy of it in memory has its address.
    .addColumn('domain', 'text')
    .addColumn('taken_down_at', id.big)
    .addColumn('taken_down_reason', 'text')
    // Set while the owner's account is suspended, or about to be deleted.
    .addColumn('owner_blocked_at', id.big)
    .addColumn('listed_at', id.big)
    .addColumn('unlisted_by_admin_at', id.big)
    .addColumn('unlisted_by_admin_reason', 'text')
    .execute();
  await db.schema.createIndex('pages_by_owner').on('pages').columns(['owner_id', 'updated_at']).execute();
  // Few pages are in the gallery.
  await db.schema
    .createIndex('pages_by_listed')
    .on('pages')
    .columns(['listed_at', 'id'])
    .where('listed_at', 'is not', null)
    .execute();
  await table('page_old_slugs')
    .addColumn('slug', bytewise, (c) => c.primaryKey())
    .addColumn('page_id', id.big, ofPage)
    .execute();
  await db.schema.createIndex('page_old_slugs_by_page').on('page_old_slugs').column('page_id').execute();
}

async function createVersions({ db, table, id }: MigrationTools): Promise<void> {
  await table('page_versions')
    .addColumn('page_id', id.big, ofPage)
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('html_content', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('content_hash', 'text', (c) => c.notNull())
    .addColumn('author_id', id.big, (c) => c.references('users.id').onDelete('set null'))
    .addColumn('created_at', id.big, (c) => c.notNull())
    // Not a foreign key: deleting a page would search this large table for every manifest.
    .addColumn('manifest_id', id.big)
    // A version that changes only files has the document of this earlier one.
    .addColumn('html_version', 'integer')
    .addColumn('note', 'text')
    .addPrimaryKeyConstraint('page_versions_key', ['page_id', 'version'])
    .execute();
  await db.schema.createIndex('page_versions_by_author').on('page_versions').column('author_id').execute();
}

async function createDrafts({ db, table, id }: MigrationTools): Promise<void> {
  await table('page_drafts')
    .addColumn('id', id.type, id.define)
    .addColumn('page_id', id.big, ofPage)
    .addColumn('base_version', 'integer', (c) => c.notNull())
    .addColumn('html_content', 'text', (c) => c.notNull())
    .addColumn('size', id.big, (c) => c.notNull())
    .addColumn('content_hash', 'text', (c) => c.notNull())
    .addColumn('manifest_id', id.big)
    .addColumn('note', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('author_id', id.big, (c) => c.references('users.id').onDelete('set null'))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('page_drafts_by_page').on('page_drafts').columns(['page_id', 'id']).execute();
  await db.schema.createIndex('page_drafts_by_author').on('page_drafts').column('author_id').execute();
}

/** `page_blobs.hash` is not a foreign key: deleting a page would search this large table for every blob. */
async function createFiles({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('file_blobs')
    .addColumn('hash', bytewise, (c) => c.primaryKey())
    .addColumn('key', 'text', (c) => c.notNull().unique())
    .addColumn('size', id.big, (c) => c.notNull())
    .addColumn('crc32', id.big, (c) => c.notNull())
    .addColumn('pages', id.big, (c) => c.notNull())
    .execute();
  await table('page_blobs')
    .addColumn('page_id', id.big, ofPage)
    .addColumn('hash', bytewise, (c) => c.notNull())
    // Files that only drafts have are deleted with the last of these. Files of versions stay.
    .addColumn('only_in_drafts', 'integer')
    .addPrimaryKeyConstraint('page_blobs_key', ['page_id', 'hash'])
    .execute();
  await table('page_manifests')
    .addColumn('id', id.type, id.define)
    .addColumn('page_id', id.big, ofPage)
    .addColumn('hash', bytewise, (c) => c.notNull())
    .addColumn('files', 'text', (c) => c.notNull())
    .addColumn('only_in_drafts', 'integer')
    .addUniqueConstraint('page_manifests_by_hash', ['page_id', 'hash'])
    .execute();
  for (const name of ['page_blobs', 'page_manifests'])
    await db.schema
      .createIndex(`${name}_of_drafts`)
      .on(name)
      .columns(['page_id', 'only_in_drafts'])
      .where('only_in_drafts', 'is not', null)
      .execute();
}

/** Many pages can ask for a domain, but only one can have proven it. */
async function createDomains({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('page_domains')
    .addColumn('id', id.type, id.define)
    .addColumn('page_id', 'integer', ofPage)
    .addColumn('domain', bytewise, (c) => c.notNull())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('verified_at', id.big)
    .addColumn('checked_at', id.big)
    .addColumn('failing_since', id.big)
    .addColumn('problem', 'text')
    .addUniqueConstraint('page_domains_of_page', ['page_id', 'domain'])
    .execute();
  const verified = (name: string) =>
    db.schema
      .createIndex(`page_domains_${name}`)
      .on('page_domains')
      .where(sql.ref('verified_at'), 'is not', null);
  await verified('verified').unique().column('domain').execute();
  await verified('by_check').column('checked_at').execute();
}

async function createAccess({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('page_access')
    .addColumn('page_id', id.big, pageKey)
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .execute();
  await table('page_people')
    .addColumn('page_id', id.big, ofPage)
    .addColumn('name', bytewise, (c) => c.notNull())
    .addPrimaryKeyConstraint('page_people_key', ['page_id', 'name'])
    .execute();
  // Finds a person on all lists, to rename them.
  await db.schema.createIndex('page_people_by_name').on('page_people').column('name').execute();
}

/** What agents learn of a page, and what they and its owner said while it was made. */
async function createAgents({ db, table, id }: MigrationTools): Promise<void> {
  await table('page_messages')
    .addColumn('id', id.wide, id.define)
    .addColumn('page_id', id.big, ofPage)
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('user', 'assistant')`))
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('page_messages_by_page').on('page_messages').column('page_id').execute();
  await table('agent_specs')
    .addColumn('page_id', id.big, pageKey)
    .addColumn('spec', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .execute();
  // Functions for agents, as JSON. Not in `pages`, whose rows are read for every view.
  await table('page_agent_functions')
    .addColumn('page_id', id.big, pageKey)
    .addColumn('functions', 'text', (c) => c.notNull())
    .execute();
  // The runs of the builder that are under way. The keys keep a page at one, and a person at few.
  await table('builder_runs')
    .addColumn('page_id', id.big, pageKey)
    .addColumn('user_id', id.big, ofUser)
    .addColumn('slot', 'integer', (c) => c.notNull())
    .addColumn('run', 'text', (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .addUniqueConstraint('builder_runs_by_user', ['user_id', 'slot'])
    .execute();
}

async function createPictures({ db, table, id }: MigrationTools): Promise<void> {
  await table('page_pictures')
    .addColumn('page_id', id.big, pageKey)
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('blob_key', 'text')
    .addColumn('size', id.big, (c) => c.notNull())
    .addColumn('width', 'integer', (c) => c.notNull())
    .addColumn('height', 'integer', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    // Until when a node has to take the picture: one that is killed must not keep the others from it.
    .addColumn('claimed_until', id.big)
    .execute();
  await table('images')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', id.big, ofUser)
    .addColumn('page_id', id.big, (c) => c.references('pages.id').onDelete('cascade'))
    .addColumn('content_type', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('images_by_page').on('images').column('page_id').execute();
  await db.schema.createIndex('images_by_owner').on('images').columns(['owner_id', 'id']).execute();
  // Screenshots of page checks, which expire.
  await table('screenshots')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'integer', ofUser)
    .addColumn('page_id', 'integer', ofPage)
    .addColumn('viewport', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .execute();
  for (const columns of [['owner_id', 'created_at'], ['page_id'], ['expires_at']])
    await db.schema.createIndex(`screenshots_by_${columns[0]}`).on('screenshots').columns(columns).execute();
}
