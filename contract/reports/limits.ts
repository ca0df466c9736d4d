/** Why somebody reports a page. */
export const REPORT_REASONS = [
  'scam',
  'malware',
  'illegal',
  'copyright',
  'harassment',
  'my-data',
  'other',
] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];

/** `open`: nobody has decided. `upheld`: the page was taken down. `dismissed`: an administrator found nothing. */
export const REPORT_STATES = ['open', 'upheld', 'dismissed'] as const;
export type ReportState = (typeof REPORT_STATES)[number];

/** Characters of what somebody writes about a page, and of what its owner answers. */
export const MAX_REPORT_TEXT = 2_000;
/** Characters of the address at which the reporter can be asked. */
export const MAX_REPORT_CONTACT = 200;
/** Characters of what says which page is meant: a slug, an id or an address. */
export const MAX_REPORTED_PAGE = 2_000;
/** Reports that one address can send. */
export const REPORTS_PER_HOUR = 5;
export const REPORTS_PER_DAY = 20;
/** Open reports of one page. */
export const MAX_OPEN_REPORTS = 100;
/** How long reports are kept after they were decided. */
export const REPORT_DAYS = 365;
/** Reports of a page that its owner sees: the newest. */
export const MAX_OWN_REPORTS = 100;
/** The path of the screen where the page at an address can be reported. */
export const toReportPath = (url: string) => `/report?page=${encodeURIComponent(url)}`;
