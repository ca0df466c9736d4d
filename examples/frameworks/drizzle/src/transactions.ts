import type { DrizzleConfig } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';

/** What Quire adds to D1. `quire types` declares it for your editor. */
type Database = D1Database & { transaction<T>(run: (tx: Database) => Promise<T>): Promise<T> };
type Client<Schema extends Record<string, unknown>> = Omit<DrizzleD1Database<Schema>, 'transaction'> & {
  transaction<T>(run: (tx: Client<Schema>) => Promise<T>): Promise<T>;
};

/** Drizzle with `db.transaction`. Drizzle's own sends BEGIN, which D1 refuses. Inside, `tx.transaction` can be undone alone. */
export function connect<Schema extends Record<string, unknown>>(
  binding: D1Database,
  config: DrizzleConfig<Schema>,
): Client<Schema> {
  const { transaction } = binding as Database;
  return Object.assign(drizzle(binding, config), {
    transaction: <T>(run: (tx: Client<Schema>) => Promise<T>) =>
      transaction((tx) => run(connect(tx, config))),
  });
}
