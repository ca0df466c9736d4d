import type { ErrorReport } from '../../../../contract/analytics/analytics.ts';
import { MAX_ERROR_MESSAGE } from '../../../../contract/analytics/limits.ts';
import { domainOrigin } from '../../../../contract/pages/pages.ts';
import { limitKey } from '../../../lib/addresses.ts';
import type { Limit } from '../../../platform/coordination/limits/index.ts';
import type { Caller, Visit } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';
import { isBot } from '../bots.ts';
import { cleanMessage, cleanStack, toPageLocation } from './clean.ts';
import { type KeepContext, keepCall, keepVisit } from './context.ts';
import type { Reported } from './store.ts';

export interface ReportContext extends KeepContext {
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
  const placed = placePage(context, page, pageHost?.origin);
  const { visit, ...error } = report;
  const led =
    visit && page.repair === 1
      ? await keepVisit(context, page, { ...visit, path: toPageLocation(visit.url, placed) }, caller)
      : null;
  traffic.failed(page.id, { ...toReported(context, page, error, placed), browser, context: led });
}

/** Counts a call of a function of a page that failed, on pages whose errors can be repaired. */
export async function reportCall(
  context: Pick<ReportContext, 'db' | 'now' | 'pages' | 'traffic' | 'limits' | 'readSource'>,
  { pageId, ...call }: { pageId: number; function: string; as: string; body: Uint8Array; error: string },
): Promise<void> {
  const { db, now, pages, traffic, limits } = context;
  const page = await pages.find(db, String(pageId));
  if (page?.repair !== 1) return;
  await limits.perPage.take(String(page.id));
  const { error, ...kept } = call;
  const at = now();
  const message = `${call.function}: ${error}`.slice(0, MAX_ERROR_MESSAGE).toWellFormed();
  traffic.failed(page.id, {
    fingerprint: makeFingerprint(['call', message]),
    ...{ message, source: `function:${call.function}`, line_number: null, column_number: null, stack: null },
    ...{ browser: '', version: page.version, context: await keepCall(context, page, kept) },
    ...{ count: 1, first_at: at, last_at: at },
  });
}

function placePage({ baseUrl }: Pick<ReportContext, 'baseUrl'>, page: PageRow, origin: string | undefined) {
  const origins = [origin, page.domain && domainOrigin(baseUrl, page.domain)].filter(
    (each): each is string => typeof each === 'string',
  );
  return { slug: page.slug, baseUrl, origins };
}

function toReported(
  { now }: Pick<ReportContext, 'now'>,
  page: PageRow,
  { message, stack, ...given }: Omit<ErrorReport, 'visit'>,
  placed: ReturnType<typeof placePage>,
): Omit<Reported, 'browser' | 'context'> {
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
