import type { Home } from '../../contract/accounts/home.ts';
import type { FunctionList, FunctionSummary } from '../../contract/functions/functions.ts';
import type { PageList, PageSummary } from '../../contract/pages/pages.ts';
import { api } from '../api.ts';

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
    api.get<Home>('/api/home', { signal }),
    api.get<PageList>(`/api/pages?limit=${RECENT_PAGES}`, { signal }),
    api.get<FunctionList>(`/api/functions?mine=true&limit=${RECENT_FUNCTIONS}`, { signal }),
  ]);
  return { home, pages, functions };
}
