import type { LogPosition } from '../../../../lib/formats/sqlite-log.ts';

/** What the server does for the process that ships: its databases are opened in a sandbox only. */

/** How a database is packed: where the segment and the hashes of all pages go, and what is known of the time before. */
export interface PackOrder {
  segment: string;
  hashes: string;
  since?: { hashes: string; position: LogPosition | undefined; pageBytes: number } | undefined;
}

export interface PackReport {
  pageBytes: number;
  pageCount: number;
  /** When the database was as it is in the segment. */
  at: number;
  /** Where its log was then; undefined without one. */
  position?: LogPosition | undefined;
  pages?: number | undefined;
  /** Whether the segment has all pages. */
  isFull?: boolean | undefined;
  bytes?: number | undefined;
  checksum?: string | undefined;
}

/** Packs pages of a database as it is at one moment. Undefined if there is no such database. */
export type PackDatabase = (
  ownerId: number,
  file: string,
  order: PackOrder,
) => Promise<PackReport | undefined>;
