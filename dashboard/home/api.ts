import type { Home } from '../../contract/accounts/home/home.ts';
import { accountEndpoints } from '../../contract/accounts/own-account-endpoints.ts';
import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import type { FunctionSummary } from '../../contract/functions/functions.ts';
import { pageEndpoints } from '../../contract/pages/endpoints.ts';
import type { PageSummary } from '../../contract/pages/pages.ts';
import { call } from '../api.ts';

/** The endpoints that the home screen uses. */

const RECENT_PAGES = 6;
const RECENT_FUNCTIONS = 5;

export interface Everything {
  home: Home;
  pages: PageSummary[];
  functions: FunctionSummary[];
}

export async function readEverything(signal: AbortSignal): Promise<Everything> {
  const [home, { pages }, { functions }] = await Promise.all([
    call(accountEndpoints.getHome, { signal }),
    call(pageEndpoints.listPages, { query: { limit: RECENT_PAGES }, signal }),
    call(functionEndpoints.listFunctions, {
      query: { mine: 'true', limit: RECENT_FUNCTIONS, order: 'updated' },
      signal,
    }),
  ]);
  return { home, pages, functions };
}
