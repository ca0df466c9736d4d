import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/storage/index.ts';
import { following, isCut, toKey } from '../indexes/keys.ts';
import type { ListPlan } from '../indexes/plan.ts';
import type { Range } from '../indexes/ranges.ts';
import { countBefore, type Entries, selectIds, type WalkedEntry, walkEntries } from '../indexes/store.ts';
import { readPath } from '../queries/matches.ts';
import { type JsonSql, sortKeys } from '../queries/query-sql.ts';
import type { Path } from '../queries/where.ts';
import {
  findRecord,
  findSelected,
  listIdsInOrder,
  listRecords,
  type RecordRow,
  type Selection,
} from './store.ts';

/** A part of a list, as in `listRecords`. */
interface ListPage {
  orderBy: 'created_at' | 'updated_at' | Path;
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
  cursor?: { id: string; direction: 'after' | 'before' } | undefined;
}

/** Records with long texts of the same beginning that a part of a list can sort without delaying others. */
const MAX_ALIKE = 200;

/** Runs a query that may read many records, without delaying others. */
type Scan = <T>(ask: (db: Db) => Promise<T>) => Promise<T>;

/** Reads a part of a list as planned. What can take long goes to `scan`, if there is one. */
export async function listByPlan(
  db: Db,
  json: JsonSql,
  { plan, selection, page, scan }: { plan: ListPlan; selection: Selection; page: ListPage; scan?: Scan },
): Promise<RecordRow[]> {
  const { entries, ranges } = plan;
  if (ranges.length === 0) return [];
  if (plan.kind === 'gather') {
    const candidates = selectIds(entries, ranges);
    return listRecords(db, { ...selection, candidates }, { ...page, keys: sortKeys(json, page.orderBy) });
  }
  const isAscending = (page.order === 'asc') !== (page.cursor?.direction === 'before');
  const filter = plan.isExact ? undefined : recordFilter(selection);
  const walker = new Walker(
    db,
    json,
    selection,
    { entries, ranges, by: plan.by, isAscending, filter },
    { orderBy: page.orderBy, scan: scan ?? ((ask) => ask(db)) },
  );
  const ids = await walker.read(page);
  const rows = await findSelected(db, selection, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The condition for the record of an entry. A value, not `exists`, which PostgreSQL may turn into a join of everything. */
function recordFilter({ collectionId, createdBy, where }: Selection): RawBuilder<unknown> {
  const author = createdBy === undefined ? sql`` : sql`and records.created_by = ${createdBy}`;
  return sql`(select 1 from records where records.collection_id = ${collectionId}
    and records.id = entry.record_id ${author} ${where ? sql`and ${where}` : sql``}) = 1`;
}

interface Walk {
  entries: Entries;
  ranges: Range[];
  by: 'key' | 'age';
  isAscending: boolean;
  filter: RawBuilder<unknown> | undefined;
}

/**
 * Reads ids in the order of an index. Long texts with the same beginning have the same key, so the records of such a key
 * are sorted by the whole text when a list comes to them.
 */
class Walker {
  readonly #db: Db;
  readonly #json: JsonSql;
  readonly #selection: Selection;
  readonly #walk: Walk;
  readonly #path: Path;
  readonly #scan: Scan;
  readonly #groups = new Map<string, string[]>();
  /** How many more records may be sorted here. */
  #left = MAX_ALIKE;

  constructor(
    db: Db,
    json: JsonSql,
    selection: Selection,
    walk: Walk,
    { orderBy, scan }: Pick<ListPage, 'orderBy'> & { scan: Scan },
  ) {
    this.#db = db;
    this.#json = json;
    this.#selection = selection;
    this.#walk = walk;
    this.#path = typeof orderBy === 'string' ? [] : orderBy;
    this.#scan = scan;
  }

  async read({ cursor, limit, offset }: ListPage): Promise<string[]> {
    if (!cursor) return this.#readAfter(undefined, limit, offset);
    if (this.#walk.by === 'age') return this.#readAfter({ key: '', id: cursor.id }, limit, offset);
    const row = await findRecord(this.#db, this.#selection.collectionId, cursor.id);
    if (!row) return [];
    const key = toKey(readPath(JSON.parse(row.text), this.#path));
    if (!isCut(key)) return this.#readAfter({ key, id: row.id }, limit, offset);
    // The cursor is among records with the same key: what is left of them comes first.
    const group = await this.#sortGroup(key);
    const left = await this.#following(group, { key, id: row.id });
    const some = left.slice(offset, offset + limit);
    if (some.length === limit) return some;
    const end = { key, id: this.#walk.isAscending ? '~' : '' };
    const skipped = Math.max(0, offset - left.length);
    return [...some, ...(await this.#readAfter(end, limit - some.length, skipped))];
  }

  async #readAfter(after: { key: string; id: string } | undefined, limit: number, offset: number) {
    const found = await walkEntries(this.#db, this.#walk.entries, { ...this.#walk, after, limit, offset });
    if (this.#walk.by === 'age') return found.map(({ record_id }) => record_id);
    const ids: string[] = [];
    for (let at = 0; at < found.length; ) {
      const first = found[at] as WalkedEntry;
      if (!isCut(first.key)) {
        ids.push(first.record_id);
        at++;
        continue;
      }
      const size = found.slice(at).filter(({ key }) => key === first.key).length;
      const group = await this.#sortGroup(first.key);
      // Only the first key of a part can have begun before it.
      const begun = at === 0 && offset > 0 ? await this.#countSkipped(first) : 0;
      ids.push(...group.slice(begun, begun + size));
      at += size;
    }
    return ids;
  }

  /** How many entries with the key of this one come before it. */
  #countSkipped({ key, record_id }: WalkedEntry): Promise<number> {
    const { entries, isAscending, filter } = this.#walk;
    return countBefore(this.#db, entries, { key, id: record_id, isAscending, filter });
  }

  /** The ids of the records with one key, sorted by their texts. */
  async #sortGroup(key: string): Promise<string[]> {
    const known = this.#groups.get(key);
    if (known) return known;
    const ids = await this.#sort(this.#selection, key);
    this.#groups.set(key, ids);
    return ids;
  }

  async #sort(selection: Selection, key: string): Promise<string[]> {
    const { entries, isAscending } = this.#walk;
    const candidates = selectIds(entries, [{ from: key, to: following(key) }]);
    const keys = [this.#json.text(this.#path), sql`records.id`];
    const sort = (db: Db) => listIdsInOrder(db, { ...selection, candidates }, { keys, isAscending });
    return (await this.#takeFew(key)) ? sort(this.#db) : this.#scan(sort);
  }

  /** Whether the records with a key are so few that they can be sorted here. */
  async #takeFew(key: string): Promise<boolean> {
    const ranges = [{ from: key, to: following(key) }];
    const page = { limit: this.#left + 1, offset: 0 };
    const few = await walkEntries(this.#db, this.#walk.entries, {
      ...this.#walk,
      ...page,
      ranges,
      filter: undefined,
    });
    if (few.length > this.#left) return false;
    this.#left -= few.length;
    return true;
  }

  /** What comes after a record in its group. It may not be in it, if the condition does not match it. */
  async #following(group: string[], { key, id }: { key: string; id: string }): Promise<string[]> {
    const at = group.indexOf(id);
    if (at >= 0) return group.slice(at + 1);
    const all = await this.#sort({ collectionId: this.#selection.collectionId }, key);
    const matching = new Set(group);
    return all.slice(all.indexOf(id) + 1).filter((each) => matching.has(each));
  }
}
