import type { Actor, PageVisitor, Visit } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';

/** Who uses the MCP server of a page: a visitor of that page. */
export interface PageCaller {
  page: PageRow;
  actor: Actor | undefined;
  /** The caller, as the functions of the page learn who calls. */
  visitor: PageVisitor;
  bearer: string | undefined;
  /** The headers that say who sent the request. Every request of the API that a tool makes has them too. */
  credentials: Record<string, string>;
  /** The host that the request came to. The API requests of a tool go there too. */
  visit: Pick<Visit, 'address' | 'requestId'> & { pageHost?: NonNullable<Visit['pageHost']> };
}

/** The headers that the gate reads, and no others. */
const CREDENTIALS = ['authorization', 'cookie', 'x-page-session', 'x-page-pass', 'origin', 'sec-fetch-site'];

export function credentialsIn({ headers }: Request): Record<string, string> {
  return Object.fromEntries(
    CREDENTIALS.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
