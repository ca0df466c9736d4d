/** Limits of page analytics. */

/** Hosts that visitors come from, per page and day. Views from more are counted together. */
export const MAX_REFERRERS = 100;
/** Documents of a site, per page and day. Views of more are counted together. */
export const MAX_PATHS = 100;
/** Different errors per page: half are the most frequent, the rest the most recent. */
export const MAX_PAGE_ERRORS = 100;
export const ERRORS_KEPT_DAYS = 30;
/** Bytes of an error report. */
export const MAX_ERROR_REPORT = 8 * 1024;
export const MAX_ERROR_MESSAGE = 500;
export const MAX_ERROR_SOURCE = 500;
export const MAX_ERROR_STACK = 2_000;
/** Error reports per minute. */
export const ERROR_REPORTS_PER_ADDRESS = 30;
export const ERROR_REPORTS_PER_PAGE = 300;
