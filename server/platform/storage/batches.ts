import { setImmediate } from 'node:timers/promises';
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

interface Batches<Row> {
  /** A selected column that is unique in the result, by which the rows are ordered. */
  by: (keyof Row & string) | `${string}.${keyof Row & string}`;
  size: number;
}

/** Reads what a query without an order finds, some rows at a time: a long list must never be in memory as a whole. */
export async function* inBatches<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { by, size }: Batches<Row>,
): AsyncGenerator<Row[]> {
  const column = sql.ref(by);
  const key = by.split('.').at(-1) as keyof Row;
  for (let next = query; ; ) {
    const rows = (await next.orderBy(column).limit(size).execute()) as Row[];
    const last = rows.at(-1);
    if (last) yield rows;
    if (!last || rows.length < size) return;
    next = query.where(sql<SqlBool>`${column} > ${last[key]}`);
  }
}

/** Reads what a query finds, row by row. Other requests get their turn after each row, also on SQLite. */
export async function* eachRow<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  batches: Batches<Row>,
): AsyncGenerator<Row> {
  for await (const rows of inBatches(query, batches))
    for (const row of rows) {
      yield row;
      await setImmediate();
    }
}
