/** Limits that clients check before they send something. */

/** Of the HTML of a page. */
export const MAX_HTML_BYTES = 4 * 1024 * 1024;
/** Of a file of a team. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Of the value of a secret. */
export const MAX_SECRET_BYTES = 64 * 1024;
/** Of a SQL script to import. */
export const IMPORT_BODY_LIMIT = 64 * 1024 * 1024;
export const MAX_SPEC_CHARACTERS = 50_000;
/** Operations in one batch. */
export const MAX_BATCH = 100;
/** Entries that the log of a function keeps, and that one request can read. */
export const MAX_LOG_ENTRIES = 1_000;
