import { fault } from '../../../../contract/errors.ts';
import type { SetAccess } from '../../../../contract/pages/access.ts';
import { badRequest } from '../../../lib/errors.ts';
import { randomSecret } from '../../../lib/secrets.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { listPeople, peopleSize, savePasswordHash, savePeople } from '../model/access-store.ts';
import type { PagePasswords } from './attempts.ts';

/** New access settings of a page, with the hash instead of the password. */
export type PreparedAccess = Omit<SetAccess, 'password'> & { passwordHash?: string };

/** The columns of a page that say who can see it. */
type AccessColumns = Pick<PageRow, 'access_mode' | 'access_stamp' | 'access_expires_at'>;

export const PUBLIC: AccessColumns = { access_mode: 'public', access_stamp: '', access_expires_at: null };
export const privately = (): AccessColumns => ({
  access_mode: 'private',
  access_stamp: newStamp(),
  access_expires_at: null,
});

/** Hashes the password before the transaction, because hashing takes a while. */
export async function prepareAccess(
  passwords: PagePasswords,
  { password, ...access }: SetAccess,
  address: string,
): Promise<PreparedAccess> {
  if (password === undefined) return access;
  return { ...access, passwordHash: await passwords.hash(password, address) };
}

/** The columns of a page after this change, or of a new page. Fails if something is missing. */
export function accessColumns(
  wanted: PreparedAccess,
  before: AccessColumns,
  page: Pick<PageRow, 'storage_mode' | 'branch_of'>,
): AccessColumns {
  const { mode } = wanted;
  const isNewMode = mode !== before.access_mode;
  if (mode === 'password' && isNewMode && wanted.passwordHash === undefined) throw missing('password');
  if (mode === 'people' && isNewMode && wanted.people === undefined) throw missing('people');
  assertHasTeam(mode, page);
  const isChanged = isNewMode || wanted.passwordHash !== undefined || wanted.people !== undefined;
  return {
    access_mode: mode,
    access_stamp: isChanged ? newStamp() : before.access_stamp,
    access_expires_at: wanted.expires_at === undefined ? before.access_expires_at : wanted.expires_at,
  };
}

/** Fails unless the storage mode has a team. A branch is for the team of its page, also if that is only its owner. */
export function assertHasTeam(
  mode: PageRow['access_mode'],
  { storage_mode, branch_of }: Pick<PageRow, 'storage_mode' | 'branch_of'>,
): void {
  if (mode !== 'team' || storage_mode === 'team_app' || branch_of !== null) return;
  throw badRequest([
    fault(
      'access.mode',
      'team needs the storage_mode team_app. Choose another mode for who can see the page',
    ),
  ]);
}

/**
 * Stores the people and the password, and charges the owner for the growth. What a mode does not need is deleted.
 * Returns the people who are new on the list.
 */
export async function saveAccess(
  { chargeUsage }: { chargeUsage: ChargeUsage },
  tx: Tx,
  page: Pick<PageRow, 'id' | 'owner_id'>,
  { mode, passwordHash, people }: PreparedAccess,
): Promise<string[]> {
  if (mode !== 'password' || passwordHash !== undefined) await savePasswordHash(tx, page.id, passwordHash);
  if (mode === 'people' && people === undefined) return [];
  const known = new Set(await listPeople(tx, page.id));
  const before = await peopleSize(tx, page.id);
  await savePeople(tx, page.id, people ?? []);
  const bytes = (await peopleSize(tx, page.id)) - before;
  if (bytes !== 0) await chargeUsage(tx, page.owner_id, { bytes });
  return (people ?? []).filter((name) => !known.has(name));
}

/** The people of a page, if its mode has some. */
export async function listAllowedPeople(
  db: Db,
  page: Pick<PageRow, 'id' | 'access_mode'>,
): Promise<string[]> {
  return page.access_mode === 'people' ? listPeople(db, page.id) : [];
}

/** A new stamp, which ends all passes, file keys and preview links of a page. */
export const newStamp = () => randomSecret().slice(0, 22);

function missing(field: 'password' | 'people') {
  return badRequest([fault(`access.${field}`, 'is required for the mode {field}', { field })]);
}
