import type { ChangeAction, ChangeSide } from '../../../../contract/pages/branches/changes.ts';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { AppError } from '../../../lib/errors.ts';
import { type FieldChange, isEqual, mergeFields } from '../../../lib/three-way/fields.ts';
import type { BranchesContext, DecidedRecord, DifferingRecord, PageAt, StoredRecord } from '../context.ts';
import { findDataName, type Pair } from './sides.ts';
import type { Taken } from './taken.ts';

/** A record that a branch and its page have differently, compared with what it was. */
export interface RecordDifference extends DifferingRecord {
  path: string;
  action: ChangeAction;
  side: ChangeSide;
  conflict: boolean;
  fields: FieldChange[];
  /** What both changes make together, if they do not conflict. */
  merged?: Record<string, unknown>;
}

/** A collection of a branch or of its page. */
export interface Collection {
  type: StorageType;
  name: string;
  /** Such as `records/social/posts`. */
  path: string;
}

/** Whether the records of a branch can be compared: those of a masked one have other texts. */
export const hasRecords = ({ row }: Pair) => row.data === 'all';

/** Whether it is still kept what the records were at the base. The log of an owner with too much of it is trimmed. */
export async function isBaseKept({ parts }: BranchesContext, { bases }: Pair): Promise<boolean> {
  const { pageId, at } = bases.records;
  return (await parts().records.oldest(pageId)) <= at;
}

export async function listCollections(context: BranchesContext, pair: Pair): Promise<Collection[]> {
  const data = findDataName(context, pair);
  if (!data || !hasRecords(pair)) return [];
  if (!(await isBaseKept(context, pair)))
    throw new AppError(
      'CONFLICT',
      'What the records were at the base is no longer kept. Merge without records, or make a new branch.',
    );
  const names = new Set<string>();
  for (const pageId of [pair.main.id, pair.branch.id])
    for (const name of (await context.parts().records.readCollections(data.type, { pageId })).keys())
      names.add(name);
  return [...names].sort().map((name) => ({ type: data.type, name, path: `records/${data.name}/${name}` }));
}

/** The differing records of a collection, in the order of their ids. */
export async function* compareRecords(
  context: BranchesContext,
  pair: Pair,
  collection: Collection,
  sides: { branch: PageAt; main: PageAt; after?: string },
): AsyncGenerator<RecordDifference[]> {
  const { after, ...both } = sides;
  const three = { base: pair.bases.records, ...both };
  for await (const piece of context.parts().records.eachDiffering(collection, three, after))
    yield piece.flatMap((record) => compareRecord(collection, record) ?? []);
}

function compareRecord({ path }: Collection, record: DifferingRecord): RecordDifference | undefined {
  const [base, branch, main] = [record.base, record.branch, record.main].map(toData);
  if (isEqual(branch, main)) return undefined;
  const side = isEqual(main, base) ? 'branch' : isEqual(branch, base) ? 'main' : 'both';
  const now = side === 'main' ? main : branch;
  const { changes, merged } = mergeFields(base ?? {}, branch ?? {}, main ?? {});
  const isMergeable = branch !== undefined && main !== undefined && !changes.some((each) => each.conflict);
  return {
    ...record,
    ...{ path: `${path}/${record.id}`, side, fields: changes },
    action: base === undefined ? 'added' : now === undefined ? 'deleted' : 'changed',
    conflict: side === 'both' && !isMergeable,
    ...(side === 'both' && isMergeable && { merged }),
  };
}

const toData = (row: StoredRecord | undefined) => row && (JSON.parse(row.text) as Record<string, unknown>);

/** What a record becomes on the branch or on its page; undefined if it stays. A conflict stays until it is decided. */
export function decideRecord(
  record: RecordDifference,
  taken: Taken,
  into: 'branch' | 'main',
): DecidedRecord | 'conflict' | undefined {
  const { side, conflict, merged, branch, main } = record;
  if (side === into) return undefined;
  const chosen = taken.find(record.path) ?? (side === 'both' ? undefined : side);
  if (chosen !== undefined) return chosen === into ? undefined : { row: record[chosen] };
  const row = branch ?? main;
  if (conflict || !merged || !row) return 'conflict';
  return { data: merged, row };
}

/** How many records change, and which of them conflict. */
export interface RecordSum {
  created: number;
  updated: number;
  deleted: number;
  conflicts: RecordDifference[];
  conflictCount: number;
}

/** Counts what a merge or an update does with records. */
export async function sumRecords(
  context: BranchesContext,
  pair: Pair,
  given: { taken: Taken; into: 'branch' | 'main'; branch: PageAt; main: PageAt; limit: number },
): Promise<RecordSum> {
  const { taken, into, branch, main, limit } = given;
  const sum: RecordSum = { created: 0, updated: 0, deleted: 0, conflicts: [], conflictCount: 0 };
  for (const collection of await listCollections(context, pair))
    for await (const piece of compareRecords(context, pair, collection, { branch, main }))
      for (const record of piece) {
        const decided = decideRecord(record, taken, into);
        if (decided === undefined) continue;
        if (decided === 'conflict') {
          sum.conflictCount++;
          if (sum.conflicts.length < limit) sum.conflicts.push(record);
        } else if (decided.row === undefined) sum.deleted++;
        else if (record[into] === undefined) sum.created++;
        else sum.updated++;
      }
  return sum;
}
