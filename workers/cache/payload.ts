/** A response as the runtime sends it to the cache: the text of an HTTP response. */
export interface Payload {
  status: number;
  statusText: string;
  headers: Headers;
  body: Uint8Array;
}

/** The most bytes of the status line and headers. */
export const MAX_HEAD_BYTES = 64 * 1024;

/** Headers that describe how the text was sent, or that are set anew for each match. They are not stored. */
const NOT_STORED = ['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'cf-cache-status'];

/**
 * Reads a stream to its end, because a sender whose stream is not read fails. Returns its bytes, or undefined if `reserve`
 * refused some of them.
 */
export async function readStream(
  stream: ReadableStream<Uint8Array>,
  reserve: (bytes: number) => boolean,
): Promise<Uint8Array | undefined> {
  let chunks: Uint8Array[] | undefined = [];
  let size = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!chunks || !reserve(value.byteLength)) {
      chunks = undefined;
      continue;
    }
    chunks.push(value);
    size += value.byteLength;
  }
  return chunks && join(chunks, size);
}

function join(chunks: Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** Undefined if the bytes are not a whole response, or its head is too long. */
export function parsePayload(bytes: Uint8Array): Payload | undefined {
  const end = findHeadEnd(bytes);
  if (end === undefined) return undefined;
  const [first = '', ...lines] = new TextDecoder().decode(bytes.subarray(0, end)).split('\r\n');
  const [, status, statusText = ''] = /^HTTP\/1\.\d ([2-5]\d\d) ?(.*)$/.exec(first) ?? [];
  if (status === undefined) return undefined;
  const body = bytes.subarray(end + 4);
  try {
    const headers = new Headers(lines.map(splitHeader));
    const length = headers.get('content-length');
    if (length !== null && Number(length) !== body.byteLength) return undefined;
    for (const name of NOT_STORED) headers.delete(name);
    return { status: Number(status), statusText, headers, body };
  } catch {
    // A header that is not valid.
    return undefined;
  }
}

function splitHeader(line: string): [name: string, value: string] {
  const at = line.indexOf(':');
  return [line.slice(0, at), line.slice(at + 1).trim()];
}

/** Where the empty line after the headers begins. */
function findHeadEnd(bytes: Uint8Array): number | undefined {
  const last = Math.min(bytes.byteLength - 4, MAX_HEAD_BYTES);
  for (let at = 0; at <= last; at++) {
    if (bytes[at] === 13 && bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  }
  return undefined;
}
