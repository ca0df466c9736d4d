import { type ColumnDefinitionBuilder, sql } from 'kysely';

/** Columns that many tables have. */

export const ofUser = (c: ColumnDefinitionBuilder) => c.notNull().references('users.id').onDelete('cascade');
export const ofPage = (c: ColumnDefinitionBuilder) => c.notNull().references('pages.id').onDelete('cascade');
export const ofFunction = (c: ColumnDefinitionBuilder) =>
  c.notNull().references('functions.id').onDelete('cascade');

/** The key of a table with at most one row for each page. */
export const pageKey = (c: ColumnDefinitionBuilder) =>
  c.primaryKey().references('pages.id').onDelete('cascade');

/** A column that is 0 or 1. */
export const truth = (name: string) => (c: ColumnDefinitionBuilder) =>
  c.notNull().check(sql`${sql.ref(name)} in (0, 1)`);
