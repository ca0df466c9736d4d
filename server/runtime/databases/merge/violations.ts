import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import type { Broken } from './tasks.ts';

/** Says what a merge would break. The messages are SQLite's own. */
export function toSentence({ kind, of, parent = '', count = 0, message }: Broken): Text {
  switch (kind) {
    case 'reference':
      return phrase(
        '{count|A row|{count} rows} of {table} would refer to {count|a row|rows} of {parent} that {count|is|are} not there. Merge both tables, or decide which rows stay.',
        { count, table: of, parent },
      );
    case 'rows':
      return phrase('The merged rows of {table} break a rule of the table: {message}', {
        table: of,
        message,
      });
    case 'table':
      return phrase('The merged table {table} cannot be made: {message}', { table: of, message });
    case 'index':
      return phrase('The index {name} cannot be made on the merged rows: {message}', { name: of, message });
    case 'view':
      return phrase('The view {name} cannot be made: {message}', { name: of, message });
    case 'trigger':
      return phrase('The trigger {name} cannot be made: {message}', { name: of, message });
    case 'virtual':
      return phrase(
        'The virtual table {table} cannot be merged. Leave it out, and fill it again afterwards.',
        { table: of },
      );
    case 'migration':
      return phrase('The migration {name} cannot be applied: {message}', { name: of, message });
    case 'damage':
      return phrase('The merged database would be damaged: {message}', { message });
  }
}
