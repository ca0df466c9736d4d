import { type RawBuilder, sql } from 'kysely';
import type { Condition, Path, Scalar } from './where.ts';

type Sql = RawBuilder<unknown>;

/** What asking for JSON takes on one engine. Every truth may be null, which counts as false. */
export interface JsonSql {
  isText(path: Path): Sql;
  isNumber(path: Path): Sql;
  isArray(path: Path): Sql;
  /** The text at the path, where it is one. */
  text(path: Path): Sql;
  /** The number at the path, where it is one. */
  number(path: Path): Sql;
  /** A number that came from outside. */
  numberOf(value: number): Sql;
  equals(path: Path, value: Exclude<Scalar, null>): Sql;
  isNullOrMissing(path: Path): Sql;
  isPresent(path: Path): Sql;
  hasElement(path: Path, value: Exclude<Scalar, null>): Sql;
  holdsText(path: Path, part: string): Sql;
  /** Where a value stands among values of other types: nothing, false, true, numbers, texts, the rest. */
  rank(path: Path): Sql;
  /** The JSON text at the path, null when there is nothing. */
  json(path: Path): Sql;
}

/** A condition as SQL that is true or false, never null. */
export function conditionSql(json: JsonSql, condition: Condition): Sql {
  if (condition.kind !== 'test') {
    const parts = condition.of.map((part) => conditionSql(json, part));
    if (parts.length === 0) return condition.kind === 'all' ? sql`(1 = 1)` : sql`(1 = 0)`;
    return sql`(${sql.join(parts, condition.kind === 'all' ? sql` and ` : sql` or `)})`;
  }
  return sql`((${testSql(json, condition)}) is true)`;
}

function testSql(json: JsonSql, test: Extract<Condition, { kind: 'test' }>): Sql {
  const { path } = test;
  switch (test.operator) {
    case 'eq':
      return equalsSql(json, path, test.operand);
    case 'ne':
      return sql`not ((${equalsSql(json, path, test.operand)}) is true)`;
    case 'in':
      if (test.operand.length === 0) return sql`1 = 0`;
      return sql.join(
        test.operand.map((operand) => sql`((${equalsSql(json, path, operand)}) is true)`),
        sql` or `,
      );
    case 'exists':
      return test.operand ? json.isPresent(path) : sql`not (${json.isPresent(path)})`;
    case 'contains':
      return typeof test.operand === 'string'
        ? sql`(${json.holdsText(path, test.operand)}) is true or (${json.hasElement(path, test.operand)}) is true`
        : json.hasElement(path, test.operand as Exclude<Scalar, null>);
    default:
      return compareSql(json, path, test.operator, test.operand as string | number);
  }
}

function equalsSql(json: JsonSql, path: Path, value: Scalar): Sql {
  return value === null ? json.isNullOrMissing(path) : json.equals(path, value);
}

const SIGNS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` };

/** Texts are compared with texts and numbers with numbers; anything else is neither more nor less. */
function compareSql(json: JsonSql, path: Path, operator: keyof typeof SIGNS, value: string | number): Sql {
  const sign = SIGNS[operator];
  return typeof value === 'string'
    ? sql`${json.isText(path)} and ${json.text(path)} ${sign} ${value}`
    : sql`case when ${json.isNumber(path)} then ${json.number(path)} ${sign} ${json.numberOf(value)} end`;
}

/** What a list is sorted by, in SQL: compared from left to right, the record's id last. */
export function sortKeys(json: JsonSql, orderBy: 'created_at' | 'updated_at' | Path): Sql[] {
  // Ids begin with the moment of creation.
  if (orderBy === 'created_at') return [sql`records.id`];
  if (orderBy === 'updated_at') return [sql`records.updated_at`, sql`records.id`];
  return [
    json.rank(orderBy),
    sql`case when ${json.isNumber(orderBy)} then ${json.number(orderBy)} else 0 end`,
    sql`case when ${json.isText(orderBy)} then ${json.text(orderBy)} else '' end`,
    sql`records.id`,
  ];
}

/** JSON kept as text. https://sqlite.org/json1.html */
export const sqliteJson: JsonSql = {
  isText: (path) => sql`${sqliteType(path)} = 'text'`,
  isNumber: (path) => sql`${sqliteType(path)} in ('integer', 'real')`,
  isArray: (path) => sql`${sqliteType(path)} = 'array'`,
  text: (path) => sql`json_extract(records.data, ${sqlitePath(path)})`,
  number: (path) => sql`json_extract(records.data, ${sqlitePath(path)})`,
  // Read from JSON as the stored one was, so that whole numbers beyond 2^53 are rounded alike.
  numberOf: (value) => sql`json_extract(${JSON.stringify(value)}, '$')`,
  equals(path, value) {
    if (typeof value === 'boolean') return sql`${sqliteType(path)} = ${String(value)}`;
    return typeof value === 'string'
      ? sql`${this.isText(path)} and ${this.text(path)} = ${value}`
      : sql`${this.isNumber(path)} and ${this.number(path)} = ${this.numberOf(value)}`;
  },
  isNullOrMissing: (path) => sql`coalesce(${sqliteType(path)}, 'null') = 'null'`,
  isPresent: (path) => sql`${sqliteType(path)} is not null`,
  hasElement(path, value) {
    const isIt =
      typeof value === 'boolean'
        ? sql`element.type = ${String(value)}`
        : typeof value === 'string'
          ? sql`element.type = 'text' and element.value = ${value}`
          : sql`element.type in ('integer', 'real') and element.value = ${this.numberOf(value)}`;
    return sql`${this.isArray(path)} and exists (select 1 from json_each(records.data, ${sqlitePath(path)}) as element where ${isIt})`;
  },
  holdsText(path, part) {
    return sql`${this.isText(path)} and instr(${this.text(path)}, ${part}) > 0`;
  },
  rank: (path) =>
    sql`case ${sqliteType(path)} when 'false' then 1 when 'true' then 2 when 'integer' then 3 when 'real' then 3 when 'text' then 4 when 'array' then 5 when 'object' then 5 else 0 end`,
  json: (path) => sql`records.data -> ${sqlitePath(path)}`,
};

function sqlitePath(path: Path): string {
  return `$${path.map((name) => `."${name}"`).join('')}`;
}

function sqliteType(path: Path): Sql {
  return sql`json_type(records.data, ${sqlitePath(path)})`;
}

/** JSON kept as jsonb. https://www.postgresql.org/docs/current/functions-json.html */
export const postgresJson: JsonSql = {
  isText: (path) => sql`${postgresType(path)} = 'string'`,
  isNumber: (path) => sql`${postgresType(path)} = 'number'`,
  isArray: (path) => sql`${postgresType(path)} = 'array'`,
  text: (path) => sql`(${postgresValue(path)} #>> '{}') collate "C"`,
  number: (path) => sql`(${postgresValue(path)})::numeric`,
  numberOf: (value) => sql`${JSON.stringify(value)}::numeric`,
  equals: (path, value) => {
    const containing = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    // The first half is what the index can answer, the second what was asked.
    return sql`records.data @> ${JSON.stringify(containing)}::jsonb and ${postgresValue(path)} = ${JSON.stringify(value)}::jsonb`;
  },
  isNullOrMissing: (path) => sql`coalesce(${postgresType(path)}, 'null') = 'null'`,
  isPresent: (path) => sql`${postgresType(path)} is not null`,
  hasElement(path, value) {
    return sql`${this.isArray(path)} and ${postgresValue(path)} @> ${JSON.stringify([value])}::jsonb`;
  },
  holdsText(path, part) {
    return sql`${this.isText(path)} and strpos(${this.text(path)}, ${part}) > 0`;
  },
  rank: (path) =>
    sql`case ${postgresType(path)} when 'boolean' then case when ${postgresValue(path)} = 'true'::jsonb then 2 else 1 end when 'number' then 3 when 'string' then 4 when 'array' then 5 when 'object' then 5 else 0 end`,
  json: (path) => sql`(${postgresValue(path)})::text`,
};

function postgresValue(path: Path): Sql {
  // By name each time: `#>` would take a name of digits for a place in an array.
  const names = path.map((name) => sql`${name}::text`);
  return sql`(records.data -> ${sql.join(names, sql` -> `)})`;
}

function postgresType(path: Path): Sql {
  return sql`jsonb_typeof(${postgresValue(path)})`;
}
