import { AppError } from '../../../../lib/errors.ts';

/** Items of a page. Some clients read only the first page of a list, so it has everything that we have today. */
const PAGE_SIZE = 100;

/** One page of a list. A cursor is the position of the next item. */
export function takePage<Item>(
  items: Item[],
  cursor: string | undefined,
): { page: Item[]; nextCursor?: string } {
  const from = cursor === undefined ? 0 : parseCursor(cursor);
  const to = from + PAGE_SIZE;
  return { page: items.slice(from, to), ...(to < items.length && { nextCursor: String(to) }) };
}

/** The position that a cursor of ours stands for. */
export function parseCursor(cursor: string): number {
  if (/^[1-9]\d{0,8}$/.test(cursor)) return Number(cursor);
  throw new AppError('BAD_REQUEST', 'This cursor is not one of ours. Start the list again without it.');
}
