import { UPLOAD_LIMIT } from '../../../../contract/pages/files/files.ts';
import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import { ExternalFetchError, type FetchExternal } from '../../../runtime/egress/index.ts';

const FETCH_MS = 60_000;
const ACCEPT = 'application/zip, application/gzip, text/html;q=0.9, */*;q=0.5';

/** Writes what is at an address to a file. Returns the name of what it is. */
export async function fetchAddress(
  fetchExternal: FetchExternal,
  address: string,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const url = toArchiveAddress(address);
  const file = Bun.file(path).writer();
  let size = 0;
  try {
    const { status, contentType } = await fetchExternal(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]),
      maxBytes: UPLOAD_LIMIT,
      accept: ACCEPT,
      onChunk(chunk) {
        size += chunk.byteLength;
        file.write(chunk);
      },
    });
    if (status !== 200) throw notRead(phrase('it was answered with status {status}', { status }));
    if (size === 0) throw notRead(phrase('it has no content'));
    return nameFor(url, contentType);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof ExternalFetchError) throw notRead(REASONS[error.reason]);
    throw notRead(phrase('it did not answer in time, or broke off'));
  } finally {
    await file.end();
  }
}

const REASONS: Record<ExternalFetchError['reason'], Text> = {
  'not http': phrase('it is not an http or https address'),
  'not reached': phrase('it is not a public address, or it does not answer'),
  'too large': phrase('it is larger than {max} bytes', { max: UPLOAD_LIMIT }),
  'too many redirects': phrase('it redirects too often'),
};

const notRead = (why: Text) => new AppError('BAD_REQUEST', 'The address cannot be imported: {why}.', { why });

/** A repository's address as that of its newest archive. Other addresses stay as they are. */
function toArchiveAddress(address: string): string {
  const url = URL.parse(address.trim());
  if (!url) return address;
  const [owner = '', repository = '', kind, ...rest] = url.pathname.split('/').filter(Boolean);
  const name = repository.replace(/\.git$/, '');
  if (!owner || !name || (kind !== undefined && kind !== 'tree' && kind !== '-')) return url.href;
  if (/^(?:www\.)?github\.com$/.test(url.hostname)) {
    const branch = kind === 'tree' && rest.length > 0 ? rest.join('/') : 'HEAD';
    return `https://github.com/${owner}/${name}/archive/${branch}.tar.gz`;
  }
  if (url.hostname === 'gitlab.com') {
    const branch = kind === '-' && rest[0] === 'tree' && rest.length > 1 ? rest.slice(1).join('/') : 'HEAD';
    return `https://gitlab.com/${owner}/${name}/-/archive/${branch}/${name}.tar.gz`;
  }
  return url.href;
}

/** The name of what is at an address. A page is one document, whatever its address ends with. */
function nameFor(address: string, contentType: string): string {
  const url = new URL(address);
  const parts = url.pathname.split('/').filter(Boolean);
  if (/^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return 'index.html';
  const isRepository = parts.includes('archive') && parts[1] !== undefined;
  const last = (isRepository ? parts[1] : parts.at(-1)) ?? url.hostname;
  try {
    return decodeURIComponent(last).replaceAll('/', '-');
  } catch {
    return 'import';
  }
}
