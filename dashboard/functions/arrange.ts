import type { FunctionItem } from './api.ts';
import { chooseName } from './names.ts';

type Listed = Pick<
  FunctionItem,
  'slug' | 'displayName' | 'description' | 'updatedAt' | 'isPublic' | 'takenDown'
>;

interface Place {
  query: string;
  order: 'name' | 'updated' | 'activity';
  state: 'public' | 'private' | 'taken_down' | undefined;
}

/** The functions that match a search and a state, in an order. `calls` has those of the last days. */
export function arrange<Item extends Listed>(
  items: Item[],
  { query, order, state }: Place,
  calls: ReadonlyMap<string, number[]>,
): Item[] {
  const words = query.trim().toLowerCase();
  const found = items.filter(
    (item) =>
      (state === undefined || state === readState(item)) &&
      `${item.slug}\n${item.displayName}\n${item.description}`.toLowerCase().includes(words),
  );
  const byName = (a: Item, b: Item) => chooseName(a).localeCompare(chooseName(b));
  const byUpdate = (a: Item, b: Item) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0);
  if (order === 'name') return found.sort(byName);
  if (order === 'updated') return found.sort(byUpdate);
  return found.sort((a, b) => sumDays(calls.get(b.slug)) - sumDays(calls.get(a.slug)) || byUpdate(a, b));
}

const readState = ({ takenDown, isPublic }: Listed) =>
  takenDown ? 'taken_down' : isPublic ? 'public' : 'private';

/** The sum of some days. */
export const sumDays = (values: number[] | undefined) => values?.reduce((sum, value) => sum + value, 0) ?? 0;
