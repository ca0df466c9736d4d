/** Limits of jobs. */

/** Bytes of one message, as JSON. */
export const MAX_MESSAGE_BYTES = 128 * 1024;
/** When a message is due that waits for another one: never, until that one is done. */
export const AFTER_OTHERS = 8_640_000_000_000_000;
/** Characters of a key. */
export const MAX_JOB_KEY = 200;
/** Characters of a message in a list. */
export const PREVIEW_CHARACTERS = 200;
/** Messages of all functions of one owner, waiting and failed. */
export const MAX_OWNER_MESSAGES = 100_000;
/** With more of them, changes by visitors add none. */
export const MAX_VISITOR_MESSAGES = MAX_OWNER_MESSAGES / 2;
/** How long changes of records stay among the failed jobs: they have what visitors wrote. */
export const FAILED_CHANGES_KEPT_MS = 30 * 24 * 3600 * 1000;
/** Messages that a function gets at once. */
export const MAX_BATCH = 10;
export const MAX_TRIES = 10;
/** What a row takes besides its message, which counts towards the owner's quota. */
const ROW_BYTES = 100;

export const countBytes = (body: string, key: string | null): number =>
  Buffer.byteLength(body) + Buffer.byteLength(key ?? '') + ROW_BYTES;

/** How often a message can be cut off because others wait before it counts as a try: then it needs too long. */
export const MAX_CUT_OFFS = 20;
/** The longest delay after a cut-off. */
const MAX_CUT_OFF_DELAY_MS = 5 * 60_000;

const FIRST_DELAY_MS = 5_000;

/** How long a message waits after so many tries that failed: 5 seconds, then twice as long each time. */
export const backoffMs = (tries: number): number => FIRST_DELAY_MS * 2 ** (tries - 1);

/** How long a message waits that was cut off, so often before. */
export const cutOffDelayMs = (before: number): number =>
  Math.min(MAX_CUT_OFF_DELAY_MS, FIRST_DELAY_MS * 2 ** before);
