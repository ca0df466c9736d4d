import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/storage/index.ts';
import { following, isCut, readPath, toKey } from '../indexes/keys.ts';
import type { ListPlan } from '../indexes/plan.ts';
import {
  countBefore,
  type Entries,
  selectIds,
  type Walk,
  type WalkedEntry,
  walkEntries,
} from '../indexes/store.ts';
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

/** Reads a part of a list as planned. */
export async function listByPlan(
  db: Db,
  json: JsonSql,
  { plan, selection, page }: { plan: ListPlan; selection: Selection; page: ListPage },
): Promise<RecordRow[]> {
  const { entries, ranges } = plan;
  if (ranges.length === 0) return [];
  if (plan.kind === 'gather') {
    const candidates = selectIds(entries, ranges);
    return listRecords(db, { ...selection, candidates }, { ...page, keys: sortKeys(json, page.orderBy) });
  }
  const isAscending = (page.order === 'asc') !== (page.cursor?.direction === 'before');
  const filter = plan.isExact ? undefined : recordFilter(selection);
  const walk = { ranges, by: plan.by, isAscending, filter };
  const walker = new Walker(db, json, { selection, entries, walk, orderBy: page.orderBy });
  const ids = await walker.read(page);
  const rows = await findSelected(db, selection, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The condition for the record of an entry. */
function recordFilter({ collectionId, createdBy, where }: Selection): RawBuilder<unknown> {
  const author = createdBy === undefined ? sql`` : sql`and records.created_by = ${createdBy}`;
  return sql`exists (select 1 from records where records.collection_id = ${collectionId}
    and records.id = entry.record_id ${author} ${where ? sql`and ${where}` : sql``})`;
}

interface WalkerOptions {
  selection: Selection;
  entries: Entries;
  walk: Walk;
  orderBy: ListPage['orderBy'];
}

/**
 * Reads ids in the order of an index. Long texts with the same beginning have the same key, so the records of such a key
 * are sorted by the whole text when a list comes to them.
 */
class Walker {
  readonly #db: Db;
  readonly #json: JsonSql;
  readonly #selection: Selection;
  readonly #entries: Entries;
  readonly #walk: Walk;
  readonly #path: Path;
  readonly #groups = new Map<string, string[]>();

  constructor(db: Db, json: JsonSql, { selection, entries, walk, orderBy }: WalkerOptions) {
    this.#db = db;
    this.#json = json;
    this.#selection = selection;
    this.#entries = entries;
    this.#walk = walk;
    this.#path = typeof orderBy === 'string' ? [] : orderBy;
  }

  async read({ cursor, limit, offset }: ListPage): Promise<string[]> {
    if (!cursor) return this.#readAfter(undefined, limit, offset);
    if (this.#walk.by === 'age') return this.#readAfter({ key: '', id: cursor.id }, limit, offset);
    const row = await findRecord(this.#db, this.#selection.collectionId, cursor.id);
    if (!row) return [];
    const key = toKey(readPath(JSON.parse(row.text), this.#path));
    if (!isCut(key)) return this.#readAfter({ key, id: row.id }, limit, offset);
    // The cursor is a record among others with the same key: those after it come first.
    const group = await this.#sortGroup(key);
    const left = await this.#following(group, row);
    const some = left.slice(offset, offset + limit);
    if (some.length === limit) return some;
    const end = { key, id: this.#walk.isAscending ? '~' : '' };
    const skipped = Math.max(0, offset - left.length);
    return [...some, ...(await this.#readAfter(end, limit - some.length, skipped))];
  }

  async #readAfter(after: { key: string; id: string } | undefined, limit: number, offset: number) {
    const found = await walkEntries(this.#db, this.#entries, { ...this.#walk, after, limit, offset });
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
      // Only the first key of a part of the list can have entries in the part before.
      const begun = at === 0 && offset > 0 ? await this.#countSkipped(first) : 0;
      ids.push(...group.slice(begun, begun + size));
      at += size;
    }
    return ids;
  }

  /** How many entries with the key of this one come before it. */
  #countSkipped({ key, record_id }: WalkedEntry): Promise<number> {
    const { isAscending, filter } = this.#walk;
    return countBefore(this.#db, this.#entries, { key, id: record_id, isAscending, filter });
  }

  /** The ids of the records with one key, sorted by their texts. */
  async #sortGroup(key: string): Promise<string[]> {
    const known = this.#groups.get(key);
    if (known) return known;
    const { isAscending } = this.#walk;
    const candidates = selectIds(this.#entries, [{ from: key, to: following(key) }]);
    const keys = [this.#json.text(this.#path), sql`records.id`];
    const ids = await listIdsInOrder(this.#db, { ...this.#selection, candidates }, { keys, isAscending });
    this.#groups.set(key, ids);
    return ids;
  }

  /** The ids after a record in its group. The record itself is not in the group if the condition does not match it. */
  async #following(group: string[], row: RecordRow): Promise<string[]> {
    const at = group.indexOf(row.id);
    if (at >= 0) return group.slice(at + 1);
    const { collectionId } = this.#selection;
    const keys = [this.#json.text(this.#path), sql`records.id`];
    const rows = await listIdsInOrder(
      this.#db,
      { collectionId, candidates: selectGiven([...group, row.id]) },
      { keys, isAscending: this.#walk.isAscending },
    );
    return rows.slice(rows.indexOf(row.id) + 1);
  }
}

const selectGiven = (ids: string[]): RawBuilder<{ record_id: string }> =>
  sql`(${sql.join(
    ids.map((id) => sql`select cast(${id} as text) as record_id`),
    sql` union all `,
  )})`;
