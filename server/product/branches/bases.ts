import type { BranchRow } from '../../platform/storage/index.ts';

/** A moment that a branch is compared with: one of its page or, once it was merged, one of its own. */
export interface Base {
  pageId: number;
  at: number;
}

/** What the parts of a branch are compared with. Records and databases can be merged later than the rest. */
export interface Bases {
  page: Base;
  records: Base;
  databases: Base;
}

/** What was compared before a merge or an update, in case it is undone. */
export interface Earlier {
  /** The page that was changed, and the moment before that. */
  changed: number;
  undo: number;
  bases: Bases;
}

type Row = Pick<BranchRow, 'of_page_id' | 'base_at' | 'base_page_id' | 'bases'>;
interface Stored {
  records?: Base;
  databases?: Base;
  earlier?: Earlier[];
}

/** Merges that can be undone so that the branch can be merged again. */
const MAX_EARLIER = 5;

export function readBases(row: Row): Bases & { earlier: Earlier[] } {
  const { records, databases, earlier = [] } = JSON.parse(row.bases) as Stored;
  const page = { pageId: row.base_page_id ?? row.of_page_id, at: row.base_at };
  return { page, records: records ?? page, databases: databases ?? page, earlier };
}

/** The columns for other bases. */
export function writeBases(
  row: Pick<BranchRow, 'of_page_id'>,
  { page, records, databases }: Bases,
  earlier: readonly Earlier[],
): Pick<BranchRow, 'base_at' | 'base_page_id' | 'bases'> {
  const stored: Stored = { records, databases, earlier: earlier.slice(-MAX_EARLIER) };
  return {
    base_at: page.at,
    base_page_id: page.pageId === row.of_page_id ? null : page.pageId,
    bases: JSON.stringify(stored),
  };
}

/** Every moment that a branch may be compared with. */
export function listAllBases(row: Row): Base[] {
  const { earlier, ...bases } = readBases(row);
  return [bases, ...earlier.map((each) => each.bases)].flatMap(({ page, records, databases }) => [
    page,
    records,
    databases,
  ]);
}
