import type { ColumnType } from '../../../grid/index.ts';
import { isObject } from '../api.ts';

/** The names and the values of fields. */

/** True if the API can sort and filter by the field: dots mean nested fields, and other characters would need escaping. */
export const isSortable = (name: string) =>
  name !== '' && !name.includes('.') && name.length <= 200 && JSON.stringify(name) === `"${name}"`;

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

export function typeOfValue(value: unknown): ColumnType | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return 'list';
  if (isObject(value)) return 'object';
  if (typeof value === 'string') return DATE.test(value) ? 'date' : 'text';
  return typeof value === 'number' ? 'number' : 'boolean';
}
