import type {
  BranchChanges,
  Change,
  ChangeGroup,
  ChangesQuery,
} from '../../../../contract/pages/branches/changes.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { BranchRow } from '../../../platform/storage/index.ts';
import type { BranchesContext } from '../context.ts';
import { toMergeUrl } from '../wire.ts';
import { compare, type Difference } from './compare.ts';
import { assertReady, toChange } from './conflicts.ts';
import { findDatabases } from './databases/find.ts';
import { type Counts, listDatabases } from './databases/list.ts';
import {
  type Collection,
  compareRecords,
  hasRecords,
  isBaseKept,
  listCollections,
  type RecordDifference,
} from './records.ts';
import { findDataName, findPair, type Pair, readNow, readSides } from './sides.ts';
import { LOST_RECORDS, NO_RECORDS, NO_ROWS, SOLO_RECORDS, toSaid } from './words.ts';

type Listed = Difference | RecordDifference;

/** What differs between a branch and its page: everything is counted, and a part is listed. */
export async function listChanges(
  context: BranchesContext,
  row: BranchRow,
  query: ChangesQuery,
): Promise<BranchChanges> {
  const pair = await findPair(context, row);
  assertReady(row);
  const now = { branch: await readNow(context, pair.branch), main: await readNow(context, pair.main) };
  const sides = await readSides(context, pair, now);
  const list = new List(query);
  for (const difference of await compare(sides)) list.add(difference, difference.kind, nameGroup(difference));
  const isKept = await isBaseKept(context, pair);
  for (const collection of isKept ? await listCollections(context, pair) : [])
    for await (const piece of compareRecords(context, pair, collection, toPages(pair)))
      for (const record of piece) list.add(record, 'record', nameCollection(collection));
  const { branch, main } = now;
  const functions = { branch: branch.state.functions, main: main.state.functions };
  const databases = await findDatabases(context, pair, functions);
  const leftOut = await listDatabases(context, pair, databases, list);
  const type = findDataName(context, pair);
  return {
    base: toTimestamp(pair.bases.page.at),
    ...list.sum,
    groups: [...list.groups.values()],
    changes: await Promise.all(list.listed.map(({ read }) => read())),
    next: list.next,
    merge_url: toMergeUrl(context.baseUrl, row),
    left_out: [
      ...(type && !hasRecords(pair) ? [NO_RECORDS] : []),
      ...(type && hasRecords(pair) && !isKept ? [LOST_RECORDS] : []),
      ...(pair.main.storage_mode === 'solo_app' ? [SOLO_RECORDS] : []),
      ...(databases.pairs.length > 0 && !hasRecords(pair) && !type ? [NO_ROWS] : []),
      ...leftOut,
    ].map(toSaid),
  };
}

const toPages = ({ branch, main }: Pair) => ({ branch: { pageId: branch.id }, main: { pageId: main.id } });

const nameCollection = ({ path }: Collection) => path.slice('records/'.length);

function nameGroup({ kind, path }: Difference): string {
  const [, name = '', inner = ''] = path.split('/');
  if (kind === 'function') return name;
  return kind === 'collection' ? `${name}/${inner}` : '';
}

/** Counts what is found, and keeps the part of it that was asked for. Parts come first, then records, then databases. */
class List {
  readonly sum = { branch: 0, main: 0, conflicts: 0 };
  readonly groups = new Map<string, ChangeGroup>();
  readonly listed: Array<{ cursor: string; read(): Promise<Change> }> = [];
  next: string | null = null;
  #isAfter: boolean;

  constructor(readonly query: ChangesQuery) {
    this.#isAfter = query.after === undefined;
  }

  add(found: Listed, kind: ChangeGroup['kind'], name: string): void {
    const [branch, main] = [found.side !== 'main' ? 1 : 0, found.side !== 'branch' ? 1 : 0];
    this.count(kind, name, { branch, main, conflicts: found.conflict ? 1 : 0 });
    if (this.#isAsked(found, kind)) this.#keep(found);
  }

  count(kind: ChangeGroup['kind'], name: string, { branch, main, conflicts }: Counts): void {
    const key = `${kind} ${name}`;
    const group = this.groups.get(key) ?? { kind, name, branch: 0, main: 0, conflicts: 0 };
    this.groups.set(key, group);
    for (const counts of [group, this.sum]) {
      counts.branch += branch;
      counts.main += main;
      counts.conflicts += conflicts;
    }
  }

  remaining(): number {
    return this.query.limit - this.listed.length;
  }

  keep(change: Change, cursor: string): void {
    this.listed.push({ cursor, read: async () => change });
  }

  cut(): void {
    this.next ??= this.listed.at(-1)?.cursor ?? null;
  }

  #keep(found: Listed): void {
    const { after = '', path } = this.query;
    // A change that was the last of the list before may be gone: then the next one in the same order counts.
    if (!this.#isAfter && compareRank(found.path, after) <= 0) return;
    this.#isAfter = true;
    const read = () => toChange(found, found.path === path);
    if (this.remaining() > 0) this.listed.push({ cursor: found.path, read });
    else this.cut();
  }

  #isAsked({ path, side, conflict }: Listed, kind: ChangeGroup['kind']): boolean {
    const { side: asked, kind: askedKind, path: under } = this.query;
    if (askedKind !== undefined && askedKind !== kind) return false;
    if (under !== undefined && path !== under && !path.startsWith(`${under}/`)) return false;
    if (asked === 'conflicts') return conflict;
    return asked === undefined || side === asked || side === 'both';
  }
}

/** The order of the list: parts by their path, then records by theirs, then databases. */
function compareRank(a: string, b: string): number {
  const [first, second] = [a, b].map((path) =>
    path.startsWith('databases/') ? 2 : path.startsWith('records/') ? 1 : 0,
  );
  if (first !== second) return (first ?? 0) - (second ?? 0);
  return a < b ? -1 : a > b ? 1 : 0;
}
