import type { FieldSchema } from '../../../../contract/data/collection-schema.ts';
import { compilePattern } from '../../../../contract/rules/pattern.ts';
import { isObject } from '../../../../contract/rules/record-data.ts';

export { findFaults } from '../../../../contract/data/record-faults.ts';

import { t } from '../../../texts/index.ts';

/**
 * The first part of a schema that records cannot be checked with. A schema can be checked while it is edited, before
 * the service has accepted it.
 */
export function gapIn(fields: Record<string, FieldSchema>, prefix = ''): string | undefined {
  for (const [name, field] of Object.entries(fields)) {
    const path = `${prefix}${name}`;
    const gap = isObject(field) ? findGap(field, path) : t('{path} is not an object', { path });
    if (gap) return gap;
  }
  return undefined;
}

function findGap(field: FieldSchema, path: string): string | undefined {
  switch (field.type) {
    case 'string':
      return field.pattern === undefined || isPattern(field.pattern)
        ? undefined
        : t('{path} has a pattern that cannot be used', { path });
    case 'enum':
      return Array.isArray(field.values) ? undefined : t('{path} has no list of values', { path });
    case 'array':
      return field.items && gapIn({ items: field.items }, `${path}.`);
    case 'object':
      return field.properties && gapIn(field.properties, `${path}.`);
    case 'number':
    case 'boolean':
    case 'date':
      return undefined;
    default:
      return t('{path} has no known type', { path });
  }
}

const isPattern = (pattern: unknown) => typeof pattern === 'string' && compilePattern(pattern) !== undefined;
