import type { PlainRow } from './platform/storage/index.ts';
import { screenshotKey } from './product/checks/index.ts';
import { imageKey } from './product/features/index.ts';
import { formFileKey } from './product/forms/index.ts';
import { reportPictureKey } from './product/reports/index.ts';
import { fileKey } from './product/teams/index.ts';

const byId = (toKey: (id: string) => string) => (row: PlainRow) => toKey(String(row.id));

/** Tables with blobs, and how to read the key from a row, for backups and moves to a cluster. */
export const BLOB_KEYS: Record<string, (row: PlainRow) => string | undefined> = {
  team_files: byId(fileKey),
  form_files: byId(formFileKey),
  images: byId(imageKey),
  screenshots: byId(screenshotKey),
  file_blobs: ({ key }) => String(key),
  database_snapshots: ({ blob_key }) => String(blob_key),
  // Null until the first picture is taken.
  page_pictures: ({ blob_key }) => (blob_key === null ? undefined : String(blob_key)),
  // Only the first report of a page has one.
  page_reports: ({ picture }) => (picture === null ? undefined : reportPictureKey(String(picture))),
};
