import { parseJson } from '../../lib/json.ts';
import { MAX_ERROR_LENGTH, VendorFailure } from './failures.ts';

/** Fetches a vendor's response, up to a maximum number of bytes. Throws if the status is not a success. */
export async function fetchBytes(
  url: string | URL,
  init: RequestInit,
  maxBytes: number,
): Promise<Uint8Array> {
  const response = await fetch(url, init);
  if (!response.ok) {
    const { status } = response;
    throw new VendorFailure(`The vendor answered with status ${status}.`, status, await readStart(response));
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new VendorFailure(`The vendor's answer is over ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The beginning of an error, to find its reason. */
async function readStart({ body }: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_ERROR_LENGTH) break;
    }
  } catch {
    // The status says enough.
  }
  return text.slice(0, MAX_ERROR_LENGTH);
}

export async function fetchJson(url: string | URL, init: RequestInit, maxBytes: number): Promise<unknown> {
  const bytes = await fetchBytes(url, init, maxBytes);
  try {
    return parseJson(bytes, { rounds: true });
  } catch (error) {
    throw new VendorFailure(`The vendor's answer ${(error as Error).message}.`);
  }
}
