import type { BundleSize, FunctionWarning } from '../../../../contract/functions/functions.ts';
import { PLATFORM } from '../../../../contract/rules/function-names.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { PageSummary } from '../../ports.ts';
import type { FunctionRow, ListedFunction, OwnFunction } from './store.ts';

/** Rows as the wire shapes of `contract/functions/functions.ts`. */

export const toListItem = (row: ListedFunction) => ({
  slug: row.slug,
  displayName: row.display_name,
  description: row.description,
  owner: row.owner ?? PLATFORM,
  hasDatabase: row.database_id !== null,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
});

/** A function in a list for its owner, who also needs to know whether it is private. */
export const toOwnListItem = (row: OwnFunction) => ({
  ...toListItem(row),
  isPublic: row.is_public === 1,
  ...takenDown(row),
});

/** The page that a function belongs to, for its owner. */
export const toPage = ({ page_id: id }: { page_id: number | null }, pages: Map<number, PageSummary>) => {
  const page = id === null ? undefined : pages.get(id);
  return page ? { id: page.id, name: page.name, slug: page.slug } : null;
};

/** A function in a list for everyone. Others see only functions that are not taken down. */
export const toDetail = (row: FunctionRow, workerUrl: string) => ({ ...toOwnListItem(row), workerUrl });

const takenDown = ({ taken_down_at: at, taken_down_reason: reason }: OwnFunction) =>
  at === null ? {} : { takenDown: { at: toTimestamp(at), reason: reason ?? '' } };

/** A function after a change, with what is known of new code. */
type Changed = FunctionRow & { bundle?: BundleSize; warnings?: FunctionWarning[]; migrations?: string[] };

export const toPatched = (row: Changed, workerUrl: string) => {
  const { owner: _, ...fields } = toDetail(row, workerUrl);
  const { version, bundle, warnings, migrations } = row;
  return {
    ...fields,
    version,
    ...(bundle && { bundle }),
    ...(warnings?.length && { warnings }),
    ...(migrations && { migrations }),
  };
};

export const toDeployed = (row: Changed, workerUrl: string) => {
  const { updatedAt: _, ...fields } = toPatched(row, workerUrl);
  return fields;
};
