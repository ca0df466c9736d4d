import type { Condition, Filter } from '../grid/index.ts';
import { quote } from './quote.ts';

/** A filter as a WHERE clause with parameters; empty if there are no conditions. */
export function toWhere({ match, conditions }: Filter): { where: string; params: unknown[] } {
  if (conditions.length === 0) return { where: '', params: [] };
  const parts = conditions.map(conditionSql);
  const joined = parts.map(({ sql }) => `(${sql})`).join(match === 'all' ? ' AND ' : ' OR ');
  return { where: ` WHERE ${joined}`, params: parts.flatMap(({ params }) => params) };
}

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
