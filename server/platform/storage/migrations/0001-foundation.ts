import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/** Accounts, pages, agent specs. */
export async function up({ db, table, id, bytewise }: MigrationTools): Promise<void> {
  await table('users')
    .addColumn('id', id.type, id.define)
    .addColumn('username', 'text', (c) => c.notNull().unique())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('is_admin', 'integer', (c) => c.notNull().check(sql`is_admin in (0, 1)`))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();

  await table('usage')
    .addColumn('user_id', 'integer', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('pages', 'integer', (c) => c.notNull().check(sql`pages >= 0`))
    .addColumn('functions', 'integer', (c) => c.notNull().check(sql`functions >= 0`))
    .addColumn('bytes', id.big, (c) => c.notNull().check(sql`bytes >= 0`))
    .execute();

  await table('credit_accounts')
    .addColumn('user_id', 'integer', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('balance_tokens', id.big, (c) => c.notNull().check(sql`balance_tokens >= 0`))
    .execute();

  await table('login_sessions')
    .addColumn('id', id.type, id.define)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('secret_hash', 'text', (c) => c.notNull().unique())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('last_seen_at', id.big, (c) => c.notNull())
    .addColumn('expires_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('login_sessions_by_user').on('login_sessions').column('user_id').execute();

  await table('tokens')
    .addColumn('id', id.type, id.define)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
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
    .execute();
  await db.schema.createIndex('tokens_by_user').on('tokens').columns(['user_id', 'kind']).execute();
  await db.schema.createIndex('tokens_by_family').on('tokens').column('family').execute();
  await db.schema.createIndex('tokens_by_expiry').on('tokens').column('expires_at').execute();

  await table('setup_codes')
    .addColumn('secret_hash', 'text', (c) => c.primaryKey())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();

  const truth = (name: string) => (c: ColumnDefinitionBuilder) =>
    c.notNull().check(sql`${sql.ref(name)} in (0, 1)`);
  await table('pages')
    .addColumn('id', id.type, id.define)
    .addColumn('owner_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
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
    .execute();
  await db.schema.createIndex('pages_by_owner').on('pages').columns(['owner_id', 'updated_at']).execute();

  await table('page_versions')
    .addColumn('page_id', 'integer', (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('html_content', 'text', (c) => c.notNull())
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('content_hash', 'text', (c) => c.notNull())
    .addColumn('author_id', 'integer', (c) => c.references('users.id').onDelete('set null'))
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addPrimaryKeyConstraint('page_versions_key', ['page_id', 'version'])
    .execute();

  await table('page_old_slugs')
    .addColumn('slug', bytewise, (c) => c.primaryKey())
    .addColumn('page_id', 'integer', (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .execute();
  await db.schema.createIndex('page_old_slugs_by_page').on('page_old_slugs').column('page_id').execute();

  await table('page_messages')
    .addColumn('id', id.type, id.define)
    .addColumn('page_id', 'integer', (c) => c.notNull().references('pages.id').onDelete('cascade'))
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('user', 'assistant')`))
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('page_messages_by_page').on('page_messages').column('page_id').execute();

  await table('agent_specs')
    .addColumn('page_id', 'integer', (c) => c.primaryKey().references('pages.id').onDelete('cascade'))
    .addColumn('spec', 'text', (c) => c.notNull())
    .addColumn('created_at', id.big, (c) => c.notNull())
    .addColumn('updated_at', id.big, (c) => c.notNull())
    .execute();
}
