import { pageUrl } from '../../../../contract/pages/pages.ts';
import type {
  SharedPage,
  SharedPageList,
  SharedPagesQuery,
} from '../../../../contract/pages/shared-pages.ts';
import type { GrantableRole } from '../../../../contract/roles.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { isOpen, refusalFor } from '../model/access-policy.ts';
import type { PageDirectory } from '../model/directory.ts';
import { hidden } from '../model/hidden-page.ts';
import { toPicture } from '../model/wire.ts';
import { findPictures } from '../pictures/store.ts';
import { listPagesNaming, listPagesOfOthers, type PageOfOther } from './store.ts';

/** The team that a user is in. */
interface Membership {
  page_id: number;
  role: GrantableRole;
  joined_at: number;
}

export interface SharedContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  directory: Pick<PageDirectory, 'listNames'>;
  /** The teams that a user is in: a bounded number, newest first. */
  listMemberships(db: Db, userId: number): Promise<Membership[]>;
}

interface SharedRow {
  row: PageOfOther;
  membership: Membership | undefined;
  canSee: boolean;
}

/** Pages of others whose team the user is in, or that name them. Their number is bounded, so they are filtered here. */
export async function listSharedPages(
  context: SharedContext,
  actor: Actor,
  { q, page, limit, offset }: SharedPagesQuery,
): Promise<SharedPageList> {
  const { db } = context;
  const memberships = await context.listMemberships(db, actor.userId);
  const named = new Set(await listPagesNaming(db, await context.directory.listNames(db, actor)));
  const byPage = new Map(memberships.map((each) => [each.page_id, each]));
  const ids = page === undefined ? [...new Set([...byPage.keys(), ...named])] : [page];
  const rows = ids.length === 0 ? [] : await listPagesOfOthers(db, ids, actor.userId);
  const found: SharedRow[] = [];
  for (const row of rows) {
    // Branches are shown with their page.
    if (row.branch_of !== null && page === undefined) continue;
    const shared = await lookAt(row, byPage.get(row.branch_of ?? row.id), named.has(row.id), context.now());
    if (shared && matches(shared.row, q)) found.push(shared);
  }
  const shown = found.slice(offset, offset + limit);
  const open = shown.filter(({ row }) => isOpen(row)).map(({ row }) => row.id);
  const pictures = await findPictures(db, open);
  return {
    pages: shown.map((each) => ({
      ...toSharedPage(each, context.baseUrl),
      picture: toPicture(pictures.get(each.row.id), context.baseUrl),
    })),
    total: found.length,
    limit,
    offset,
  };
}

/** A shared page, without its name if the user cannot see the page; undefined if it is not shared with them. */
async function lookAt(
  row: PageOfOther,
  joined: Membership | undefined,
  isNamed: boolean,
  now: number,
): Promise<SharedRow | undefined> {
  const membership = row.storage_mode === 'team_app' ? joined : undefined;
  if (!membership && !isNamed) return undefined;
  const refusal = await refusalFor(
    row,
    {
      isLoggedIn: true,
      role: async () => membership?.role,
      hasPass: () => false,
      isNamed: async () => isNamed,
    },
    now,
  );
  const canSee = refusal === undefined;
  // Members stay in a team that they cannot see at the moment, and may want to leave it.
  if (!canSee && !membership) return undefined;
  return { row: canSee ? row : hidden(row), membership, canSee };
}

function matches({ name, slug, username }: PageOfOther, q: string | undefined): boolean {
  const wanted = q?.toLowerCase() ?? '';
  return [name, slug, username].some((text) => text.toLowerCase().includes(wanted));
}

function toSharedPage({ row, membership, canSee }: SharedRow, baseUrl: string): Omit<SharedPage, 'picture'> {
  const { id, name, slug, storage_mode } = row;
  return {
    id,
    name,
    slug,
    url: pageUrl(baseUrl, slug),
    owner: { id: row.owner_id, username: row.username },
    storage_mode,
    role: membership?.role ?? null,
    since: membership ? toTimestamp(membership.joined_at) : null,
    can_see: canSee,
    can_edit: membership?.role === 'admin',
    updated_at: toTimestamp(row.updated_at),
  };
}
