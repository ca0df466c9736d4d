import type { Attributes, SpanKind } from './span.ts';

const OPERATION = /^\s*(select|insert|update|delete|with|begin|commit|rollback|savepoint|release)\b/i;
/** A name without quotes could be part of a text. */
const TABLE = /\b(?:from|into|update)\s+"([a-z_]{1,63})"/;
/** The table is in the first lines of a statement. */
const READ_CHARACTERS = 2_000;

/** The span of a statement: what it does and with which table. Its text and its values are not part of a trace. */
export function describeStatement(text: string): [name: string, kind: SpanKind, attributes: Attributes] {
  const read = text.slice(0, READ_CHARACTERS);
  const operation = OPERATION.exec(read)?.[1]?.toUpperCase() ?? 'other';
  const table = TABLE.exec(read)?.[1];
  const name = table === undefined ? `SQL ${operation}` : `SQL ${operation} ${table}`;
  return [
    name,
    'client',
    { 'db.operation.name': operation, ...(table !== undefined && { 'db.collection.name': table }) },
  ];
}
