import type { Selectable } from 'kysely';
import type { ReportReason, ReportState } from '../../../../contract/reports/limits.ts';

/** What visitors say about pages that should not be there. */
export interface PageReportsTable {
  id: string;
  page_id: number;
  /** The version of the page when it was reported. */
  version: number;
  reason: ReportReason;
  text: string;
  /** Where to ask the person who sent it; empty if they gave none. */
  contact: string;
  /** Tells apart who sends reports. Deleted when the report is decided, after a day at the earliest. */
  address_hash: string | null;
  state: ReportState;
  created_at: number;
  closed_at: number | null;
  /** What the owner of the page says. */
  answer: string | null;
  answered_at: number | null;
  /** The name of a picture of the page, which is a secret. */
  picture: string | null;
}

export type ReportRow = Selectable<PageReportsTable>;
