import type { Insertable, Selectable } from 'kysely';
import type { GrantableRole, Role } from '../../../contract/roles.ts';
import { type Sizes, toSizes } from '../../lib/sizes.ts';
import {
  countRows,
  type Db,
  firstRow,
  type PageRow,
  statement,
  type Tables,
  type Tx,
} from '../../platform/storage/index.ts';

/** SQL for teams and their files. */

/** How many rows of a table a page has. */
export function countFor(
  tx: Tx,
  table: 'team_members' | 'team_invites' | 'team_files',
  pageId: number,
): Promise<number> {
  return countRows(tx.selectFrom(table).where('page_id', '=', pageId));
}

export type InviteRow = Selectable<Tables['team_invites']>;

export async function insertInvite(tx: Tx, invite: Insertable<Tables['team_invites']>): Promise<void> {
  await tx.insertInto('team_invites').values(invite).execute();
}

/** An invite that has not expired; it may be used up. */
export function findInvite(db: Db, codeHash: string, now: number): Promise<InviteRow | undefined> {
  return db
    .selectFrom('team_invites')
    .selectAll()
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Takes one use of an invite; false if none is left. The row decides between parallel requests. */
export async function spendInvite(tx: Tx, codeHash: string): Promise<boolean> {
  const row = await tx
    .updateTable('team_invites')
    .set((eb) => ({ uses: eb('uses', '+', 1) }))
    .where('code_hash', '=', codeHash)
    .where((eb) => eb.or([eb('max_uses', 'is', null), eb('uses', '<', eb.ref('max_uses'))]))
    .returning('uses')
    .executeTakeFirst();
  return row !== undefined;
}

export type ListedInvite = Omit<InviteRow, 'code_hash'> & { username: string | null };

/** Open invites, newest first. */
export function listInvites(db: Db, pageId: number, now: number): Promise<ListedInvite[]> {
  return db
    .selectFrom('team_invites')
    .leftJoin('users', 'users.id', 'team_invites.created_by')
    .select(['team_invites.id', 'page_id', 'created_by', 'role', 'uses', 'max_uses', 'expires_at'])
    .select(['team_invites.created_at', 'team_invites.email', 'username'])
    .where('page_id', '=', pageId)
    .where('expires_at', '>', now)
    .where((eb) => eb.or([eb('max_uses', 'is', null), eb('uses', '<', eb.ref('max_uses'))]))
    .orderBy('team_invites.created_at', 'desc')
    .orderBy('team_invites.id', 'desc')
    .execute();
}

export function findInviteRole(tx: Tx, pageId: number, id: string) {
  return tx
    .selectFrom('team_invites')
    .select('role')
    .where('page_id', '=', pageId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function deleteInvite(tx: Tx, pageId: number, id: string): Promise<void> {
  await tx.deleteFrom('team_invites').where('page_id', '=', pageId).where('id', '=', id).execute();
}

/** Deletes all open invites of a page: a person who was removed may have one. */
export async function deleteInvites(tx: Tx, pageId: number): Promise<void> {
  await tx.deleteFrom('team_invites').where('page_id', '=', pageId).execute();
}

/** Forgets that invites were sent to this address. They can still be used. */
export async function forgetInvited(tx: Tx, email: string): Promise<void> {
  await tx.updateTable('team_invites').set({ email: null }).where('email', '=', email).execute();
}

/** Deletes expired invites of one page, or of all. */
export async function deleteExpiredInvites(db: Db, now: number, pageId?: number): Promise<void> {
  await db
    .deleteFrom('team_invites')
    .where('expires_at', '<=', now)
    .$if(pageId !== undefined, (query) => query.where('page_id', '=', pageId ?? 0))
    .execute();
}

export interface MemberRow {
  user_id: number;
  username: string;
  role: Role;
  joined_at: number;
}

/** A page by which its team is found. */
export type TeamPage = Pick<PageRow, 'id' | 'branch_of'>;

/** The pages whose members are in the team of a page. A branch has the team of its page, and people whom checks invent. */
const pagesWithTeam = ({ id, branch_of }: TeamPage): [number, number] => [branch_of ?? id, id];

/** All members of the team except its owner, longest membership first. */
export function listMembers(db: Db, page: TeamPage): Promise<MemberRow[]> {
  return members(db, page).orderBy('joined_at').orderBy('user_id').execute();
}

export function findMemberWithName(db: Db, page: TeamPage, userId: number): Promise<MemberRow | undefined> {
  return members(db, page).where('user_id', '=', userId).executeTakeFirst();
}

function members(db: Db, page: TeamPage) {
  return db
    .selectFrom('team_members')
    .innerJoin('users', 'users.id', 'team_members.user_id')
    .select(['user_id', 'username', 'role', 'joined_at'])
    .where('page_id', 'in', pagesWithTeam(page));
}

/** A member of a page's team by their name. */
export async function findMemberByName(
  db: Db,
  page: TeamPage,
  username: string,
): Promise<{ userId: number; role: GrantableRole } | undefined> {
  const member = await members(db, page).where('username', '=', username).executeTakeFirst();
  return member && { userId: member.user_id, role: member.role };
}

/** The teams that a user is in, newest membership first. */
export function listMemberships(db: Db, userId: number) {
  return db
    .selectFrom('team_members')
    .select(['page_id', 'role', 'joined_at'])
    .where('user_id', '=', userId)
    .orderBy('joined_at', 'desc')
    .orderBy('page_id', 'desc')
    .limit(1_000)
    .execute();
}

const roleById = statement((db, mainId: number, pageId: number, userId: number) =>
  db
    .selectFrom('team_members')
    .select('role')
    .where('page_id', 'in', [mainId, pageId])
    .where('user_id', '=', userId),
);

/** The role of a user on a page's team; undefined if they are not in it. Its owner never is. */
export async function findRole(db: Db, page: TeamPage, userId: number): Promise<GrantableRole | undefined> {
  return (await firstRow(roleById(db, ...pagesWithTeam(page), userId)))?.role;
}

/** Sets the role of a user, who may already be in the team. */
export async function putMember(
  tx: Tx,
  member: { pageId: number; userId: number; role: GrantableRole; now: number },
): Promise<void> {
  await tx
    .insertInto('team_members')
    .values({ page_id: member.pageId, user_id: member.userId, role: member.role, joined_at: member.now })
    .onConflict((conflict) => conflict.columns(['page_id', 'user_id']).doUpdateSet({ role: member.role }))
    .execute();
}

export async function deleteMember(tx: Tx, pageId: number, userId: number): Promise<void> {
  await tx.deleteFrom('team_members').where('page_id', '=', pageId).where('user_id', '=', userId).execute();
}

export type FileRow = Selectable<Tables['team_files']> & { username: string };

export async function insertFile(tx: Tx, file: Insertable<Tables['team_files']>): Promise<void> {
  await tx.insertInto('team_files').values(file).execute();
}

/** Lists the files of a team, newest first: ids start with the time of creation. */
export function listFiles(db: Db, pageId: number): Promise<FileRow[]> {
  return files(db, pageId).orderBy('team_files.id', 'desc').execute();
}

export function findFile(db: Db, pageId: number, id: string): Promise<FileRow | undefined> {
  return files(db, pageId).where('team_files.id', '=', id).executeTakeFirst();
}

function files(db: Db, pageId: number) {
  return db
    .selectFrom('team_files')
    .innerJoin('users', 'users.id', 'team_files.uploaded_by')
    .selectAll('team_files')
    .select('username')
    .where('page_id', '=', pageId);
}

/** Deletes a file's row; false if it was already deleted. */
export async function deleteFile(tx: Tx, pageId: number, id: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('team_files')
    .where('page_id', '=', pageId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** The bytes that pages are charged for the files of their teams. */
export async function measureTeamFiles(db: Db, pageIds: number[]): Promise<Sizes> {
  const query = db
    .selectFrom('team_files')
    .select((eb) => ['page_id as id', eb.fn.sum<number | string>('size').as('bytes')]);
  return toSizes(await query.where('page_id', 'in', pageIds).groupBy('page_id').execute());
}

export function listFileSizes(db: Db, pageId: number): Promise<Array<{ id: string; size: number }>> {
  return db.selectFrom('team_files').select(['id', 'size']).where('page_id', '=', pageId).execute();
}
