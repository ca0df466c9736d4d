import { placedStatements } from '../../../contract/rules/sql-statements.ts';
import { describeFailure } from '../failures.ts';

/** A statement of a script, its number, and where it begins. All count from 1. */
export interface PlacedStatement {
  text: string;
  statement: number;
  line: number;
  column: number;
}

/** The statements of a script, in time proportional to its length. */
export function* placeStatements(script: string): Generator<PlacedStatement> {
  let line = 1;
  let lineStart = 0;
  let lineEnd = script.indexOf('\n');
  let statement = 0;
  for (const { text, at } of placedStatements(script)) {
    // The ends of a line are looked for once, because a line can have all the statements.
    while (lineEnd >= 0 && lineEnd < at) {
      line++;
      lineStart = lineEnd + 1;
      lineEnd = script.indexOf('\n', lineStart);
    }
    yield { text, statement: ++statement, line, column: at - lineStart + 1 };
  }
}

/** The code at the end of what SQLite says, which clients read. */
const CODE = /: SQLITE_[A-Z_]+(?: \(extended: \w+\))?$/;

/** Does something with a statement of a script. An error of SQLite then says which one it was. */
export function atPlace<T>({ statement, line }: Omit<PlacedStatement, 'text' | 'column'>, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const text = error instanceof Error && error.constructor === Error ? describeFailure(error) : '';
    const code = CODE.exec(text);
    if (!code) throw error;
    throw new Error(`${text.slice(0, code.index)} (statement ${statement}, line ${line})${code[0]}`);
  }
}
