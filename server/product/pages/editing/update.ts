import type { SetAccess } from '../../../../contract/pages/access.ts';
import type { PageIsolation } from '../../../../contract/pages/isolation.ts';
import { type PatchPage, pageUrl } from '../../../../contract/pages/pages.ts';
import { slugify } from '../../../../contract/rules/pages/page-slugs.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { type PageRow, storageFailure, type Tx } from '../../../platform/storage/index.ts';
import type { PagePasswords } from '../access/attempts.ts';
import {
  accessColumns,
  assertHasTeam,
  newStamp,
  type PreparedAccess,
  prepareAccess,
  saveAccess,
} from '../access/change.ts';
import { type InvitationContext, mailLink } from '../access/invitations.ts';
import { addCalledFunctions, type CalledContext } from '../files/called-functions.ts';
import { addVersion, assertBase } from '../model/add-version.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { listedAt } from '../model/gallery-listing.ts';
import { measureHtml } from '../model/measure-html.ts';
import { findPage, lockPage, updatePage } from '../model/page-store.ts';
import { moveSlug, slugTaken } from '../model/slug-store.ts';
import { readIsolation } from '../model/switches.ts';
import { currentState, hashHtml } from '../model/version-store.ts';
import { toAccess } from '../model/wire.ts';
import type { Warnings } from '../warnings/warnings.ts';
import { type AgentFunctionsContext, setAgentFunctions } from './agent-functions.ts';
import { type PageStateContext, readState } from './read.ts';
import { setNote } from './version-note.ts';

export interface UpdateContext
  extends ChangeContext,
    AgentFunctionsContext,
    InvitationContext,
    PageStateContext,
    CalledContext {
  passwords: PagePasswords;
  warnings: Pick<Warnings, 'find' | 'findInFiles' | 'findInRules'>;
}

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
    base_version: _,
    access: wishedAccess,
    is_listed: isListed,
    note,
    ...settings
  } = patch;
  const slug = wishedSlug === undefined ? undefined : requireSlug(wishedSlug);
  const size = html === undefined ? 0 : measureHtml(html);
  const access = wishedAccess && (await prepare(context, actor, id, wishedAccess, address));

  const moved = [id];
  const now = await inTransaction(context, slug, async (tx) => {
    const page = await context.directory.require(tx, await lockPage(tx, id), actor, 'write');
    assertFits(page, actor, patch);
    const changes = { ...differences(page, settings), ...accessChanges(page, access, settings.storage_mode) };
    // Earlier links and passes must not show a page that was unpublished.
    if (changes.is_published === 0) changes.access_stamp = newStamp();
    const added = access ? await saveAccess(context, tx, page, access) : [];
    if (slug !== undefined && slug !== page.slug) {
      moved.push(...(await moveSlug(tx, page, slug, context.now())));
      changes.slug = slug;
    }
    const listed_at = listedAt({ ...page, ...changes }, isListed, context.now());
    if (listed_at !== page.listed_at) changes.listed_at = listed_at;
    const document = html === undefined ? undefined : { html, size };
    const version = await saveDocument(context, tx, page, { document, authorId: actor.userId, note });
    if (version !== page.version) changes.version = version;
    await saveFunctions(context, tx, actor, page, patch);
    if (Object.keys(changes).length > 0)
      await updatePage(tx, id, Object.assign(changes, { updated_at: context.now() }));
    await mailLink(context, tx, { ...page, ...changes }, { added, sharedBy: actor });
    return { ...page, ...changes };
  });
  for (const each of moved) context.changed(each);
  if (patch.is_published || html !== undefined)
    await addCalledFunctions(context, actor, now, patch.is_published ? undefined : { html });
  const state = await readState(context, now);
  return {
    success: true as const,
    message: describe(patch, slug),
    ...state,
    role: (await context.directory.resolveRole(context.db, now, actor)) ?? null,
    ...{ url: pageUrl(context.baseUrl, now.slug), version: now.version },
    // Check the document last, so that nobody can have a document checked that they cannot save.
    warnings: html === undefined ? [] : await context.warnings.find(html, actor.userId, id),
    ...(slug !== undefined && { slug }),
    ...(patch.storage_mode !== undefined && { storage_mode: patch.storage_mode }),
    ...(access && { access: toAccess(now, access.people ?? state.page.access.people) }),
  };
}

/** A branch is in no gallery and no search engine, and its address comes from its name. */
function assertFits(page: PageRow, actor: Actor, patch: PatchPage): void {
  assertBase(page, patch.base_version);
  const { slug, is_listed, is_unlisted, storage_mode, repair, attack_first: attackFirst } = patch;
  // Repairs cost the owner's credits, and keep what visitors do.
  if ((repair ?? attackFirst) !== undefined && page.owner_id !== actor.userId)
    throw new AppError('FORBIDDEN', 'Only the owner of this page can do that. Ask them.');
  if (attackFirst === false && page.attack_first === 1 && actor.isProgram)
    throw new AppError('PROTECTED', 'Only a person can turn this off, in the settings of the page.');
  if (page.branch_of === null) return;
  if (attackFirst)
    throw new AppError('CONFLICT', 'Merges of a branch are attacked. Change this setting of its page.');
  if (is_listed || is_unlisted === false)
    throw new AppError(
      'CONFLICT',
      'A branch stays out of the gallery and of search engines. Change this setting of its page.',
    );
  if (repair)
    throw new AppError('CONFLICT', 'Errors of a branch are not repaired. Change this setting of its page.');
  if (slug !== undefined || storage_mode !== undefined)
    throw new AppError(
      'CONFLICT',
      'A branch keeps its kind of data, and its address comes from its name. Rename it with PATCH /api/pages/<id>/branches/<name>.',
    );
}

/** Sets the functions that belong to the page, and those that it offers to agents. */
async function saveFunctions(
  context: UpdateContext,
  tx: Tx,
  actor: Actor,
  page: PageRow,
  { functions, agent_functions: offered }: PatchPage,
): Promise<void> {
  if (functions !== undefined) await context.functions.replace(tx, page, actor, functions);
  if (offered !== undefined) await setAgentFunctions(context, tx, page, offered);
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
  const changed = { ...page, storage_mode: storageMode };
  if (access) return accessColumns(access, page, changed);
  assertHasTeam(page.access_mode, changed);
  return {};
}

/** The settings that really change, as columns. Functions are not among the columns. */
function differences(
  page: PageRow,
  settings: Omit<PatchPage, 'slug' | 'html_content' | 'base_version' | 'access' | 'is_listed' | 'note'>,
): Partial<PageRow> {
  const columns = Object.entries({ ...settings, isolation: withEnd(page, settings.isolation) })
    .map(([name, value]) => [name, toColumn(value)] as const)
    .filter(([name, value]) => value !== undefined && name in page && page[name as keyof PageRow] !== value);
  return Object.fromEntries(columns);
}

/** A page that has allowed a service worker says so later too, because browsers have to end those that they have. */
function withEnd(page: PageRow, isolation: PageIsolation | undefined): PageIsolation | undefined {
  const hadWorker = readIsolation(page).service_worker !== undefined;
  return isolation && hadWorker ? { service_worker: false, ...isolation } : isolation;
}

function toColumn(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' ? JSON.stringify(value) : value;
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
