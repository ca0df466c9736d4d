import { type RawBuilder, sql } from 'kysely';

/** A condition that one of the columns contains the text. Ignores case and escapes wildcards. */
export function contains(text: string, columns: string[]): RawBuilder<boolean> {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const each = columns.map((column) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`);
  return sql<boolean>`(${sql.join(each, sql` or `)})`;
}
