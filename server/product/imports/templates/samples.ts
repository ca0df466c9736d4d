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

/** Removes samples that nobody has changed, on behalf of the caller. Fails if the caller lacks a scope for that. */
export async function removeSamples(
  { api, exchange }: Pick<Publishing, 'api' | 'exchange'>,
  page: { id: number; storageType: StorageType | undefined },
  { records, functionSlug, statements }: Samples,
): Promise<void> {
  for (const { collection, id } of records) {
    if (!page.storageType) break;
    const { getRecord, deleteRecord } = recordEndpoints[page.storageType];
    const params = { id: String(page.id), collection, recordId: id };
    const found = await unlessGone(requireApi(api, exchange, getRecord, { params }));
    if (found && found.createdAt === found.updatedAt)
      await unlessGone(requireApi(api, exchange, deleteRecord, { params }));
  }
  const slug = functionSlug ?? '';
  for (const sql of functionSlug === null ? [] : statements)
    await unlessGone(
      requireApi(api, exchange, databaseEndpoints.queryDatabase, { params: { slug }, body: { sql } }),
    );
}

/** What the owner has deleted, or changed beyond recognition, is not a sample any more. Other failures are failures. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const isGone = error instanceof AppError && (error.status === 404 || error.status === 400);
    if (isGone) return undefined;
    throw error;
  }
}
