import type { DatabaseConnection, Driver } from 'kysely';
import type { Tx } from './handles.ts';

const waiting = new WeakMap<DatabaseConnection, Array<() => void>>();

/** Calls this once the transaction is committed, and never if it is rolled back. It must not throw. */
export async function afterCommit(tx: Tx, work: () => void): Promise<void> {
  await tx.getExecutor().provideConnection(async (connection) => {
    waiting.set(connection, [...(waiting.get(connection) ?? []), work]);
  });
}

/** Makes `afterCommit` work for the transactions of a driver. */
export function announcesCommits(driver: Driver): Driver {
  const commit = driver.commitTransaction.bind(driver);
  const rollback = driver.rollbackTransaction.bind(driver);
  driver.commitTransaction = async (connection) => {
    await commit(connection);
    const works = waiting.get(connection) ?? [];
    waiting.delete(connection);
    for (const work of works) work();
  };
  driver.rollbackTransaction = async (connection) => {
    waiting.delete(connection);
    await rollback(connection);
  };
  return driver;
}
