import { type RawBuilder, sql } from 'kysely';
import type { JsonSql } from './query-sql.ts';
import type { Path } from './where.ts';

/** JSON stored as jsonb. https://www.postgresql.org/docs/current/functions-json.html */
export const postgresJson: JsonSql = {
  isText: (path) => sql`${typeAt(path)} = 'string'`,
  isNumber: (path) => sql`${typeAt(path)} = 'number'`,
  isArray: (path) => sql`${typeAt(path)} = 'array'`,
  text: (path) => sql`(${valueAt(path)} #>> '{}') collate "C"`,
  number: (path) => sql`(${valueAt(path)})::numeric`,
  numberSql: (value) => sql`${JSON.stringify(value)}::numeric`,
  equals: (path, value) => {
    const containing = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    // The first condition can use the index, the second is exact.
    return sql`records.data @> ${JSON.stringify(containing)}::jsonb and ${valueAt(path)} = ${JSON.stringify(value)}::jsonb`;
  },
  isNullOrMissing: (path) => sql`coalesce(${typeAt(path)}, 'null') = 'null'`,
  isPresent: (path) => sql`${typeAt(path)} is not null`,
  hasElement(path, value) {
    return sql`${this.isArray(path)} and ${valueAt(path)} @> ${JSON.stringify([value])}::jsonb`;
  },
  holdsText(path, part) {
    return sql`${this.isText(path)} and strpos(${this.text(path)}, ${part}) > 0`;
  },
  rank: (path) =>
    sql`case ${typeAt(path)} when 'boolean' then case when ${valueAt(path)} = 'true'::jsonb then 2 else 1 end when 'number' then 3 when 'string' then 4 when 'array' then 5 when 'object' then 5 else 0 end`,
  json: (path) => sql`(${valueAt(path)})::text`,
};

function valueAt(path: Path): RawBuilder<unknown> {
  // Look up each name on its own: `#>` would treat a name of digits as an array index.
  const names = path.map((name) => sql`${name}::text`);
  return sql`(records.data -> ${sql.join(names, sql` -> `)})`;
}

function typeAt(path: Path): RawBuilder<unknown> {
  return sql`jsonb_typeof(${valueAt(path)})`;
}
