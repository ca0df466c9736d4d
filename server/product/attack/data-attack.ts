import type { Can } from '../../../contract/attack/attack.ts';
import { EVERYONE_READS } from '../../../contract/attack/words.ts';
import type { CollectionSchema, FieldSchema } from '../../../contract/data/collection-schema.ts';
import { dashed, findStorageType, type StorageMode } from '../../../contract/rules/storage-modes.ts';
import type { Actors, Who } from './actors.ts';
import type { Findings } from './findings.ts';
import { Invention, isCounter, isPersonal } from './invent.ts';
import { fillIn, hasClientCheck, type Source } from './read-source.ts';
import type { Tried } from './send.ts';

const MAX_COLLECTIONS = 12;
const RANDOM_NUMBER = 987654;
const VISITORS = ['nobody', 'other', 'member'] as const;
type Visitor = (typeof VISITORS)[number];

export interface Row {
  what: string;
  nobody: Can;
  stranger: Can;
  member: Can;
}

interface DataPage {
  pageId: number;
  mode: StorageMode;
  source: Source;
  schemas: ReadonlyMap<string, CollectionSchema>;
  /** Text that would run as a script; `undefined` to leave it out. */
  payload?: string | undefined;
}

/** A record that the first stranger, or else the owner, has made in the copy. */
interface Made {
  id: string;
  data: Record<string, unknown>;
  by: Who;
}

const isOk = ({ status }: Tried) => status >= 200 && status < 300;

/** Tries what others can do with what one person has stored, in every collection. Returns what each can do. */
export async function attackData(actors: Actors, page: DataPage, findings: Findings): Promise<Row[]> {
  const type = findStorageType(page.mode);
  if (!type) return [];
  const names = new Set([...page.schemas.keys(), ...page.source.collections]);
  const rows: Row[] = [];
  for (const name of [...names].slice(0, MAX_COLLECTIONS)) {
    const base = `/api/pages/${page.pageId}/${dashed(type)}/${encodeURIComponent(name)}`;
    rows.push(...(await attackCollection(actors, page, { name, base, findings })));
  }
  return rows;
}

interface Collection {
  name: string;
  base: string;
  findings: Findings;
}

async function attackCollection(actors: Actors, page: DataPage, collection: Collection): Promise<Row[]> {
  const { name, base } = collection;
  const invention = new Invention();
  const data = invent(page, name, invention);
  const made = await create(actors, base, data);
  if (!made) return [];
  const can = await actions(actors, { ...collection, made, invention, page });
  const row = (what: string, of: Record<Visitor, Can>): Row => ({
    what: `${what} ${name}`,
    ...{ nobody: of.nobody, stranger: of.other, member: of.member },
  });
  report(can, page, { ...collection, made });
  return [row('read', can.read), row('change', can.update), row('delete', can.delete)];
}

type Cans = Record<'read' | 'update' | 'delete', Record<Visitor, Can>> & {
  proofs: Partial<Record<'read' | 'update' | 'delete' | 'count', { who: Visitor; tried: Tried }>>;
};

async function actions(
  actors: Actors,
  about: Collection & { made: Made; invention: Invention; page: DataPage },
): Promise<Cans> {
  const { base, made, invention } = about;
  const none = () => ({ nobody: '-', other: '-', member: '-' }) as Record<Visitor, Can>;
  const can: Cans = { read: none(), update: none(), delete: none(), proofs: {} };
  const counter = Object.entries(made.data).find(
    ([field, value]) => isCounter(field) && typeof value === 'number',
  );
  for (const who of VISITORS.filter((each) => actors.has(each))) {
    const ways = [
      `${base}?limit=20`,
      `${base}/${made.id}`,
      `${base}?where=${encodeURIComponent(JSON.stringify({}))}`,
    ];
    can.read[who] = 'no';
    for (const way of ways) {
      const tried = await actors.send(who, 'GET', way);
      if (!isOk(tried) || !tried.text.includes(invention.mark)) continue;
      can.read[who] = 'yes';
      can.proofs.read ??= { who, tried };
      break;
    }
    // Change what is there to itself, so that one who can do it does not hide that others can.
    const [field = 'text', value = 'x'] = Object.entries(made.data)[0] ?? [];
    const changed = await actors.send(who, 'PATCH', `${base}/${made.id}`, { data: { [field]: value } });
    can.update[who] = isOk(changed) ? 'yes' : 'no';
    if (isOk(changed)) can.proofs.update ??= { who, tried: changed };
    if (isOk(changed) && counter) {
      const set = await actors.send(who, 'PATCH', `${base}/${made.id}`, {
        data: { [counter[0]]: RANDOM_NUMBER },
      });
      if (isOk(set)) can.proofs.count ??= { who, tried: set };
    }
    const victim = await create(actors, base, made.data);
    if (!victim) continue;
    const gone = await actors.send(who, 'DELETE', `${base}/${victim.id}`);
    can.delete[who] = isOk(gone) ? 'yes' : 'no';
    if (isOk(gone)) can.proofs.delete ??= { who, tried: gone };
  }
  return can;
}

/** What the results mean. Rules are what the author wants, unless the page itself lets only some people do it. */
function report(can: Cans, page: DataPage, { name, made, findings }: Collection & { made: Made }): void {
  const { proofs } = can;
  const rules = page.schemas.get(name)?.rules;
  const isGuarded = hasClientCheck(page.source.text);
  const toWho = (who: Visitor) => (who === 'other' ? 'stranger' : who);
  const add = (
    kind: Parameters<Findings['add']>[0],
    proof: { who: Visitor; tried: Tried } | undefined,
    fields = '',
  ) => proof && findings.add(kind, { name, fields, who: toWho(proof.who), proof: proof.tried });
  const personal = Object.keys(made.data).filter(isPersonal);
  // In a team, its members may see what belongs to the team.
  const isPublic = proofs.read !== undefined && proofs.read.who !== 'member';
  if (personal.length > 0 && isPublic) add('personal-data', proofs.read, personal.join(', '));
  const isStranger = (proof?: { who: Visitor }) => proof !== undefined && proof.who !== 'member';
  if (isGuarded && isStranger(proofs.update)) add('others-changed', proofs.update);
  if (isGuarded && isStranger(proofs.delete)) add('others-deleted', proofs.delete);
  const counters = Object.keys(made.data).filter(isCounter);
  if (isStranger(proofs.count)) add('counter', proofs.count, counters.join(', '));
  if (!rules && page.mode !== 'solo_app' && proofs.read && personal.length === 0 && isGuarded)
    add('no-rules', proofs.read, EVERYONE_READS.text);
}

/** Adds a record as a stranger, or as the owner if strangers cannot. */
async function create(
  actors: Actors,
  base: string,
  data: Record<string, unknown>,
): Promise<Made | undefined> {
  for (const by of ['stranger', 'owner'] as const) {
    const tried = await actors.send(by, 'POST', base, { data });
    const { id } = (tried.json ?? {}) as { id?: unknown };
    if (isOk(tried) && typeof id === 'string') return { id, data, by };
  }
  return undefined;
}

/** A record as the page would add it, and as its schema wants it. */
export function invent(
  { schemas, source }: Pick<DataPage, 'schemas' | 'source'>,
  name: string,
  invention: Invention,
): Record<string, unknown> {
  const written = source.creates.filter((each) => each.name === name).map((each) => each.parameters);
  const free = Object.assign({}, ...written.map((each) => fillIn(each, invention)));
  const fields: Record<string, FieldSchema> = schemas.get(name)?.fields ?? {};
  const fitting = Object.entries(fields).map(([field, schema]) => [field, invention.fit(field, schema)]);
  const data = { ...free, ...Object.fromEntries(fitting) };
  return Object.keys(data).length > 0 ? data : { text: invention.value('text') };
}
