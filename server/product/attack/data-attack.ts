import type { Can } from '../../../contract/attack/attack.ts';
import { EVERYONE_READS, LEFT_REASONS } from '../../../contract/attack/words.ts';
import { dashed, findStorageType, type StorageType } from '../../../contract/rules/storage-modes.ts';
import type { Text } from '../../../contract/rules/texts/fill.ts';
import type { Actors } from './actors.ts';
import { CHANGE_WAYS, DELETE_WAYS, isOk, type Made, READ_WAYS, type Target, tryWays } from './data-ways.ts';
import { fillRecord, type RecordPage } from './fill-record.ts';
import type { Findings } from './findings.ts';
import { type Hidden, listPersonal, listPersonalNames } from './hidden-attack.ts';
import type { Tried } from './send.ts';
import { isCounter } from './source/invent.ts';
import { hasClientCheck } from './source/read-source.ts';

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

/**
 * Tries what others can do with what one person has stored, in every collection. Returns what each can do, and what is
 * hidden from some.
 */
export async function attackData(
  actors: Actors,
  page: RecordPage,
  findings: Findings,
): Promise<{ rows: Row[]; hidden: Hidden[]; left: Text[] }> {
  const type = findStorageType(page.mode);
  const rows: Row[] = [];
  const hidden: Hidden[] = [];
  const left: Text[] = [];
  if (!type) return { rows, hidden, left };
  const names = new Set([...page.schemas.keys(), ...page.source.collections]);
  for (const name of [...names].slice(0, MAX_COLLECTIONS)) {
    const base = `/api/pages/${page.pageId}/${dashed(type)}/${encodeURIComponent(name)}`;
    const isTried = await attackCollection(actors, page, { name, base, type, findings, rows, hidden });
    if (!isTried) left.push({ text: LEFT_REASONS.collection.text, values: { name } });
  }
  return { rows, hidden, left };
}

interface Collection {
  name: string;
  base: string;
  type: StorageType;
  findings: Findings;
  rows: Row[];
  hidden: Hidden[];
}

/** Returns false if the collection took no record. */
async function attackCollection(actors: Actors, page: RecordPage, collection: Collection): Promise<boolean> {
  const { name, base, type, rows, hidden } = collection;
  const made = await fillRecord(actors, base, page, name);
  if (!made) return false;
  const target = { pageId: page.pageId, type, collection: name, base, made };
  const can = await actions(actors, page, target);
  const row = (what: string, of: Record<Visitor, Can>): Row => ({
    what: `${what} ${name}`,
    ...{ nobody: of.nobody, stranger: of.other, member: of.member },
  });
  report(can, page, { ...collection, made });
  rows.push(row('read', can.read), row('change', can.update), row('delete', can.delete));
  const from = VISITORS.filter((who) => can.read[who] === 'no');
  const values = listPersonal(made.data);
  if (from.length * values.length > 0) hidden.push({ kind: 'function-data', name, values, from });
  return true;
}

type Cans = Record<'read' | 'update' | 'delete', Record<Visitor, Can>> & {
  proofs: Partial<Record<'read' | 'update' | 'delete' | 'count', { who: Visitor; tried: Tried }>>;
};

async function actions(actors: Actors, page: RecordPage, target: Target): Promise<Cans> {
  const { base, made } = target;
  const none = () => ({ nobody: '-', other: '-', member: '-' }) as Record<Visitor, Can>;
  const can: Cans = { read: none(), update: none(), delete: none(), proofs: {} };
  const counter = Object.entries(made.data).find(
    ([field, value]) => isCounter(field) && typeof value === 'number',
  );
  const note = (what: 'read' | 'update' | 'delete', who: Visitor, tried: Tried | undefined) => {
    can[what][who] = tried ? 'yes' : 'no';
    if (tried) can.proofs[what] ??= { who, tried };
  };
  for (const who of VISITORS.filter((each) => actors.has(each))) {
    note('read', who, await tryWays(READ_WAYS, actors, who, target));
    const changed = await tryWays(CHANGE_WAYS, actors, who, target);
    note('update', who, changed);
    if (changed && counter) {
      const set = await actors.send(who, 'PATCH', `${base}/${made.id}`, {
        data: { [counter[0]]: RANDOM_NUMBER },
      });
      if (isOk(set)) can.proofs.count ??= { who, tried: set };
    }
    const victim = await fillRecord(actors, base, page, target.collection);
    if (victim) note('delete', who, await tryWays(DELETE_WAYS, actors, who, { ...target, made: victim }));
  }
  return can;
}

/** What the results mean. Rules are what the author wants, unless the page itself lets only some people do it. */
function report(can: Cans, page: RecordPage, { name, made, findings }: Collection & { made: Made }): void {
  const { proofs } = can;
  const rules = page.schemas.get(name)?.rules;
  const isGuarded = hasClientCheck(page.source.text);
  const toWho = (who: Visitor) => (who === 'other' ? 'stranger' : who);
  const add = (
    kind: Parameters<Findings['add']>[0],
    proof: { who: Visitor; tried: Tried } | undefined,
    fields = '',
  ) => proof && findings.add(kind, { name, fields, who: toWho(proof.who), proof: proof.tried });
  const personal = listPersonalNames(made.data);
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
