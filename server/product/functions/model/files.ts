import type { FunctionFiles } from '../../../../contract/functions/files.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { assertCodeSize } from './limits.ts';
import type { FunctionRow } from './store.ts';
import { findFiles } from './version-store.ts';

/** Files as a version stores them: JSON in the order of their paths; null if there are none. */
export function storeFiles(files: FunctionFiles | undefined): string | null {
  const sorted = Object.entries(files ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.length === 0 ? null : JSON.stringify(Object.fromEntries(sorted));
}

export const parseFiles = (stored: string | null): FunctionFiles =>
  stored === null ? {} : (JSON.parse(stored) as FunctionFiles);

export async function readFiles(db: Db, functionId: number, version: number): Promise<FunctionFiles> {
  return parseFiles(await findFiles(db, functionId, version));
}

/** The source after a change of its code, its files or both. Undefined if neither was sent. */
export async function changedSource(
  db: Db,
  { id, version, code: current }: FunctionRow,
  { code = current, files }: { code?: string | undefined; files?: FunctionFiles | undefined },
): Promise<{ code: string; files: string | null } | undefined> {
  if (code === current && files === undefined) return undefined;
  const kept = files === undefined ? await findFiles(db, id, version) : storeFiles(files);
  assertCodeSize(code, parseFiles(kept));
  return { code, files: kept };
}
