import { statements } from '../../../contract/rules/sql-statements.ts';
import { t } from '../../texts/index.ts';
import { describeLoss, findOverwritten } from '../statement.ts';

/** The text of the console as statements with their places. */

export interface PlacedStatement {
  sql: string;
  /** The position of its first character in the text. */
  from: number;
}

export function placedStatements(text: string): PlacedStatement[] {
  const found: PlacedStatement[] = [];
  let at = 0;
  for (const sql of statements(text)) {
    const from = text.indexOf(sql, at);
    found.push({ sql, from });
    at = from + sql.length;
  }
  return found;
}

/** The statement at the cursor: the one it is in, otherwise the one before it. */
export function statementAt(all: PlacedStatement[], cursor: number): PlacedStatement | undefined {
  return all.findLast(({ from }) => from <= cursor) ?? all[0];
}

/** What to run: what is selected, otherwise everything. */
export function chosenStatements(
  text: string,
  { from, to }: { from: number; to: number },
): PlacedStatement[] {
  if (from === to) return placedStatements(text);
  return placedStatements(text.slice(from, to)).map(({ sql, from: at }) => ({ sql, from: from + at }));
}

/** What these statements destroy, in sentences. */
export function findWarnings(all: PlacedStatement[]): string[] {
  return all.flatMap(({ sql }) => {
    const loss = describeLoss(sql);
    if (loss) return [t('This permanently deletes {loss}.', { loss })];
    const table = findOverwritten(sql);
    return table ? [t('This changes all rows of {table}, because it has no WHERE clause.', { table })] : [];
  });
}

/**
 * Where in the text SQLite found an error. It names a byte of the statement, or something that does not exist;
 * otherwise the statement itself is the place.
 */
export function placeOfError(text: string, { sql, from }: PlacedStatement, message: string) {
  const at = from + findOffset(sql, message);
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The message with the line of the text, which people can find, instead of the byte of the statement. */
export function sayError(text: string, placed: PlacedStatement, message: string): string {
  const words = message.replace(/ at offset \d+/, '');
  if (!text.trim().includes('\n')) return words;
  return t('Line {line}: {message}', { line: placeOfError(text, placed, message).line, message: words });
}

function findOffset(sql: string, message: string): number {
  const [, bytes] = / at offset (\d+)/.exec(message) ?? [];
  if (bytes !== undefined)
    return new TextDecoder().decode(new TextEncoder().encode(sql).slice(0, Number(bytes))).length;
  const [, name] = /^no such (?:table|column|function|index|view): (?:.*\.)?(\S+)/.exec(message) ?? [];
  return name ? Math.max(0, sql.toLowerCase().indexOf(name.toLowerCase())) : 0;
}
