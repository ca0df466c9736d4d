import type { Condition, Filter } from '../../grid/index.ts';
import { quote } from '../quote.ts';

/** What a row must contain in one of these columns. */
interface Search {
  query: string;
  columns: string[];
}

/** SQLite refuses expressions that are too deep. */
const MAX_SEARCHED = 100;

/** A filter and a search as a WHERE clause; empty if there are neither. Its parameters must come first. */
export function toWhere(
  { match, conditions }: Filter,
  search: Search = { query: '', columns: [] },
): { where: string; params: unknown[] } {
  const parts = conditions.map(conditionSql);
  const joined = parts.map(({ sql }) => `(${sql})`).join(match === 'all' ? ' AND ' : ' OR ');
  const searched = search.query === '' ? '' : searchSql(search.columns);
  const all = [searched, joined].filter(Boolean).map((sql) => `(${sql})`);
  return {
    where: all.length > 0 ? ` WHERE ${all.join(' AND ')}` : '',
    params: [...(searched ? [search.query] : []), ...parts.flatMap(({ params }) => params)],
  };
}

/** All columns are compared with the first parameter. Bytes are not text, although SQLite can read them as such. */
const searchSql = (columns: string[]) =>
  columns
    .slice(0, MAX_SEARCHED)
    .map(quote)
    .map((name) => `typeof(${name}) <> 'blob' AND instr(lower(${name}), lower(?1)) > 0`)
    .map((test) => `(${test})`)
    .join(' OR ') || '0';

const SIGNS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' };

function conditionSql({ field, operator, values }: Condition): { sql: string; params: unknown[] } {
  const column = quote(field);
  switch (operator) {
    case 'contains':
      return { sql: `instr(${column}, ?) > 0`, params: values };
    case 'ne':
      return { sql: `${column} IS NOT ?`, params: values };
    case 'in':
      return { sql: `${column} IN (${values.map(() => '?').join(', ')})`, params: values };
    case 'empty':
      return { sql: `${column} IS NULL OR ${column} = ''`, params: [] };
    case 'filled':
      return { sql: `${column} IS NOT NULL AND ${column} <> ''`, params: [] };
    case 'range': {
      const bounds = [`${column} >= ?`, `${column} <= ?`].filter((_, at) => values[at] !== null);
      return { sql: bounds.join(' AND '), params: values.filter((value) => value !== null) };
    }
    default:
      return { sql: `${column} ${SIGNS[operator]} ?`, params: values };
  }
}
