/** The tables of how pages are used. Days and hours are the moments they begin, in UTC. */

export interface PageHoursTable {
  page_id: number;
  hour: number;
  views: number;
  /** Different visitors, estimated from the sketch. */
  visitors: number;
  /** What counts visitors without storing them; null once the hour is too old to be shown. */
  sketch: string | null;
  errors: number;
}

export interface PageDaysTable {
  page_id: number;
  day: number;
  views: number;
  /** Different visitors, estimated from the sketch. */
  visitors: number;
  /** What counts visitors without storing them; null once the day is over. */
  sketch: string | null;
  errors: number;
}

export interface PageReferrersTable {
  page_id: number;
  day: number;
  /** The host that visitors came from; empty for all hosts that are over the limit. */
  referrer: string;
  views: number;
}

/** Views of one day by what they were of. */
export interface PageViewDaysTable {
  page_id: number;
  day: number;
  kind: 'path' | 'device';
  /** A file of a site, or a device; empty for all files that are over the limit. */
  name: string;
  views: number;
}

export interface PageFeatureDaysTable {
  page_id: number;
  day: number;
  feature: string;
  uses: number;
  /** What the calls of the feature cost the visitors. */
  tokens: number;
}

/** Script errors in visitors' browsers. Equal ones share a row. */
export interface PageErrorsTable {
  page_id: number;
  fingerprint: string;
  message: string;
  /** The file that the error happened in; empty for the page's document. */
  source: string;
  line_number: number | null;
  column_number: number | null;
  stack: string | null;
  /** The browser that reported the error last. */
  browser: string;
  /** The version of the page that the error last happened in. */
  version: number;
  /** JSON: what led to it, on pages that can be repaired. */
  context: string | null;
  count: number;
  first_at: number;
  last_at: number;
}
