import { MAX_FUNCTION_VERSIONS } from '../../../../contract/rules/limits.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { MomentKeeper } from '../../ports.ts';
import type { FunctionRow } from '../model/store.ts';
import {
  deleteVersionsUpTo,
  findFiles,
  insertVersion,
  listVersions,
  newestCodeBytes,
  type VersionRow,
} from '../model/version-store.ts';
import type { DeployContext } from './context.ts';

/** The content of a version: the code that was sent, and the code that runs. */
export type VersionContent = Pick<VersionRow, 'code' | 'files' | 'bundle' | 'source_map'>;

/** The function whose version is meant. */
type Current = Pick<FunctionRow, 'id' | 'version' | 'code' | 'updated_at'>;

/** A function that gets a new version. */
type Deployed = Current & { owner_id: number; page_id: number | null };

export function countVersionBytes({ code, files, bundle, source_map }: VersionContent): number {
  return [code, files, bundle, source_map].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
}

/** Adds a version, deletes the oldest that no moment needs, and charges the owner for the difference. Returns its number. */
export async function addVersion(
  context: Pick<DeployContext, 'chargeUsage' | 'now'> & { moments: Pick<MomentKeeper, 'listNeededVersions'> },
  tx: Tx,
  current: Deployed,
  content: VersionContent,
): Promise<number> {
  const version = current.version + 1;
  const size = countVersionBytes(content);
  const missing = await chargeMissing(tx, current);
  if (missing) await insertVersion(tx, missing.version);
  const oldest = version - MAX_FUNCTION_VERSIONS;
  const needed =
    oldest < 1 || current.page_id === null
      ? new Set<number>()
      : await context.moments.listNeededVersions(tx, current.page_id, current.id);
  const freed = await deleteVersionsUpTo(tx, current.id, oldest, [...needed]);
  const created_at = context.now();
  await insertVersion(tx, { function_id: current.id, version, ...content, size, created_at, note: null });
  await context.chargeUsage(tx, current.owner_id, { bytes: size - freed + (missing?.bytes ?? 0) });
  return version;
}

/** The bytes that all versions of a function are charged. */
export async function storedBytes(tx: Tx, current: Current): Promise<number> {
  const missing = await chargeMissing(tx, current);
  const stored = (await listVersions(tx, current.id)).reduce((sum, { size }) => sum + size, 0);
  return missing ? stored + missing.version.size - missing.bytes : stored;
}

/** The current version as its function has it. */
export const toCurrentVersion = ({ id, version, code, updated_at }: Current): VersionRow => ({
  function_id: id,
  version,
  ...asSent(code),
  size: Buffer.byteLength(code),
  created_at: updated_at,
  note: null,
});

/** The content of a version whose code runs as it was sent. */
export const asSent = (code: string): VersionContent => ({
  code,
  files: null,
  bundle: null,
  source_map: null,
});

/** Refuses a change that is based on another version than the current one. */
export function assertBase({ version }: Current, baseVersion: number | undefined): void {
  if (baseVersion === undefined || baseVersion === version) return;
  throw new AppError(
    'CONFLICT',
    'The function is at version {version}, not {base}: someone changed it. Read its code again, then deploy.',
    { version: String(version), base: String(baseVersion) },
    { body: { currentVersion: version } },
  );
}

/** Whether a function already has this code and these files. */
export async function isCurrent(
  db: Db,
  current: Current,
  { code, files }: Pick<VersionContent, 'code' | 'files'>,
): Promise<boolean> {
  return current.code === code && (await findFiles(db, current.id, current.version)) === files;
}

/**
 * Nodes of the previous release replace the code of a function without storing a version. They charge the difference
 * between the two codes. Returns the version that is missing, and what is yet to be charged for it.
 */
async function chargeMissing(
  tx: Tx,
  current: Current,
): Promise<{ version: VersionRow; bytes: number } | undefined> {
  const [newest] = await listVersions(tx, current.id);
  if (newest?.version === current.version) return undefined;
  return { version: toCurrentVersion(current), bytes: await newestCodeBytes(tx, current.id) };
}
