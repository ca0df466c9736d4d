import type { SetAccess } from '../../../contract/pages/access.ts';
import { type PatchPage, pageUrl } from '../../../contract/pages/pages.ts';
import { slugify } from '../../../contract/rules/page-slugs.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { Actor } from '../../platform/http/index.ts';
import { type Db, type PageRow, storageFailure, type Tx } from '../../platform/storage/index.ts';
import {
  accessColumns,
  assertHasTeam,
  newStamp,
  type PreparedAccess,
  prepareAccess,
  saveAccess,
} from './access/change.ts';
import { mailLink } from './access/invitations.ts';
import { peopleSize } from './access/store.ts';
import { setAgentFunctions } from './agent-functions/change.ts';
import { agentFunctionsSize } from './agent-functions/store.ts';
import type { PagesContext } from './context.ts';
import { listDomains } from './domains/store.ts';
import { storedFileBytes } from './files/store.ts';
import { listedAt } from './gallery/listing.ts';
import { measureHtml } from './measure.ts';
import { findPicture } from './pictures/store.ts';
import { readState } from './read.ts';
import { moveSlug, slugTaken } from './slug-store.ts';
import { deletePage, findPage, lockPage, storedBytes, updatePage } from './store.ts';
import { addVersion, assertBase } from './versions/add.ts';
import { setNote } from './versions/note.ts';
import { currentState, findVersion, hashHtml } from './versions/store.ts';
import { toAccess } from './wire.ts';

export type UpdateContext = Pick<
  PagesContext,
  | 'db'
  | 'now'
  | 'baseUrl'
  | 'chargeUsage'
  | 'passwords'
  | 'directory'
  | 'changed'
  | 'removals'
  | 'empty'
  | 'warnings'
  | 'domains'
  | 'publicFunctionsOf'
  | 'files'
  | 'mail'
  | 'kept'
  | 'views'
>;

/** Applies all of a PATCH or none of it. */
export async function patchPage(
  context: UpdateContext,
  actor: Actor,
  id: number,
  patch: PatchPage,
  address: string,
) {
  const {
    slug: wishedSlug,
    html_content: html,
    base_version: baseVersion,
    agent_functions: agentFunctions,
    access: wishedAccess,
    is_listed: isListed,
    note,
    ...settings
  } = patch;
  const slug = wishedSlug === undefined ? undefined : requireSlug(wishedSlug);
  const size = html === undefined ? 0 : measureHtml(html);
  const access = wishedAccess && (await prepare(context, actor, id, wishedAccess, address));

  const now = await inTransaction(context, slug, async (tx) => {
    const page = await context.directory.require(tx, await lockPage(tx, id), actor, 'write');
    assertBase(page, baseVersion);
    const changes = { ...differences(page, settings), ...accessChanges(page, access, settings.storage_mode) };
    // Whoever has a link or a pass from before must not see what was withdrawn.
    if (changes.is_published === 0) changes.access_stamp = newStamp();
    const added = access ? await saveAccess(context, tx, page, access) : [];
    if (slug !== undefined && slug !== page.slug) {
      await moveSlug(tx, page, slug, context.now());
      changes.slug = slug;
    }
    const listed_at = listedAt({ ...page, ...changes }, isListed, context.now());
    if (listed_at !== page.listed_at) changes.listed_at = listed_at;
    const document = html === undefined ? undefined : { html, size };
    const version = await saveDocument(context, tx, page, { document, authorId: actor.userId, note });
    if (version !== page.version) changes.version = version;
    if (agentFunctions !== undefined) await setAgentFunctions(context, tx, page, agentFunctions);
    if (Object.keys(changes).length > 0)
      await updatePage(tx, id, Object.assign(changes, { updated_at: context.now() }));
    await mailLink(context, tx, { ...page, ...changes }, { added, sharedBy: actor });
    return { ...page, ...changes };
  });
  context.changed(id);
  const state = await readState(context, now);
  return {
    success: true as const,
    message: describe(patch, slug),
    ...state,
    role: (await context.directory.roleOf(context.db, now, actor)) ?? null,
    url: pageUrl(context.baseUrl, now.slug),
    version: now.version,
    // Only now: nobody can have a document checked that they cannot save.
    warnings: html === undefined ? [] : await context.warnings.find(html, actor.userId, id),
    ...(slug !== undefined && { slug }),
    ...(patch.storage_mode !== undefined && { storage_mode: patch.storage_mode }),
    ...(access && { access: toAccess(now, access.people ?? state.page.access.people) }),
  };
}

/** Adds a version if the document is new, and sets the note of the version that is current then. Returns its number. */
async function saveDocument(
  context: UpdateContext,
  tx: Tx,
  page: PageRow,
  given: {
    document: { html: string; size: number } | undefined;
    authorId: number;
    note: string | undefined;
  },
): Promise<number> {
  const { document, authorId, note } = given;
  const current = document && (await currentState(tx, page));
  if (document && current && hashHtml(document.html) !== current.content_hash)
    return addVersion(context, tx, page, { ...document, manifestId: current.manifest_id, authorId, note });
  if (note !== undefined) await setNote(context, tx, page, page.version, note);
  return page.version;
}

/** Restores an earlier version as a new version. */
export async function restoreVersion(
  context: UpdateContext,
  actor: Actor,
  id: number,
  number: number,
): Promise<number> {
  const version = await inTransaction(context, undefined, async (tx) => {
    const page = await context.directory.require(tx, await lockPage(tx, id), actor, 'write');
    const old = await findVersion(tx, id, number);
    if (!old) throw notFound(`Version ${number} of this page`);
    const next = await addVersion(context, tx, page, {
      html: old.html_content,
      size: old.size,
      manifestId: old.manifest_id,
      authorId: actor.userId,
    });
    await updatePage(tx, id, { version: next, updated_at: context.now() });
    return next;
  });
  context.changed(id);
  return version;
}

/** Deletes the page and everything that belongs to it, permanently. */
export function removePage(context: UpdateContext, actor: Actor, id: number): Promise<void> {
  return removeAdmitted(context, id, async (db, page) => {
    await context.directory.require(db, page, actor, 'own');
  });
}

/** The same, if `admit` does not object to the page as it is then. */
export async function removeAdmitted(
  context: UpdateContext,
  id: number,
  admit: (db: Db, page: PageRow | undefined) => Promise<void>,
): Promise<void> {
  const found = await findPage(context.db, id);
  await admit(context.db, found);
  if (found) await context.empty(found);
  const domains = await inTransaction(context, undefined, async (tx) => {
    const page = await lockPage(tx, id);
    await admit(tx, page);
    if (!page) return [];
    const freed = await listDomains(tx, id);
    let bytes =
      (await storedBytes(tx, id)) +
      (await agentFunctionsSize(tx, id)) +
      (await peopleSize(tx, id)) +
      (await storedFileBytes(tx, id));
    for (const remove of context.removals) bytes += await remove(tx, page);
    await context.chargeUsage(tx, page.owner_id, { pages: -1, bytes: -bytes });
    await context.files.release(tx, id);
    const picture = await findPicture(tx, id);
    if (picture?.blob_key) await context.kept.release(tx, [picture.blob_key]);
    await deletePage(tx, id);
    return freed;
  });
  for (const { domain } of domains) context.domains.changed(domain);
  context.changed(id);
}

/** Hashing a password is expensive, so it is done only for people who can change the page. */
async function prepare(
  { db, directory, passwords }: UpdateContext,
  actor: Actor,
  id: number,
  access: SetAccess,
  address: string,
): Promise<PreparedAccess> {
  if (access.password !== undefined) await directory.require(db, await findPage(db, id), actor, 'write');
  return prepareAccess(passwords, access, address);
}

/** The columns that say who can see the page. */
function accessChanges(
  page: PageRow,
  access: PreparedAccess | undefined,
  storageMode = page.storage_mode,
): Partial<PageRow> {
  if (access) return accessColumns(access, page, storageMode);
  assertHasTeam(page.access_mode, storageMode);
  return {};
}

/** The settings that really change, as columns. */
function differences(
  page: PageRow,
  settings: Omit<
    PatchPage,
    'slug' | 'html_content' | 'base_version' | 'agent_functions' | 'access' | 'is_listed' | 'note'
  >,
): Partial<PageRow> {
  const columns = Object.entries(settings)
    .map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value] as const)
    .filter(([name, value]) => value !== undefined && page[name as keyof PageRow] !== value);
  return Object.fromEntries(columns);
}

async function inTransaction<T>(
  { db }: UpdateContext,
  slug: string | undefined,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction().execute(work);
  } catch (error) {
    if (slug === undefined || storageFailure(error) !== 'unique violation') throw error;
    throw slugTaken(slug);
  }
}

function requireSlug(wished: string): string {
  const slug = slugify(wished);
  if (slug !== undefined) return slug;
  throw new AppError('INVALID_SLUG', 'The slug needs at least two letters or digits.');
}

function describe(patch: PatchPage, slug: string | undefined): string {
  if (slug !== undefined) return `The page is now at /p/${slug}.`;
  if (patch.storage_mode !== undefined) return `The storage mode is ${patch.storage_mode}.`;
  return 'The page is updated.';
}
