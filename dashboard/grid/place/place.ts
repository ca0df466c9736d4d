import { MAX_SEARCH } from '../../../contract/rules/limits.ts';
import type { Sort } from '../columns.ts';

/** What a table shows, in the URL of its screen, so that a reload, a link and the back button keep it. */

export interface Place {
  /** What every shown row contains. */
  query: string;
  /** The filter as JSON. */
  where: string | undefined;
  sort: Sort | undefined;
  /** The number of the page, from 1. */
  page: number;
  /** Rows on a page; undefined for the usual number. */
  size: number | undefined;
}

const MAX_WHERE = 20_000;
const NUMBER = /^[1-9]\d{0,7}$/;

export function readPlace(address: string): Place {
  const given = new URLSearchParams(address);
  const read = (name: string, most: number) => given.get(name)?.slice(0, most) ?? '';
  const [page, size] = [given.get('page') ?? '', given.get('size') ?? ''];
  return {
    query: read('q', MAX_SEARCH),
    where: read('where', MAX_WHERE) || undefined,
    sort: readSort(given.get('sort') ?? ''),
    page: NUMBER.test(page) ? Number(page) : 1,
    size: NUMBER.test(size) ? Number(size) : undefined,
  };
}

export function writePlace({ query, where, sort, page, size }: Place): URLSearchParams {
  return new URLSearchParams({
    ...(query && { q: query.slice(0, MAX_SEARCH) }),
    ...(where && { where }),
    ...(sort && { sort: writeSort(sort) }),
    ...(page > 1 && { page: String(page) }),
    ...(size && { size: String(size) }),
  });
}

/** `name` or `-name`. A plus keeps a name that starts with one of these signs. */
const writeSort = ({ key, direction }: Sort) =>
  direction === 'descending' ? `-${key}` : /^[+-]/.test(key) ? `+${key}` : key;

function readSort(text: string): Sort | undefined {
  const key = text.replace(/^[+-]/, '');
  return key === '' ? undefined : { key, direction: text.startsWith('-') ? 'descending' : 'ascending' };
}
