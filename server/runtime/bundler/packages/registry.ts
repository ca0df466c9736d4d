import {
  ExternalFetchError,
  type ExternalRequest,
  type ExternalResponse,
  type FetchExternal,
} from '../../egress/index.ts';
import { MAX_PACKUMENT_BYTES, MAX_TARBALL_BYTES } from './limits.ts';
import { PackageError } from './package-error.ts';

export interface RegistryOptions {
  /** The registry's URL. If it is undefined, npm is asked which one it uses. */
  url: string | undefined;
  /** Fetches from public addresses only. */
  fetchExternal: FetchExternal;
}

/** The short form of a list of versions. */
const ACCEPT_LIST = 'application/vnd.npm.install-v1+json, application/json;q=0.8';
const MAX_REDIRECTS = 3;
/** A small package that every public registry has. */
const KNOWN_PACKAGE = 'ms';
/** How long npm may take to say which registry it uses. */
const NPM_MS = 10_000;

/** Reads lists of versions and packages from an npm registry. */
export class Registry {
  private url: string | undefined;

  constructor(private readonly options: RegistryOptions) {
    this.url = options.url;
  }

  /** The list of the versions of a package, as JSON. */
  async readPackument(name: string, signal: AbortSignal): Promise<Uint8Array> {
    this.url ??= await readNpmSetting();
    const url = `${this.url.replace(/\/+$/, '')}/${name.replace('/', '%2F')}`;
    const what = `the versions of ${name}`;
    return this.read(url, what, { signal, maxBytes: MAX_PACKUMENT_BYTES, accept: ACCEPT_LIST }, name);
  }

  /** Asks for a small package. Returns the registry's host; fails if it does not answer as a registry does. */
  async check(signal: AbortSignal): Promise<string> {
    await this.readPackument(KNOWN_PACKAGE, signal).catch((error: unknown) => {
      // An operator's own registry may not have this package.
      if (!(error instanceof PackageError) || error.isOurs || this.url === undefined) throw error;
    });
    return URL.parse(this.url ?? '')?.host ?? '';
  }

  /** A package, not yet checked. */
  readTarball(name: string, url: string, signal: AbortSignal): Promise<Uint8Array> {
    const options = { signal, maxBytes: MAX_TARBALL_BYTES, accept: '*/*' };
    return this.read(url, `the package ${name}`, options, name);
  }

  private async read(url: string, what: string, options: ExternalRequest, name: string): Promise<Uint8Array> {
    const { status, bytes } = await this.fetch(url, options).catch((error: unknown) => {
      const why = options.signal.aborted ? 'it took too long' : reasonOf(error);
      const isTooLarge = error instanceof ExternalFetchError && error.reason === 'too large';
      throw new PackageError(`The registry did not send ${what}: ${why}.`, !isTooLarge);
    });
    if (status === 200) return bytes;
    if ([401, 403, 404, 410, 451].includes(status))
      throw new PackageError(`The package ${name} was not found in the registry.`);
    throw new PackageError(`The registry did not send ${what}: it answered with status ${status}.`, true);
  }

  /** Fetches directly from the operator's registry, else through the egress, also after a redirect. */
  private async fetch(address: string, options: ExternalRequest): Promise<ExternalResponse> {
    let url = address;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (!this.isOwn(url)) return this.options.fetchExternal(url, options);
      const answer = await fetchDirectly(url, options);
      if (answer.location === undefined) return answer;
      url = URL.parse(answer.location, url)?.href ?? '';
    }
    throw ExternalFetchError.tooManyRedirects(MAX_REDIRECTS);
  }

  private isOwn(url: string): boolean {
    return this.url !== undefined && URL.parse(url)?.origin === new URL(this.url).origin;
  }
}

/** The registry that npm uses on this machine: the operator has installed this server from there. */
async function readNpmSetting(): Promise<string> {
  try {
    const { stdout, exited } = Bun.spawn(['npm', 'config', 'get', 'registry'], {
      stdin: 'ignore',
      stderr: 'ignore',
      timeout: NPM_MS,
    });
    const [text] = await Promise.all([new Response(stdout).text(), exited]);
    const url = URL.parse(text.trim());
    if (url && /^https?:$/.test(url.protocol)) return url.href;
  } catch {
    // npm is not installed.
  }
  throw new PackageError(
    'This server has no npm registry. Ask its operator to set QUIRE_NPM_REGISTRY to the URL of one.',
  );
}

async function fetchDirectly(
  url: string,
  { signal, maxBytes, accept }: ExternalRequest,
): Promise<ExternalResponse & { location: string | undefined }> {
  const response = await fetch(url, {
    redirect: 'manual',
    signal,
    headers: { accept, 'user-agent': 'Quire' },
  });
  const { status, headers } = response;
  const location = status >= 300 && status < 400 ? (headers.get('location') ?? undefined) : undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Unpacked bytes are counted, so that a small response cannot become a large one.
  for await (const chunk of location === undefined ? (response.body ?? []) : []) {
    size += chunk.length;
    if (size > maxBytes) {
      await response.body?.cancel().catch(() => undefined);
      throw ExternalFetchError.tooLarge(maxBytes);
    }
    chunks.push(chunk);
  }
  if (location !== undefined) await response.body?.cancel().catch(() => undefined);
  return { status, contentType: headers.get('content-type') ?? '', bytes: Buffer.concat(chunks), location };
}

/** The reason for an error, without the addresses that a runtime's error names. */
function reasonOf(error: unknown): string {
  if (error instanceof ExternalFetchError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ConnectionRefused' || code === 'ECONNREFUSED'
    ? 'it does not answer'
    : 'the connection failed';
}
