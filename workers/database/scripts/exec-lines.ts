import { statements } from '../../../contract/rules/sql-statements.ts';
import { isIncomplete, isSyntaxError } from '../../workerd-messages.ts';
import { CodedError } from '../failures.ts';
import { QuotaError } from '../quota/quota.ts';

interface Statement {
  sql: string;
}

/**
 * Runs the lines of `exec`. In D1 every line is whole: it has one or more statements, and its last one needs no semicolon.
 * People also write statements of several lines, which D1 refuses. So if the lines fail, which leaves nothing behind, the
 * same text is read as a script, where only semicolons end statements.
 */
export async function runLines<T>(
  lines: string[],
  run: (queries: Statement[]) => T | Promise<T>,
): Promise<T> {
  const whole = readStatements([lines.join('\n')]);
  const single = readStatements(lines);
  if (isSame(whole, single)) return run(whole);
  try {
    return await run(single);
  } catch (error) {
    if (error instanceof QuotaError || error instanceof CodedError) throw error;
    try {
      return await run(whole);
    } catch (later) {
      // The text was meant as it could be parsed, so that error says what is wrong.
      throw isSyntaxError(later) && !isIncomplete(error) ? error : later;
    }
  }
}

function readStatements(texts: string[]): Statement[] {
  return texts.flatMap((text) => [...statements(text)].map((sql) => ({ sql })));
}

const isSame = (one: Statement[], other: Statement[]) =>
  one.length === other.length && one.every(({ sql }, index) => sql === other[index]?.sql);
