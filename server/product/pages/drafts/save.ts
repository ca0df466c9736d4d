import type { CreateDraft, PatchDraft, SavedDraft } from '../../../../contract/pages/drafts.ts';
import { MAX_PAGE_DRAFTS } from '../../../../contract/rules/limits.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import {
  countDrafts,
  type DraftRow,
  findDraft,
  insertDraft,
  sizeOfDraft,
  updateDraft,
} from '../model/draft-store.ts';
import { measureHtml } from '../model/measure-html.ts';
import { lockPage } from '../model/page-store.ts';
import { findVersion, hashHtml } from '../model/version-store.ts';
import { type DraftContext, type DraftName, lockDraft, noDraft } from './find.ts';
import { warningsAbout } from './warnings.ts';
import { toLinked } from './wire.ts';

/** Saves a new draft beside a page, with the files of the version that it is based on. */
export async function createDraft(
  context: DraftContext,
  actor: Actor,
  pageId: number,
  { html_content: html, note, base_version: base }: CreateDraft,
): Promise<SavedDraft> {
  const given = html === undefined ? undefined : { html, size: measureHtml(html) };
  const { row, page } = await context.db.transaction().execute(async (tx) => {
    const page = await context.directory.require(tx, await lockPage(tx, pageId), actor, 'write');
    if ((await countDrafts(tx, pageId)) >= MAX_PAGE_DRAFTS) throw tooManyDrafts();
    const version = await requireVersion(tx, page, base ?? page.version);
    const { size, ...document } = given ?? { html: version.html_content, size: version.size };
    await context.chargeUsage(tx, page.owner_id, { bytes: sizeOfDraft({ size, note }) });
    const now = context.now();
    const id = await insertDraft(tx, {
      page_id: pageId,
      base_version: version.version,
      html_content: document.html,
      size,
      content_hash: hashHtml(document.html),
      manifest_id: version.manifest_id,
      note,
      revision: 1,
      author_id: actor.userId,
      created_at: now,
      updated_at: now,
    });
    return { page, row: await readBack(tx, pageId, id) };
  });
  return {
    success: true as const,
    message: 'The draft is saved. Visitors do not see it until it is published.',
    draft: toLinked(row, page, context.previewLinks, actor.userId),
    warnings: await warningsAbout(context, actor, row, { html }),
  };
}

/** Saves another document or note in a draft, or bases it on another version. */
export async function patchDraft(
  context: DraftContext,
  actor: Actor,
  name: DraftName,
  { html_content: html, note, base_version: base, revision }: PatchDraft,
): Promise<SavedDraft> {
  const size = html === undefined ? undefined : measureHtml(html);
  const { row, page } = await context.db.transaction().execute(async (tx) => {
    const { page, found } = await lockDraft(context, tx, actor, name, revision);
    if (base !== undefined) await requireVersion(tx, page, base);
    const next = { size: size ?? found.size, note: note ?? found.note };
    await context.chargeUsage(tx, page.owner_id, { bytes: sizeOfDraft(next) - sizeOfDraft(found) });
    await updateDraft(tx, found.id, {
      ...next,
      ...(html !== undefined && { html_content: html, content_hash: hashHtml(html) }),
      ...(base !== undefined && { base_version: base }),
      revision: found.revision + 1,
      author_id: actor.userId,
      updated_at: context.now(),
    });
    return { page, row: await readBack(tx, page.id, found.id) };
  });
  return {
    success: true as const,
    message: 'The draft is saved. Visitors do not see it until it is published.',
    draft: toLinked(row, page, context.previewLinks, actor.userId),
    warnings: await warningsAbout(context, actor, row, { html }),
  };
}

export async function readBack(tx: Tx, pageId: number, id: number): Promise<DraftRow> {
  const row = await findDraft(tx, pageId, id);
  if (!row) throw noDraft();
  return row;
}

async function requireVersion(tx: Tx, page: PageRow, number: number) {
  const version = await findVersion(tx, page.id, number);
  if (!version) throw notFound('Version {version} of this page was not found.', { version: String(number) });
  return version;
}

const tooManyDrafts = () =>
  new AppError('QUOTA_EXCEEDED', 'The page has {count} drafts, which is the limit. Publish or delete one.', {
    count: MAX_PAGE_DRAFTS,
  });
