import type { MigrationTools } from './tools.ts';

/** What a copy for some minutes has added to the usage of its owner. It does not count towards their quota. */
export async function up({ db, id }: MigrationTools): Promise<void> {
  const branches = (column: 'copied_functions' | 'copied_bytes') =>
    db.schema
      .alterTable('branches')
      .addColumn(column, column === 'copied_bytes' ? id.big : 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  await branches('copied_functions');
  await branches('copied_bytes');
  await db.schema
    .createIndex('branches_that_expire')
    .on('branches')
    .column('expires_at')
    .where('expires_at', 'is not', null)
    .execute();
}
