import { recordEndpoints } from '../../../../contract/data/endpoints.ts';
import { databaseEndpoints } from '../../../../contract/functions/database-endpoints.ts';
import { findStorageType, type StorageType } from '../../../../contract/rules/storage-modes.ts';
import type { Template } from '../../../../contract/templates/templates.ts';
import { callApi, requireApi } from '../../../platform/http/index.ts';
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

/** Removes samples that nobody has changed, on behalf of the caller. */
export async function removeSamples(
  { api, exchange }: Pick<Publishing, 'api' | 'exchange'>,
  page: { id: number; storageType: StorageType | undefined },
  { records, functionSlug, statements }: Samples,
): Promise<void> {
  for (const { collection, id } of records) {
    if (!page.storageType) break;
    const { getRecord, deleteRecord } = recordEndpoints[page.storageType];
    const params = { id: String(page.id), collection, recordId: id };
    const found = await callApi(api, exchange, getRecord, { params });
    if (found.isOk && found.body.createdAt === found.body.updatedAt)
      await requireApi(api, exchange, deleteRecord, { params });
  }
  // The owner may have deleted the function, or changed its tables.
  for (const sql of functionSlug === null ? [] : statements)
    await callApi(api, exchange, databaseEndpoints.queryDatabase, {
      params: { slug: functionSlug ?? '' },
      body: { sql },
    });
}
