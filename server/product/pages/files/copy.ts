import { notFound } from '../../../lib/errors.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { currentState, setManifest } from '../model/version-store.ts';
import { keepWithVersion } from './draft-store.ts';
import { type Manifest, writeManifest } from './manifest.ts';
import { addPageBlobs, putManifest, readManifest, shareBlobs } from './store.ts';

/** Gives a new page the current files of another one. Their bytes are shared. Returns what its owner is charged. */
export async function copyFiles(tx: Tx, from: PageRow, to: PageRow): Promise<number> {
  const { manifest_id } = await currentState(tx, from);
  return copyVersionFiles(tx, manifest_id, to);
}

/** Gives a new page the files of a version of another one. */
export async function copyVersionFiles(tx: Tx, manifestId: number | null, to: PageRow): Promise<number> {
  const manifest = await readManifest(tx, manifestId);
  if (manifest.size === 0) return 0;
  const sizes = new Map([...manifest.values()].map(({ hash, size }) => [hash, size]));
  const { id, bytes } = await putManifest(tx, to.id, writeManifest(manifest));
  await addPageBlobs(tx, to.id, [...sizes.keys()]);
  // The other page may just have been deleted.
  if (!(await shareBlobs(tx, [...sizes.keys()]))) throw notFound('This page was not found.');
  await setManifest(tx, to, id);
  return [...sizes.values()].reduce((sum, size) => sum + size, bytes);
}

/** Stores the manifest of another page, and gives this page the bytes that only the other one had. Returns its id. */
export async function shareFiles(
  { chargeUsage }: { chargeUsage: ChargeUsage },
  tx: Tx,
  page: PageRow,
  files: Manifest,
): Promise<number | null> {
  if (files.size === 0) return null;
  const { id, bytes } = await putManifest(tx, page.id, writeManifest(files));
  const sizes = new Map([...files.values()].map(({ hash, size }) => [hash, size]));
  const added = await addPageBlobs(tx, page.id, [...sizes.keys()]);
  const shared = added.reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), bytes);
  // Charge before the rows of blobs are locked: the order is always usage first, then blobs.
  if (shared > 0) await chargeUsage(tx, page.owner_id, { bytes: shared });
  if (!(await shareBlobs(tx, added))) throw notFound('This page was not found.');
  await keepWithVersion(tx, page.id, id, files);
  return id;
}
