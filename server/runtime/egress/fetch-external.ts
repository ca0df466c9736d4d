import { request } from 'node:http';
import { join } from 'node:path';
import { EGRESS_HEADERS } from '../../../workers/protocol.ts';
import type { Egress } from './egress.ts';

const MAX_REDIRECTS = 5;

export interface ExternalRequest {
  signal: AbortSignal;
  maxBytes: number;
  accept: string;
  /** How many redirects are followed, if not the default. */
  maxRedirects?: number;
  /** Gets the body of a response with status 200 piece by piece. `bytes` is then empty, whatever the status. */
  onChunk?: ((chunk: Uint8Array) => void) | undefined;
  /** Sends this with POST. Of the response, only the status is read. */
  post?: { body: string; headers: Record<string, string> };
}

type ExternalFetchReason = 'not http' | 'not reached' | 'too large' | 'too many redirects';

/** Thrown when a URL could not be fetched. The message continues a sentence: it says why. */
export class ExternalFetchError extends Error {
  private constructor(
    readonly reason: ExternalFetchReason,
    message: string,
  ) {
    super(message);
  }

  static notHttp(): ExternalFetchError {
    return new ExternalFetchError('not http', 'it is not an http or https address');
  }

  static notReached(): ExternalFetchError {
    return new ExternalFetchError('not reached', 'it is not a public address, or it does not answer');
  }

  static tooLarge(maxBytes: number): ExternalFetchError {
    return new ExternalFetchError('too large', `it is larger than ${maxBytes.toLocaleString('en')} bytes`);
  }

  static tooManyRedirects(most: number): ExternalFetchError {
    const message = most === 0 ? 'it redirects' : `it redirects more than ${most} times`;
    return new ExternalFetchError('too many redirects', message);
  }
}

export interface ExternalResponse {
  status: number;
  contentType: string;
  bytes: Uint8Array;
}

/**
 * Fetches a URL that a user provided. Uses the egress, as cells do. Only public addresses are allowed, and every
 * redirect is checked again.
 */
export type FetchExternal = (address: string, options: ExternalRequest) => Promise<ExternalResponse>;

export function createFetchExternal(egress: Pick<Egress, 'ready' | 'folder'>): FetchExternal {
  return async (address, options) => {
    await egress.ready();
    const { maxRedirects = MAX_REDIRECTS } = options;
    let url = address;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const { location, ...answer } = await fetchOnce(egress.folder, toHttpUrl(url), options);
      if (location === undefined) return answer;
      url = URL.parse(location, url)?.href ?? '';
    }
    throw ExternalFetchError.tooManyRedirects(maxRedirects);
  };
}

function toHttpUrl(address: string): URL {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw ExternalFetchError.notHttp();
  }
  return url;
}

function fetchOnce(
  egressFolder: string,
  url: URL,
  { signal, maxBytes, accept, onChunk, post }: ExternalRequest,
): Promise<ExternalResponse & { location: string | undefined }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        socketPath: join(egressFolder, 'http'),
        // A proxy expects the full URL.
        path: url.href.replace(url.hash, ''),
        headers: { ...post?.headers, ...writeHeaders(url, accept) },
        ...(post && { method: 'POST' }),
        signal,
      },
      (response) => {
        const { statusCode: status = 0, headers } = response;
        response.on('error', reject);
        const isRedirect = status >= 300 && status < 400 && headers.location !== undefined;
        if (headers[EGRESS_HEADERS.neverSent] !== undefined) {
          response.destroy();
          return reject(ExternalFetchError.notReached());
        }
        const answer = {
          status,
          contentType: headers['content-type'] ?? '',
          location: isRedirect ? headers.location : undefined,
        };
        // Bodies of redirects and errors are not read: they may have no end.
        if (isRedirect || post || (onChunk && status !== 200)) {
          response.destroy();
          return resolve({ ...answer, bytes: new Uint8Array() });
        }
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxBytes) {
            response.destroy();
            reject(ExternalFetchError.tooLarge(maxBytes));
          } else if (onChunk) {
            try {
              onChunk(chunk);
            } catch (error) {
              response.destroy();
              reject(error);
            }
          } else {
            chunks.push(chunk);
          }
        });
        response.on('end', () => resolve({ ...answer, bytes: Buffer.concat(chunks) }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(post?.body);
  });
}

const writeHeaders = (url: URL, accept: string) => ({
  host: url.host,
  accept,
  'user-agent': 'Quire',
  'accept-encoding': 'identity',
});
