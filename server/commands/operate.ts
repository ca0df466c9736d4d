import { existsSync } from 'node:fs';
import type { Call } from '../../cli/command.ts';
import { CommandError, EXIT } from '../../cli/usage.ts';
import { readConfig } from '../platform/config/index.ts';
import { createLog } from '../platform/http/index.ts';
import { Mail } from '../platform/mail/index.ts';
import { readNewUserCredits } from '../platform/service-settings/index.ts';
import { type Db, startStorage, type Tx } from '../platform/storage/index.ts';
import { createOperator } from '../product/accounts/index.ts';
import { openCreditAccount } from '../product/credits/index.ts';
import { disconnectApps } from '../product/oauth/index.ts';
import { assertDatabase } from './archive/data-locations.ts';

export type Operator = ReturnType<typeof createOperator>;

/** Opens the database directly; the server can be running. */
export async function operate(
  call: Call,
  work: (operator: Operator, db: Db) => Promise<void>,
): Promise<void> {
  const config = readConfig(call.environment);
  if (!config.databaseUrl && !existsSync(config.dataFolder)) {
    throw new CommandError(
      `${config.dataFolder} does not exist. Set QUIRE_DATA to the data folder of the server.`,
      EXIT.notFound,
    );
  }
  assertDatabase(config);
  const storage = await startStorage(config);
  try {
    const { db } = storage;
    const { now } = storage.clock;
    const openCredits = async (tx: Tx, userId: number) =>
      openCreditAccount(tx, { userId, credits: await readNewUserCredits(tx, config), now: now() });
    // The server sends what is queued here.
    const mail = new Mail({ ...config, db, now, log: createLog('silent') });
    const { baseUrl } = config;
    await work(createOperator({ db, now, openCredits, disconnectApps, mail, baseUrl }), db);
  } finally {
    await storage.stop();
  }
}
