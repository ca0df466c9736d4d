/** What a previewed document reports. It is not trusted: everything is checked and bounded. */

export const LEVELS = ['error', 'warn', 'info', 'log', 'debug', 'request'] as const;
export type Level = (typeof LEVELS)[number];

/** A message at a place of an inline script, of one of the files that were sent with the document, or of neither. */
export interface Report {
  level: Level;
  text: string;
  /** The index of a file. */
  file?: number;
  /** The index of an inline script. */
  script?: number;
  line?: number;
  column?: number;
}

const MAX_AT_ONCE = 100;
const MAX_TEXT = 2_000;
const MAX_NUMBER = 10_000_000;

/** The reports in a message of the frame. */
export function readReports(message: unknown): Report[] {
  const list = (message as { console?: unknown } | null | undefined)?.console;
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_AT_ONCE).flatMap((each: unknown) => {
    const { level, text, file, script, line, column } = (each ?? {}) as Record<string, unknown>;
    if (!isLevel(level) || typeof text !== 'string') return [];
    const report: Report = { level, text: text.slice(0, MAX_TEXT) };
    const place = isIndex(file, 0) ? { file } : isIndex(script, 0) && { script };
    if (!place || !isIndex(line, 1)) return [report];
    return [{ ...report, ...place, line, ...(isIndex(column, 1) && { column }) }];
  });
}

const isLevel = (value: unknown): value is Level => (LEVELS as readonly unknown[]).includes(value);

const isIndex = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= MAX_NUMBER;
