import { signal } from '@preact/signals';
import type { Fault } from '../../../editor/index.tsx';
import type { PreviewDocument } from './bundle.ts';
import type { Level, Report } from './reports.ts';
import { placeInDocument } from './scripts.ts';

/** A message of the previewed page, with the place in one of its files if there is one. */
export interface ConsoleEntry {
  level: Level;
  text: string;
  path?: string;
  line?: number;
  column?: number;
  /** How often it came in a row. */
  count: number;
}

/** What was shown: the path of the document, of the files that were sent with it, and its inline scripts. */
export interface Source extends Pick<PreviewDocument, 'paths' | 'scripts'> {
  path: string;
}

/** The oldest are left out. */
const MAX_ENTRIES = 300;

/** What the previewed page has logged, and what failed in it. */
export class PreviewConsole {
  readonly entries = signal<readonly ConsoleEntry[]>([]);

  add(reports: readonly Report[], source: Source): void {
    const entries = [...this.entries.peek()];
    for (const report of reports) {
      const { level, text } = report;
      const entry: ConsoleEntry = { level, text, ...locateReport(report, source), count: 1 };
      const last = entries.at(-1);
      if (last && isSame(last, entry)) entries[entries.length - 1] = { ...last, count: last.count + 1 };
      else entries.push(entry);
    }
    this.entries.value = entries.slice(-MAX_ENTRIES);
  }

  clear = () => {
    this.entries.value = [];
  };

  /** The errors with a place, by path, to mark their lines. */
  faults(): Map<string, Fault[]> {
    const found = new Map<string, Fault[]>();
    for (const { level, text, path, line, column } of this.entries.value) {
      if (level !== 'error' || path === undefined || line === undefined) continue;
      const fault: Fault = { line, message: text, severity: 'error', ...(column && { column }) };
      found.set(path, [...(found.get(path) ?? []), fault]);
    }
    return found;
  }
}

function locateReport({ file, script, line, column }: Report, { path, paths, scripts }: Source) {
  if (line === undefined) return undefined;
  const start = script === undefined ? undefined : scripts[script];
  if (start) return { path, ...placeInDocument(start, line, column) };
  const named = file === undefined ? undefined : paths[file];
  return named === undefined ? undefined : { path: named, line, ...(column !== undefined && { column }) };
}

const isSame = (a: ConsoleEntry, b: ConsoleEntry) =>
  a.level === b.level && a.text === b.text && a.path === b.path && a.line === b.line;
