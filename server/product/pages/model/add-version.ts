import { AppError } from '../../../lib/errors.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import type { ChangeContext } from './change-context.ts';
import { insertVersion, SHARED_VERSION_BYTES, shareVersion } from './version-store.ts';

/** The content of a new version. */
interface NewVersion {
  /** The new document; undefined to leave it as it is. */
  html: string | undefined;
  /** The size of the document. */
  size: number;
  manifestId: number | null;
  authorId: number;
  /** The note of the author. */
  note?: string | undefined;
}

/** Adds a version, charges the page's owner for its document if it is new, and returns its number. */
export async function addVersion(
  context: Pick<ChangeContext, 'chargeUsage' | 'now'>,
  tx: Tx,
  page: PageRow,
  { html, note = '', ...added }: NewVersion,
): Promise<number> {
  await context.chargeUsage(tx, page.owner_id, {
    bytes: (html === undefined ? SHARED_VERSION_BYTES : added.size) + Buffer.byteLength(note),
  });
  const version = page.version + 1;
  const given = { pageId: page.id, version, ...added, note: note || null, now: context.now() };
  await (html === undefined ? shareVersion(tx, given) : insertVersion(tx, { ...given, html }));
  return version;
}

/** Refuses a change that is based on another version than the current one. */
export function assertBase(page: PageRow, baseVersion: number | undefined): void {
  if (baseVersion === undefined || baseVersion === page.version) return;
  throw new AppError(
    'CONFLICT',
    'The page is at version {version}, not {base}: someone changed it. Read it again, then save.',
    { version: String(page.version), base: String(baseVersion) },
    { body: { currentVersion: page.version } },
  );
}
