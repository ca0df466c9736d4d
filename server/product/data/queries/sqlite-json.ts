import { type RawBuilder, sql } from 'kysely';
import type { JsonSql } from './query-sql.ts';
import type { Path } from './where.ts';

/** JSON stored as text. https://sqlite.org/json1.html */
export const sqliteJson: JsonSql = {
  isText: (path) => sql`${typeAt(path)} = 'text'`,
  isNumber: (path) => sql`${typeAt(path)} in ('integer', 'real')`,
  isArray: (path) => sql`${typeAt(path)} = 'array'`,
  text: (path) => sql`json_extract(records.data, ${pathText(path)})`,
  number: (path) => sql`json_extract(records.data, ${pathText(path)})`,
  // The number is parsed from JSON like the stored value, so that integers above 2^53 are rounded in the same way.
  numberSql: (value) => sql`json_extract(${JSON.stringify(value)}, '$')`,
  equals(path, value) {
    if (typeof value === 'boolean') return sql`${typeAt(path)} = ${String(value)}`;
    return typeof value === 'string'
      ? sql`${this.isText(path)} and ${this.text(path)} = ${value}`
      : sql`${this.isNumber(path)} and ${this.number(path)} = ${this.numberSql(value)}`;
  },
  isNullOrMissing: (path) => sql`coalesce(${typeAt(path)}, 'null') = 'null'`,
  isPresent: (path) => sql`${typeAt(path)} is not null`,
  hasElement(path, value) {
    const isIt =
      typeof value === 'boolean'
        ? sql`element.type = ${String(value)}`
        : typeof value === 'string'
          ? sql`element.type = 'text' and element.value = ${value}`
          : sql`element.type in ('integer', 'real') and element.value = ${this.numberSql(value)}`;
    return sql`${this.isArray(path)} and exists (select 1 from json_each(records.data, ${pathText(path)}) as element where ${isIt})`;
  },
  holdsText(path, part) {
    return sql`${this.isText(path)} and instr(${this.text(path)}, ${part}) > 0`;
  },
  rank: (path) =>
    sql`case ${typeAt(path)} when 'false' then 1 when 'true' then 2 when 'integer' then 3 when 'real' then 3 when 'text' then 4 when 'array' then 5 when 'object' then 5 else 0 end`,
  json: (path) => sql`records.data -> ${pathText(path)}`,
};

function pathText(path: Path): string {
  return `$${path.map((name) => `."${name}"`).join('')}`;
}

function typeAt(path: Path): RawBuilder<unknown> {
  return sql`json_type(records.data, ${pathText(path)})`;
}
