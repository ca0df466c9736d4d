import {
  type ColumnDefinitionBuilder,
  type CreateTableBuilder,
  type Kysely,
  type RawBuilder,
  sql,
} from 'kysely';

export type Engine = 'sqlite' | 'postgres';

/** Helpers that let one migration serve both engines. */
export interface MigrationTools {
  // biome-ignore lint/suspicious/noExplicitAny: a migration works on the tables of its own day, not on today's types
  db: Kysely<any>;
  /** Starts a table. On SQLite it is STRICT, so that columns enforce their types. */
  table(name: string): CreateTableBuilder<string, never>;
  id: {
    type: 'integer' | 'serial';
    /** 64 bits wide on both engines: every call, login and rolled-back insert uses up a key. For `define`, too. */
    wide: 'integer' | 'bigserial';
    /** An auto-increment key that is never reused. */
    define(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
    /** A 64-bit integer. */
    big: 'integer' | 'bigint';
  };
  /** Text that is compared byte by byte, so that ranges over it mean the same on both engines. */
  bytewise: RawBuilder<unknown>;
  /** JSON that can be searched. */
  json: 'text' | 'jsonb';
  /** For the few statements that differ between engines. */
  isSqlite: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: see above
export function migrationTools(db: Kysely<any>, engine: Engine): MigrationTools {
  const isSqlite = engine === 'sqlite';
  return {
    db,
    table: (name) => {
      const builder = db.schema.createTable(name);
      return isSqlite ? builder.modifyEnd(sql`strict`) : builder;
    },
    id: isSqlite
      ? { type: 'integer', wide: 'integer', define: (c) => c.primaryKey().autoIncrement(), big: 'integer' }
      : { type: 'serial', wide: 'bigserial', define: (c) => c.primaryKey(), big: 'bigint' },
    bytewise: isSqlite ? sql`text` : sql`text collate "C"`,
    json: isSqlite ? 'text' : 'jsonb',
    isSqlite,
  };
}
