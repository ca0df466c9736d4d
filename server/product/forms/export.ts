import { toStream } from '../../lib/streams.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Actor, attachment } from '../../platform/http/index.ts';
import type { FormsContext } from './context.ts';
import { type Fields, parseFields } from './fields.ts';
import { findPage, type MessageWithFiles } from './inbox.ts';
import { readInBatches } from './read-in-batches.ts';

/** Columns of fields in the CSV. Anyone can make up names, so further fields share one column. */
export const MAX_COLUMNS = 100;

/** All messages of a form as CSV (RFC 4180), oldest first. */
export async function exportMessages(
  context: FormsContext,
  asked: { idOrSlug: string; form: string; actor: Actor },
): Promise<Response> {
  const page = await findPage(context, asked.idOrSlug, asked.actor);
  const lines = csvLines(() => readInBatches(context.db, { pageId: page.id, form: asked.form }));
  return new Response(toStream(lines), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': attachment(`${page.slug}-${asked.form}.csv`),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    },
  });
}

/** Reads the messages twice: the columns are known only when all have been seen. */
async function* csvLines(
  read: () => AsyncIterable<MessageWithFiles[]>,
): AsyncGenerator<Uint8Array, void, void> {
  const columns = new Set<string>();
  let hasOther = false;
  for await (const batch of read()) {
    for (const name of batch.flatMap((message) => Object.keys(parseFields(message)))) {
      if (columns.size < MAX_COLUMNS) columns.add(name);
      else hasOther ||= !columns.has(name);
    }
  }
  const names = [...columns];
  const encoder = new TextEncoder();
  const head = ['id', 'createdAt', 'isRead', ...names, ...(hasOther ? ['other fields'] : []), 'files'];
  yield encoder.encode(toLine(head));
  for await (const batch of read()) {
    const lines = batch.map((message) => {
      const fields = parseFields(message);
      const other = hasOther ? [otherFields(fields, columns)] : [];
      return toLine([
        message.id,
        toTimestamp(message.created_at),
        message.is_read === 1 ? 'true' : 'false',
        ...names.map((name) => (Object.hasOwn(fields, name) ? joinValues(fields[name]) : '')),
        ...other,
        message.files.map(({ name }) => name).join('; '),
      ]);
    });
    yield encoder.encode(lines.join(''));
  }
}

const joinValues = (value: string | string[] | undefined) =>
  Array.isArray(value) ? value.join('; ') : (value ?? '');

function otherFields(fields: Fields, columns: Set<string>): string {
  const other = Object.entries(fields).filter(([name]) => !columns.has(name));
  return other.length > 0 ? JSON.stringify(Object.fromEntries(other)) : '';
}

const toLine = (cells: string[]) => `${cells.map(toCell).join(',')}\r\n`;

/** A text as a CSV cell. Visitors write it, and spreadsheets run text that starts like a formula. */
function toCell(text: string): string {
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
