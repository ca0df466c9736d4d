import { isSecureUrl } from '../../../lib/host-names.ts';

/** The largest response of a provider. Usual documents have a few KB, and keys some dozens of KB. */
const MAX_BYTES = 512 * 1024;

/** The provider does not respond, or its response is not valid. */
export class ProviderUnavailableError extends Error {}

/** The options that `openid-client` passes to a custom fetch. */
interface FetchOptions {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  redirect: 'manual';
  signal?: AbortSignal | undefined;
}

/**
 * Fetches from the provider, with its whole body, within the deadline of the caller. The operator has named the
 * provider, so it can be on a private network. Without TLS it must be on this machine.
 */
export async function fetchFromProvider(url: string, options: FetchOptions): Promise<Response> {
  if (!isSecureUrl(url))
    throw new ProviderUnavailableError(`${new URL(url).origin} is not reached over https`);
  try {
    const response = await fetch(url, options as RequestInit);
    const bytes = await readWithin(response, MAX_BYTES);
    if (response.status >= 500) throw new ProviderUnavailableError(`${url} answers ${response.status}`);
    return new Response(bytes, { status: response.status, headers: withoutEncoding(response.headers) });
  } catch (error) {
    if (error instanceof ProviderUnavailableError) throw error;
    throw new ProviderUnavailableError(`${url}: ${(error as Error).message}`, { cause: error });
  }
}

async function readWithin(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new ProviderUnavailableError(`its response has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** Removes the content encoding, because the body is already decompressed. */
function withoutEncoding(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) kept.delete(name);
  return kept;
}
