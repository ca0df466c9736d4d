import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api } from '../client/api.ts';
import { exportToFile } from '../data/export.ts';
import { type Imported, importFile, sayFailed } from '../data/import.ts';
import { findData, listCollections, lookUpData } from '../data/records.ts';
import { assertInside } from '../project/files/inside.ts';
import type { Output } from '../terminal/output.ts';
import { CommandError, EXIT } from '../usage.ts';

/** Writes a page's records into its folder, one file per collection. */
export async function pullData(api: Api, folder: string, id: number, out: Output) {
  const data = await lookUpData(api, String(id));
  if (!data) return [];
  await mkdir(join(folder, 'data'), { recursive: true });
  await assertInside(folder, 'data');
  const pulled: Array<{ collection: string; records: number }> = [];
  for (const collection of await listCollections(api, data)) {
    const file = join(folder, 'data', `${collection.name}.ndjson`);
    const records = await exportToFile(api, data, [collection], out, file);
    pulled.push({ collection: collection.name, records });
  }
  return pulled;
}

/** Adds the records in a page's folder, only to empty collections, so nothing is added twice. */
export async function pushData(api: Api, folder: string, id: number, out: Output): Promise<Imported[]> {
  const names = await readdir(join(folder, 'data')).catch(() => []);
  const files = names.filter((name) => name.endsWith('.ndjson')).sort();
  if (files.length === 0) return [];
  for (const name of files) await assertInside(folder, join('data', name));
  const data = await findData(api, String(id));
  const filled = (await listCollections(api, data)).filter(({ recordCount }) => recordCount > 0);
  const taken = files.find((name) => filled.some((collection) => `${collection.name}.ndjson` === name));
  if (taken) {
    const collection = taken.replace('.ndjson', '');
    throw new CommandError(
      `The collection ${collection} already has records. To add more, run quire data import ${id} ${collection} data/${taken}.`,
      EXIT.conflict,
    );
  }
  const pushed: Imported[] = [];
  for (const name of files) {
    const file = join(folder, 'data', name);
    const collection = name.replace('.ndjson', '');
    const imported = await importFile(api, { data, collection, file, takesAny: true }, out);
    if (imported.failed.length > 0) sayFailed(imported, file, out);
    pushed.push(imported);
  }
  return pushed;
}
