import { type RawBuilder, sql } from 'kysely';
import type { Condition, Path, Scalar } from './where.ts';

type Sql = RawBuilder<unknown>;

/**
 * The JSON operations of an engine. Each engine has its own file. A condition can be null, which means false.
 */
export interface JsonSql {
  isText(path: Path): Sql;
  isNumber(path: Path): Sql;
  isArray(path: Path): Sql;
  /** The text at the path, if it is a text. */
  text(path: Path): Sql;
  /** The number at the path, if it is a number. */
  number(path: Path): Sql;
  /** A number of the query, as SQL. */
  numberSql(value: number): Sql;
  equals(path: Path, value: Exclude<Scalar, null>): Sql;
  isNullOrMissing(path: Path): Sql;
  isPresent(path: Path): Sql;
  hasElement(path: Path, value: Exclude<Scalar, null>): Sql;
  holdsText(path: Path, part: string): Sql;
  /** The rank of a value among other types: nothing, false, true, numbers, texts, the rest. */
  rank(path: Path): Sql;
  /** The JSON text at the path; null if there is nothing. */
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
        : json.hasElement(path, test.operand);
    default:
      return compareSql(json, path, test.operator, test.operand);
  }
}

function equalsSql(json: JsonSql, path: Path, value: Scalar): Sql {
  return value === null ? json.isNullOrMissing(path) : json.equals(path, value);
}

const SIGNS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` };

/** Texts are compared with texts and numbers with numbers. Everything else is neither greater nor less. */
function compareSql(json: JsonSql, path: Path, operator: keyof typeof SIGNS, value: string | number): Sql {
  const sign = SIGNS[operator];
  return typeof value === 'string'
    ? sql`${json.isText(path)} and ${json.text(path)} ${sign} ${value}`
    : sql`case when ${json.isNumber(path)} then ${json.number(path)} ${sign} ${json.numberSql(value)} end`;
}

/** The sort key of the age: ids start with the time of creation. */
const BY_AGE = [sql`records.id`];

/** The sort keys of a list, in SQL: compared from left to right, with the record's id last. */
export function sortKeys(json: JsonSql, orderBy: 'created_at' | 'updated_at' | Path): Sql[] {
  if (orderBy === 'created_at') return BY_AGE;
  if (orderBy === 'updated_at') return [sql`records.updated_at`, sql`records.id`];
  return [
    json.rank(orderBy),
    sql`case when ${json.isNumber(orderBy)} then ${json.number(orderBy)} else 0 end`,
    sql`case when ${json.isText(orderBy)} then ${json.text(orderBy)} else '' end`,
    sql`records.id`,
  ];
}
