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
  let from = 0;
  let statement = 0;
  for (const { text, at } of placedStatements(script)) {
    line += countLines(script, from, at);
    from = at;
    yield { text, statement: ++statement, line, column: at - script.lastIndexOf('\n', at - 1) };
  }
}

function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
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
