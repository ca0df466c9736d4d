import { parseShallow } from './shallow.ts';

/** Bytes of a function's response that we wait for. A function may never end its response. */
const MAX_BYTES = 1024 * 1024;

/** Reads the response of a function. */
export async function readFunctionResponse(response: Response): Promise<Record<string, unknown>> {
  const contentType = response.headers.get('content-type');
  const { bytes, missing } = await readUpTo(response, MAX_BYTES);
  const text = decode(bytes, missing !== undefined);
  const note = text === undefined ? `These are ${bytes.length} bytes that are not text.` : missing;
  const body = text !== undefined && !missing ? parseShallow(text) : (text ?? null);
  return { status: response.status, contentType, body, ...(note && { note }) };
}

function decode(bytes: Uint8Array, isPart: boolean): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isPart });
  } catch {
    return undefined;
  }
}

async function readUpTo(
  response: Response,
  limit: number,
): Promise<{ bytes: Uint8Array; missing: string | undefined }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let missing: string | undefined;
  const reader = response.body?.getReader();
  try {
    while (reader && size <= limit) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.length;
    }
  } catch {
    // The owner's log has the reason why the response ended early.
    missing = 'The function ended its response here, before it was complete.';
  }
  if (size > limit) {
    missing = `The response is longer than ${limit.toLocaleString('en')} bytes. The rest was not read.`;
    await reader?.cancel();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit), missing };
}
