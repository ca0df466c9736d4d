import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { recordEndpoints } from '../../contract/data/endpoints.ts';
import { BATCH_BODY_LIMIT } from '../../contract/data/records.ts';
import { withoutOperation } from '../../contract/errors.ts';
import { MAX_BATCH } from '../../contract/rules/limits.ts';
import { type Api, ApiError } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { lines } from '../lines.ts';
import { count } from '../terminal/amounts.ts';
import type { Output } from '../terminal/output.ts';
import { CommandError, EXIT } from '../usage.ts';
import { findData, type PageData } from './records.ts';

/** The body holds more than the lines. */
const MAX_BATCH_BYTES = (3 / 4) * BATCH_BODY_LIMIT;
const MAX_SHOWN = 20;
/** Errors that concern one record and not the whole batch. */
const RECORD_STATUSES = [400, 413, 422];

export interface Imported {
  collection: string;
  imported: number;
  failed: Array<{ line: number; error: string }>;
}

export const dataImport: Command = {
  name: 'data import',
  usage: '<page> <collection> <file|->',
  args: [3, 3],
  summary: 'import records from NDJSON into a collection',
  options: {
    'any-collection': {
      type: 'boolean',
      summary: 'also import records that were exported from another collection',
    },
    ...SERVER_OPTION,
  },
  notes: `Each line is a record as written by quire data export, of which only data is imported, or the data itself. Lines that
are rejected are listed at the end. Importing a file twice adds its records twice.`,
  async run(call) {
    const api = await connect(call);
    const [page = '', collection = '', file = ''] = call.args;
    const data = await findData(api, page);
    const takesAny = call.flag('any-collection');
    const imported = await importFile(api, { data, collection, file, takesAny }, call.out);
    call.out.done(imported, `Added ${count(imported.imported, 'record')} to ${collection}.`);
    if (imported.failed.length === 0) return;
    sayFailed(imported, file, call.out);
    call.exitWith(EXIT.failed);
  },
};

export function sayFailed({ failed }: Imported, file: string, out: Output): void {
  const name = file === '-' ? 'standard input' : file;
  for (const { line, error } of failed.slice(0, MAX_SHOWN)) out.error(`${name}:${line}: ${error}`);
  if (failed.length > MAX_SHOWN) out.error(`… and ${count(failed.length - MAX_SHOWN, 'more line')}`);
  out.error(`Not imported: ${count(failed.length, 'line')}.`);
}

interface Source {
  data: PageData;
  collection: string;
  file: string;
  takesAny: boolean;
}

/** Imports a file in batches. A rejected record does not affect the others. */
export async function importFile(api: Api, source: Source, out: Output): Promise<Imported> {
  const { file, collection } = source;
  const size = file === '-' ? undefined : await readSize(file);
  const result: Imported = { collection, imported: 0, failed: [] };
  const progress = out.progress(`importing ${collection}`, size);
  let batch: Item[] = [];
  let batchBytes = 0;
  const flush = async () => {
    await sendBatch(api, source, batch, result);
    batch = [];
    batchBytes = 0;
  };
  try {
    for await (const { text, number, bytes } of lines(
      file === '-' ? process.stdin : createReadStream(file),
    )) {
      if (text.trim() === '') continue;
      const item = parseLine(text, number, source);
      if ('error' in item) {
        result.failed.push(item);
        continue;
      }
      const itemBytes = Buffer.byteLength(text);
      if (batch.length === MAX_BATCH || batchBytes + itemBytes > MAX_BATCH_BYTES) await flush();
      batch.push(item);
      batchBytes += itemBytes;
      progress.at(bytes, count(result.imported, 'record'));
    }
    await flush();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const said = `${error.message}\n${count(result.imported, 'record')} had already been added to ${collection}.`;
    throw new CommandError(said, error.exitCode, { ...error.details, ...result });
  } finally {
    progress.end();
  }
  result.failed.sort((a, b) => a.line - b.line);
  return result;
}

interface Item {
  line: number;
  data: unknown;
}

function parseLine(
  text: string,
  line: number,
  { collection, takesAny }: Source,
): Item | { line: number; error: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { line, error: 'This is not JSON.' };
  }
  if (!isExported(value)) return { line, data: value };
  if (value.collection === collection || takesAny) return { line, data: value.data };
  return {
    line,
    error: `This is a record of the collection ${value.collection}. To import it anyway, add --any-collection.`,
  };
}

/** True if a line is an exported record, and not just its data. */
function isExported(value: unknown): value is { collection: string; data: object } {
  if (typeof value !== 'object' || value === null) return false;
  const { id, collection, data, createdAt } = value as Record<string, unknown>;
  return [id, collection, createdAt].every((field) => typeof field === 'string') && typeof data === 'object';
}

/** Sends a batch, and again without a record that is rejected. A batch that is too large is split in half. */
async function sendBatch(api: Api, source: Source, batch: Item[], result: Imported): Promise<void> {
  let left = batch;
  while (left.length > 0) {
    try {
      const operations = left.map(({ data }) => ({ op: 'create' as const, data }));
      await api.call(recordEndpoints[source.data.type].batchRecords, {
        params: { id: source.data.page, collection: source.collection },
        body: { operations },
      });
      result.imported += left.length;
      return;
    } catch (error) {
      const index =
        error instanceof ApiError && RECORD_STATUSES.includes(error.status) ? error.body.index : undefined;
      const refused = typeof index === 'number' ? left[index] : undefined;
      if (!refused && left.length > 1 && isTooMuch(error)) {
        const half = Math.ceil(left.length / 2);
        await sendBatch(api, source, left.slice(0, half), result);
        left = left.slice(half);
        continue;
      }
      if (typeof index !== 'number' || !refused) throw error;
      const message = withoutOperation((error as Error).message, index);
      result.failed.push({ line: refused.line, error: message });
      left = left.filter((item) => item !== refused);
    }
  }
}

/** True if a body may be rejected for its size or number of values, and not because of a record. */
function isTooMuch(error: unknown): boolean {
  return error instanceof ApiError && [400, 413].includes(error.status) && error.body.index === undefined;
}

async function readSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile()) return found.size;
  throw new CommandError(`${file} does not exist.`, EXIT.notFound);
}
