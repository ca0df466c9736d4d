import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import type { Editor } from '../../editor/index.tsx';
import { type QueryResult, runSql } from '../api.ts';
import { forget, keepTyped, readHistory, readTyped, remember } from './history.ts';
import {
  chosenStatements,
  findWarnings,
  type PlacedStatement,
  placedStatements,
  placeOfError,
  sayError,
  statementAt,
} from './script.ts';

export interface Outcome {
  number: number;
  statement: string;
  answer?: QueryResult;
  failure?: Error;
}

/** The state of a SQL console: its text, what it runs, and the results. */
export function useConsole(slug: string) {
  const [history, setHistory] = useState(() => readHistory(slug));
  const [text, setText] = useState(
    () => readTyped(slug) ?? history[0] ?? 'SELECT name, type FROM sqlite_master;',
  );
  const [outcomes, setOutcomes] = useState<Outcome[]>([]);
  /** Statements that destroy data and wait for confirmation. */
  const [asking, setAsking] = useState<{ chosen: PlacedStatement[]; warnings: string[] }>();
  const [isRunning, setRunning] = useState(false);
  const editor = useRef<Editor>(undefined);
  // The editor may have newer text than `text`: its change event comes later.
  const current = () => editor.current?.text() ?? text;

  const send = async (chosen: PlacedStatement[]) => {
    setRunning(true);
    setOutcomes([]);
    editor.current?.mark([]);
    setHistory(remember(slug, chosen.map(({ sql }) => sql).join(';\n')));
    const typed = current();
    await runEach(slug, chosen, setOutcomes, (placed, { message }) => {
      editor.current?.showFaults([{ ...placeOfError(typed, placed, message), message }]);
      return new Error(sayError(typed, placed, message));
    });
    setRunning(false);
  };
  const start = async (chosen: PlacedStatement[]) => {
    if (isRunning || asking || chosen.length === 0) return;
    const warnings = findWarnings(chosen);
    if (warnings.length > 0) setAsking({ chosen, warnings });
    else await send(chosen);
  };
  const attach = (ready: Editor) => {
    editor.current = ready;
  };
  const selection = () => editor.current?.selection() ?? { from: 0, to: 0 };
  return {
    ...{ text, history, outcomes, asking, isRunning },
    count: placedStatements(text).length,
    run: () => start(chosenStatements(current(), selection())),
    runCurrent() {
      const at = statementAt(placedStatements(current()), selection().from);
      return start(at ? [at] : []);
    },
    change(typed: string) {
      setText(typed);
      keepTyped(slug, typed);
    },
    confirm: () => void (asking && send(asking.chosen)),
    cancel: () => setAsking(undefined),
    pick(sql: string) {
      editor.current?.setText(sql);
      editor.current?.focus();
    },
    clearHistory: () => setHistory(forget(slug)),
    attach,
  };
}

/** Runs the statements in order, until one fails. `onError` gets what SQLite refused, and says it with its place. */
async function runEach(
  slug: string,
  chosen: PlacedStatement[],
  onOutcomes: (outcomes: Outcome[]) => void,
  onError: (placed: PlacedStatement, failure: Error) => Error,
): Promise<void> {
  const done: Outcome[] = [];
  for (const placed of chosen) {
    const outcome = await runOne(slug, placed, done.length + 1);
    const { failure } = outcome;
    const isRefused = failure instanceof ApiError && failure.status === 400;
    done.push(isRefused ? { ...outcome, failure: onError(placed, failure) } : outcome);
    onOutcomes([...done]);
    if (failure) return;
  }
}

async function runOne(slug: string, { sql }: PlacedStatement, number: number): Promise<Outcome> {
  try {
    return { number, statement: sql, answer: await runSql(slug, sql) };
  } catch (error) {
    return { number, statement: sql, failure: error as Error };
  }
}
