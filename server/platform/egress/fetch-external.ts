import { request } from 'node:http';
import { join } from 'node:path';

const MAX_REDIRECTS = 5;

/** Why something outside could not be had. */
export class OutsideError extends Error {}

export interface OutsideAnswer {
  status: number;
  contentType: string;
  bytes: Uint8Array;
}

/**
 * Reads an address that somebody else named, through the egress, as cells do: only public addresses, looked up and
 * checked there, at every redirect anew.
 */
export async function readOutside(
  egressFolder: string,
  address: string,
  options: { signal: AbortSignal; maxBytes: number; accept: string },
): Promise<OutsideAnswer> {
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const { location, ...answer } = await readOnce(egressFolder, toHttpUrl(url), options);
    if (location === undefined) return answer;
    url = URL.parse(location, url)?.href ?? '';
  }
  throw new OutsideError(`it leads on more than ${MAX_REDIRECTS} times`);
}

function toHttpUrl(address: string): URL {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new OutsideError('it is no http or https address');
  }
  return url;
}

function readOnce(
  egressFolder: string,
  url: URL,
  { signal, maxBytes, accept }: { signal: AbortSignal; maxBytes: number; accept: string },
): Promise<OutsideAnswer & { location: string | undefined }> {
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        socketPath: join(egressFolder, 'http'),
        // The whole address, as one asks a proxy.
        path: url.href.replace(url.hash, ''),
        headers: { host: url.host, accept, 'user-agent': 'Quire', 'accept-encoding': 'identity' },
        signal,
      },
      (response) => {
        const { statusCode: status = 0, headers } = response;
        const isRedirect = status >= 300 && status < 400 && headers.location !== undefined;
        if (headers['x-quire-unreached'] !== undefined) {
          response.destroy();
          return reject(new OutsideError('it is not a public address, or it does not answer'));
        }
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (isRedirect) return;
          if (size > maxBytes) {
            response.destroy();
            reject(new OutsideError(`it is larger than ${maxBytes.toLocaleString('en')} bytes`));
          } else {
            chunks.push(chunk);
          }
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status,
            contentType: headers['content-type'] ?? '',
            bytes: Buffer.concat(chunks),
            location: isRedirect ? headers.location : undefined,
          }),
        );
      },
    );
    asking.on('error', reject);
    asking.end();
  });
}
