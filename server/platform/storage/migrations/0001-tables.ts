import { createAccounts, createUsers } from './0001/accounts.ts';
import { createAnalytics } from './0001/analytics.ts';
import { createCredits } from './0001/credits.ts';
import { createData } from './0001/data.ts';
import { createFunctions } from './0001/functions.ts';
import { createOAuth } from './0001/oauth.ts';
import { createPages } from './0001/pages.ts';
import { createService } from './0001/service.ts';
import type { MigrationTools } from './tools.ts';

/** The tables of version 0.1.0. Those that others refer to come first. */
export async function up(tools: MigrationTools): Promise<void> {
  await createUsers(tools);
  await createPages(tools);
  await createFunctions(tools);
  await createAccounts(tools);
  await createData(tools);
  await createCredits(tools);
  await createOAuth(tools);
  await createAnalytics(tools);
  await createService(tools);
}
