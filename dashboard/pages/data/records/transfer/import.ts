import type { ApiError } from '../../../../api.ts';
import { t } from '../../../../texts/index.ts';
import { type CollectionTarget, type Data, isObject } from '../../api.ts';
import { runAll } from '../bulk/batches.ts';

export interface Line {
  /** Counts from 1: the line of NDJSON, or the item of a JSON array. */
  number: number;
  data: Data;
}

export interface RefusedLine {
  number: number;
  reason: string;
}

export interface ReadFile {
  lines: Line[];
  refused: RefusedLine[];
}

/** Reads NDJSON, a JSON array, or one object. */
export function readLines(text: string): ReadFile {
  const whole = tryJson(text);
  if (whole !== undefined)
    return sortOut(toList(whole).map((value, index) => ({ number: index + 1, value })));
  const lines = text.split('\n').map((line, index) => ({ number: index + 1, line: line.trim() }));
  return sortOut(
    lines.filter(({ line }) => line !== '').map(({ number, line }) => ({ number, value: tryJson(line) })),
  );
}

/** Creates a record from each line and reports the lines that were refused. */
export async function importLines(
  target: CollectionTarget,
  lines: Line[],
  options: {
    isCanceled: () => boolean;
    onProgress: (done: number) => void;
    onRefused: (refusal: RefusedLine) => void;
  },
): Promise<void> {
  const items = lines.map(({ number, data }) => ({
    operation: { op: 'create' as const, data },
    onRefused: (_: ApiError, reason: string) => options.onRefused({ number, reason }),
  }));
  await runAll(target, items, options);
}

function sortOut(items: Array<{ number: number; value: unknown }>): ReadFile {
  const read: ReadFile = { lines: [], refused: [] };
  for (const { number, value } of items) {
    const data = readData(value);
    if (data) read.lines.push({ number, data });
    else
      read.refused.push({
        number,
        reason: value === undefined ? t('is not valid JSON') : t('is not a JSON object'),
      });
  }
  return read;
}

const toList = (whole: unknown): unknown[] => (Array.isArray(whole) ? whole : [whole]);

/** In our own export the record's data is a field of the line. In other files the line itself is the data. */
function readData(value: unknown): Data | undefined {
  if (!isObject(value)) return undefined;
  const isExported = ['id', 'createdAt', 'updatedAt'].every((name) => typeof value[name] === 'string');
  return isExported && isObject(value.data) ? value.data : value;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
