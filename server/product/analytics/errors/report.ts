import type { ErrorReport } from '../../../../contract/analytics/analytics.ts';
import { domainOrigin } from '../../../../contract/pages/pages.ts';
import { limitKey } from '../../../lib/addresses.ts';
import type { Limit } from '../../../platform/coordination/limits/index.ts';
import type { Caller, Visit } from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';
import { isBot } from '../bots.ts';
import { cleanMessage, cleanStack, toPageLocation } from './clean.ts';
import type { Reported } from './store.ts';

export interface ReportContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  pages: PageDirectory;
  traffic: { failed(pageId: number, error: Reported): void };
  /** Names a browser for people, such as "Firefox on Linux". */
  deviceName(userAgent: string): string;
  /** The rate limits of error reports. */
  limits: { perAddress: Limit; perPage: Limit };
}

interface Reporting {
  idOrSlug: string;
  caller: Caller;
  address: string;
  pageHost: Visit['pageHost'];
  userAgent: string;
}

/** Counts an error that a visitor's browser reports. The visitor is not recorded. */
export async function reportError(
  context: ReportContext,
  report: ErrorReport,
  { idOrSlug, caller, address, pageHost, userAgent }: Reporting,
): Promise<void> {
  const { db, pages, limits, traffic } = context;
  await limits.perAddress.take(limitKey(address));
  const page = await pages.see(db, await pages.find(db, idOrSlug), caller);
  await limits.perPage.take(String(page.id));
  // Errors during a check are not counted: the check shows them to the person who started it.
  if (caller.actor?.isCheck || isBot(userAgent)) return;
  const browser = context.deviceName(userAgent);
  traffic.failed(page.id, toReported(context, page, report, { browser, origin: pageHost?.origin }));
}

function toReported(
  { baseUrl, now }: Pick<ReportContext, 'baseUrl' | 'now'>,
  page: PageRow,
  { message, stack, ...given }: ErrorReport,
  from: { browser: string; origin: string | undefined },
): Reported {
  const origins = [from.origin, page.domain && domainOrigin(baseUrl, page.domain)].filter(
    (origin): origin is string => typeof origin === 'string',
  );
  const placed = { slug: page.slug, baseUrl, origins };
  const text = cleanMessage(message, placed);
  const { source, line, column } = given.source ? given : firstPlace(stack);
  const place = toPageLocation(source ?? '', placed);
  const at = now();
  return {
    fingerprint: makeFingerprint([text, place, line ?? '']),
    message: text,
    source: place,
    line_number: line ?? null,
    column_number: column ?? null,
    stack: stack === undefined ? null : cleanStack(stack, placed),
    browser: from.browser,
    version: page.version,
    count: 1,
    first_at: at,
    last_at: at,
  };
}

/** The first place in a stack. For a rejected promise, browsers report no other place. */
function firstPlace(stack = ''): Pick<ErrorReport, 'source' | 'line' | 'column'> {
  for (const [, source = '', line, column] of stack.matchAll(
    /(https?:\/\/[^\s()]{1,500}?):(\d{1,9}):(\d{1,9})/g,
  ))
    if (!source.includes('/sdk/')) return { source, line: Number(line), column: Number(column) };
  return {};
}

function makeFingerprint(parts: Array<string | number>): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
