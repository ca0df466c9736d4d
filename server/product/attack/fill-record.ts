import type { CollectionSchema, FieldSchema } from '../../../contract/data/collection-schema.ts';
import type { StorageMode } from '../../../contract/rules/storage-modes.ts';
import type { Actors, Who } from './actors.ts';
import { isOk, type Made } from './data-ways.ts';
import { Invention } from './source/invent.ts';
import { fillIn, type Source } from './source/read-source.ts';

export interface RecordPage {
  pageId: number;
  mode: StorageMode;
  source: Source;
  schemas: ReadonlyMap<string, CollectionSchema>;
}

type Data = Record<string, unknown>;

/**
 * Adds an invented record as a stranger, or as the owner if strangers cannot. What the page writes may not be what the
 * schema wants, so several shapes are tried. Undefined if the collection takes none.
 */
export async function fillRecord(
  actors: Actors,
  base: string,
  page: Pick<RecordPage, 'schemas' | 'source'>,
  name: string,
): Promise<Made | undefined> {
  const invention = new Invention();
  for (const data of inventShapes(page, name, invention)) {
    const made = await create(actors, base, data);
    if (made) return { ...made, data, invention };
  }
  return undefined;
}

async function create(
  actors: Actors,
  base: string,
  data: Data,
): Promise<{ id: string; by: Who } | undefined> {
  for (const by of ['stranger', 'owner'] as const) {
    const tried = await actors.send(by, 'POST', base, { data });
    const { id } = (tried.json ?? {}) as { id?: unknown };
    if (isOk(tried) && typeof id === 'string') return { id, by };
  }
  return undefined;
}

/** Records as the page would add them and as the schema wants them: the fullest first. */
function inventShapes(
  { schemas, source }: Pick<RecordPage, 'schemas' | 'source'>,
  name: string,
  invention: Invention,
): Data[] {
  const written = source.creates.filter((each) => each.name === name).map((each) => each.parameters);
  const free: Data = Object.assign({}, ...written.map((each) => fillIn(each, invention)));
  const { fields = {}, strict = false } = schemas.get(name) ?? {};
  const fit = (some: Record<string, FieldSchema>): Data =>
    Object.fromEntries(Object.entries(some).map(([field, schema]) => [field, invention.fit(field, schema)]));
  const all = fit(fields);
  const needed = Object.fromEntries(Object.entries(all).filter(([field]) => fields[field]?.required));
  const shapes = strict ? [all, needed] : [{ ...free, ...all }, all, { ...free, ...needed }, needed];
  const different = new Map(shapes.map((shape) => [JSON.stringify(shape), shape]));
  different.delete('{}');
  return different.size > 0 ? [...different.values()] : [{ text: invention.value('text') }];
}
