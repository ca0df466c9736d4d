import type { MigrationTools } from './tools.ts';

/** Pages that programs cannot change, and tokens and apps that can only change branches. */
export async function up({ db }: MigrationTools): Promise<void> {
  const tables = { pages: 'protected', tokens: 'branches_only' };
  const apps = ['oauth_codes', 'oauth_device_codes', 'oauth_grants'];
  const columns = [...Object.entries(tables), ...apps.map((table) => [table, 'branches_only'] as const)];
  for (const [table, name] of columns)
    await db.schema
      .alterTable(table)
      .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
}
