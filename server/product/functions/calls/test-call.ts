import type { TestedCall } from '../../../../contract/functions/functions.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { CellAnswer } from '../../../runtime/cells/index.ts';
import type { Trace } from '../logs/traces.ts';
import { type Failure, fail } from './failures.ts';
import { sandboxedHeaders } from './headers.ts';

/** Bytes of the body that are read. */
const MAX_TESTED_BYTES = 1024 * 1024;
/** How long the body is read. */
const MAX_TESTED_MS = 30_000;

type TestedAnswer = Pick<TestedCall, 'status' | 'headers' | 'body' | 'bodyBase64' | 'bodyTruncated'>;

/** The part of the result that callers of the function get. */
export async function toAnswer(result: CellAnswer): Promise<TestedAnswer> {
  const { bytes, isCut } = await readSome(result, MAX_TESTED_BYTES);
  return {
    status: result.status,
    headers: sandboxedHeaders(result.headers, result.status),
    ...toBody(bytes, isCut),
    bodyTruncated: isCut,
  };
}

/** The part of the result for callers if the function has no response. */
export async function toFailedAnswer(failure: Failure): Promise<TestedAnswer> {
  const response = fail(failure);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
    bodyBase64: null,
    bodyTruncated: false,
  };
}

/** The part of the result that only the owner sees. */
export function toInsight({ exception, entries, isCut }: Trace) {
  return {
    exception:
      exception === undefined ? null : { message: firstLine(exception), stack: ownFrames(exception) },
    logs: entries.map(({ at, kind, level, message }) => ({
      timestamp: toTimestamp(at),
      kind,
      level,
      message: ownFrames(message),
    })),
    logsTruncated: isCut,
  };
}

/** A stack without the frames of our shim. */
const ownFrames = (stack: string) => stack.replace(/\n {4}at [^\n]*quire-shim\.js:\d+:\d+\)?/g, '');
const firstLine = (text: string) => /^.*/.exec(text)?.[0] ?? '';

/** Reads a body up to a size. */
export async function readSome(
  { whole, stream }: CellAnswer,
  maxBytes: number,
): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  if (!stream) return { bytes: new Uint8Array(whole ?? []), isCut: (whole?.byteLength ?? 0) > maxBytes };
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isLate = false;
  const reader = stream.body.getReader();
  const leave = () => reader.cancel().catch(() => undefined);
  const deadline = setTimeout(() => {
    isLate = true;
    void leave();
  }, MAX_TESTED_MS);
  try {
    while (size <= maxBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.byteLength;
    }
  } catch {
    // The function ended its response early. Its log says why.
    isLate = true;
  } finally {
    clearTimeout(deadline);
    stream.done();
    void leave();
  }
  const bytes = Buffer.concat(chunks).subarray(0, maxBytes);
  return { bytes, isCut: isLate || size > maxBytes };
}

function toBody(bytes: Uint8Array, isCut: boolean): Pick<TestedCall, 'body' | 'bodyBase64'> {
  try {
    // A body that was cut may end in the middle of a character.
    const body = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
    return { body, bodyBase64: null };
  } catch {
    return { body: null, bodyBase64: Buffer.from(bytes).toString('base64') };
  }
}
