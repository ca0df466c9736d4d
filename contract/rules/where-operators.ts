/** The operators of a `where` query. */
export const WHERE_OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'exists'] as const;

/** Characters of a text by which an index tells texts apart. */
export const MAX_INDEXED_CHARACTERS = 300;

/** Whether an index of a field can find the records for which this is true. */
export function canUseIndex(operator: string, operand: unknown): boolean {
  switch (operator) {
    case 'eq':
    case 'in':
      return true;
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return typeof operand !== 'string' || operand.length <= MAX_INDEXED_CHARACTERS;
    default:
      return false;
  }
}
