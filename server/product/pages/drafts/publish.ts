import type { PublishDraft, PublishedDraft } from '../../../../contract/pages/drafts.ts';
import { pageUrl } from '../../../../contract/pages/pages.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import { addCalledFunctions } from '../files/called-functions.ts';
import { keepWithVersion } from '../files/draft-store.ts';
import { readManifest } from '../files/store.ts';
import { addVersion, assertBase } from '../model/add-version.ts';
import { type DraftRow, deleteDraft, findDraftDocument, sizeOfDraft } from '../model/draft-store.ts';
import { updatePage } from '../model/page-store.ts';
import { currentState } from '../model/version-store.ts';
import { attackFirst } from './attack-first.ts';
import { type DraftContext, type DraftName, lockDraft, noDraft } from './find.ts';
import { purgeDraftFiles } from './purge-files.ts';

/** Makes a draft the next version of its page, and deletes the draft. */
export async function publishDraft(
  context: DraftContext,
  actor: Actor,
  name: DraftName,
  { note, base_version: base, revision }: PublishDraft,
): Promise<PublishedDraft> {
  await attackFirst(context, actor, name);
  const page = await context.db.transaction().execute(async (tx) => {
    const { page, found } = await lockDraft(context, tx, actor, name, revision);
    assertBase(page, base ?? found.base_version);
    const version = await takeOver(context, tx, { page, found, actor, note: note ?? found.note });
    const changes = { version, updated_at: context.now() };
    await updatePage(tx, page.id, changes);
    return { ...page, ...changes };
  });
  context.changed(page.id);
  await addCalledFunctions(context, actor, page);
  context.attacks.afterPublishing(page, actor);
  return {
    success: true as const,
    message:
      page.is_published === 1
        ? `The draft is published, as version ${page.version}.`
        : `The draft is version ${page.version} now. The page is not published: set is_published to true to show it.`,
    version: page.version,
    url: pageUrl(context.baseUrl, page.slug),
  };
}

async function takeOver(
  context: DraftContext,
  tx: Tx,
  { page, found, actor, note }: { page: PageRow; found: DraftRow; actor: Actor; note: string },
): Promise<number> {
  const document = await findDraftDocument(tx, page.id, found.id);
  if (!document) throw noDraft();
  const current = await currentState(tx, page);
  // Return the bytes of the draft first, so that an owner without any quota left can publish too.
  await context.chargeUsage(tx, page.owner_id, { bytes: -sizeOfDraft(found) });
  await deleteDraft(tx, found.id);
  const version = await addVersion(context, tx, page, {
    html: current.content_hash === found.content_hash ? undefined : document.html_content,
    size: found.size,
    manifestId: found.manifest_id,
    authorId: actor.userId,
    note,
  });
  if (found.manifest_id !== null)
    await keepWithVersion(tx, page.id, found.manifest_id, await readManifest(tx, found.manifest_id));
  return version;
}

/** Deletes a draft and the files that only it has. */
export async function removeDraft(context: DraftContext, actor: Actor, name: DraftName): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    const { page, found } = await lockDraft(context, tx, actor, name, undefined);
    await context.chargeUsage(tx, page.owner_id, { bytes: -sizeOfDraft(found) });
    await deleteDraft(tx, found.id);
    await purgeDraftFiles(context, tx, page);
  });
}
