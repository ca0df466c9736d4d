import { recordEndpoints } from '../../../../contract/data/endpoints.ts';
import { databaseEndpoints } from '../../../../contract/functions/database-endpoints.ts';
import { findStorageType, type StorageType } from '../../../../contract/rules/storage-modes.ts';
import type { Template } from '../../../../contract/templates/templates.ts';
import { AppError } from '../../../lib/errors.ts';
import { requireApi } from '../../../platform/http/index.ts';
import type { Publishing } from '../publishing/publishing.ts';
import type { Samples } from './store.ts';

/** Records what is a sample. */
export type RememberSamples = (pageId: number, samples: Samples) => Promise<void>;

/** Adds the sample records of a template. Those in a database are there since the function was deployed. */
export async function addSamples(
  { api, exchange }: Publishing,
  { pageId, template, slug }: { pageId: number; template: Template; slug: string | undefined },
  remember: RememberSamples,
): Promise<void> {
  const type = findStorageType(template.storage_mode);
  const records: Samples['records'] = [];
  for (const [collection, samples] of Object.entries(type ? template.samples : {}))
    for (const data of samples) {
      const params = { id: String(pageId), collection };
      if (type)
        records.push(
          toReference(
            await requireApi(api, exchange, recordEndpoints[type].createRecord, { params, body: { data } }),
          ),
        );
    }
  const functionSlug = template.samples_sql === null ? null : (slug ?? null);
  if (records.length > 0 || functionSlug !== null)
    await remember(pageId, { records, functionSlug, statements: template.remove_samples });
}

const toReference = ({ collection, id }: { collection: string; id: string }) => ({ collection, id });

/**
 * Removes samples that nobody has changed, on behalf of the caller, who may be a member of the page's team. Returns those
 * that only others can remove; undefined if there are none. Fails if the caller lacks a scope.
 */
export async function removeSamples(
  removing: Pick<Publishing, 'api' | 'exchange'>,
  page: { id: number; storageType: StorageType | undefined; isOwn: boolean },
  samples: Samples,
): Promise<Samples | undefined> {
  const records: Samples['records'] = [];
  for (const record of page.storageType ? samples.records : [])
    if (!(await isGone(page, removeRecord(removing, page.id, page.storageType, record))))
      records.push(record);
  const isClean = await isGone(page, removeRows(removing, samples));
  const functionSlug = isClean ? null : samples.functionSlug;
  return records.length > 0 || functionSlug !== null ? { ...samples, records, functionSlug } : undefined;
}

async function removeRecord(
  { api, exchange }: Pick<Publishing, 'api' | 'exchange'>,
  pageId: number,
  storageType: StorageType = 'solo_data',
  { collection, id: recordId }: Samples['records'][number],
): Promise<void> {
  const { getRecord, deleteRecord } = recordEndpoints[storageType];
  const params = { id: String(pageId), collection, recordId };
  const found = await requireApi(api, exchange, getRecord, { params });
  if (found.createdAt === found.updatedAt) await requireApi(api, exchange, deleteRecord, { params });
}

/** Removes the samples in the database of a function. */
async function removeRows(
  { api, exchange }: Pick<Publishing, 'api' | 'exchange'>,
  { functionSlug: slug, statements }: Samples,
): Promise<void> {
  if (slug === null) return;
  for (const sql of statements)
    await requireApi(api, exchange, databaseEndpoints.queryDatabase, { params: { slug }, body: { sql } });
}

/**
 * Whether a removal leaves no sample. It also leaves none if the owner has deleted it, or changed it beyond recognition.
 * To others, what belongs to somebody else may look as if it did not exist.
 */
async function isGone({ isOwn }: { isOwn: boolean }, removal: Promise<void>): Promise<boolean> {
  try {
    await removal;
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.status === 400) return true;
    if (error.status === 404) return isOwn;
    if (error.code === 'FORBIDDEN') return false;
    throw error;
  }
}
