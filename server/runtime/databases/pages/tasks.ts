import type { SegmentOrder } from '../../../lib/formats/page-segment.ts';
import type { LogPosition } from '../../../lib/formats/sqlite-log.ts';

/** What the server asks the process that reads and writes the files of databases, and what it reports. */

export type Task =
  /** Writes the whole database as one file. */
  | { kind: 'copy'; file: string }
  /**
   * Writes a segment. With `since`, of the pages that have changed; the hashes of the pages at that time are the input.
   * Also writes the new hashes.
   */
  | { kind: 'pack'; file: string; since?: { position: LogPosition | undefined; pageBytes: number } }
  /** Writes the whole database as one file, from segments, the newest first. They are the input, one after the other. */
  | { kind: 'rebuild'; pageBytes: number; pageCount: number; segments: SegmentOrder[] };

export interface Report {
  pageBytes: number;
  pageCount: number;
  /** When the database was as it is in the copy. */
  at: number;
  position?: LogPosition | undefined;
  /** For a segment: its pages, whether these are all, and what was written. */
  pages?: number | undefined;
  isFull?: boolean | undefined;
  bytes?: number | undefined;
  checksum?: string | undefined;
}

/** The last line that the process prints to its standard error. */
export type Outcome =
  | { report: Report }
  | { failure: { message: string; code?: string | undefined; isDamage: boolean } };

export const OUTCOME_MARK = 'quire-outcome: ';
/** The descriptors to which the result and the hashes of pages are written. */
export const OUTPUT_FD = 1;
export const HASHES_FD = 3;

/** How pages are packed: where the segment and the new hashes go, and what is known of the time before. */
export interface PackOrder {
  segment: string;
  hashes: string;
  since?: { hashes: string; position: LogPosition | undefined; pageBytes: number } | undefined;
  /** Somebody waits for it. */
  isUrgent?: boolean | undefined;
}
