import { closeSync, openSync, writeSync } from 'node:fs';
import {
  ExternalFetchError,
  type ExternalRequest,
  type ExternalResponse,
  type FetchExternal,
} from '../../egress/index.ts';
import { MAX_MANIFEST_BYTES, MAX_PACKUMENT_BYTES, MAX_TARBALL_BYTES } from './limits.ts';
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

  /** Writes the list of the versions of a package to a file, as JSON. */
  async saveVersions(name: string, file: string, signal: AbortSignal): Promise<void> {
    const options = { signal, maxBytes: MAX_PACKUMENT_BYTES, accept: ACCEPT_LIST };
    await this.save(await this.toUrl(name), file, `the versions of ${name}`, options, name);
  }

  /** Writes what the registry says about one version to a file. False if it has no document about that version. */
  async saveVersion(name: string, version: string, file: string, signal: AbortSignal): Promise<boolean> {
    const options = { signal, maxBytes: MAX_MANIFEST_BYTES, accept: 'application/json' };
    const url = `${await this.toUrl(name)}/${encodeURIComponent(version)}`;
    try {
      await this.save(url, file, `version ${version} of ${name}`, options, name);
      return true;
    } catch (error) {
      // Some registries only have lists. If this one does not answer, that shows with the list.
      if (error instanceof PackageError) return false;
      throw error;
    }
  }

  /** Writes a package to a file, not yet checked. */
  async saveTarball(name: string, url: string, file: string, signal: AbortSignal): Promise<void> {
    const options = { signal, maxBytes: MAX_TARBALL_BYTES, accept: '*/*' };
    await this.save(url, file, `the package ${name}`, options, name);
  }

  /** Asks for a small package. Returns the registry's host; fails if it does not answer as a registry does. */
  async check(signal: AbortSignal): Promise<string> {
    const options = { signal, maxBytes: MAX_PACKUMENT_BYTES, accept: ACCEPT_LIST, onChunk: () => undefined };
    const url = await this.toUrl(KNOWN_PACKAGE);
    await this.read(url, `the versions of ${KNOWN_PACKAGE}`, options, KNOWN_PACKAGE).catch(
      (error: unknown) => {
        // An operator's own registry may not have this package.
        if (!(error instanceof PackageError) || error.isOurs) throw error;
      },
    );
    return URL.parse(url)?.host ?? '';
  }

  private async toUrl(name: string): Promise<string> {
    this.url ??= await readNpmSetting();
    return `${this.url.replace(/\/+$/, '')}/${name.replace('/', '%2F')}`;
  }

  private async save(url: string, file: string, what: string, options: ExternalRequest, name: string) {
    const descriptor = openSync(file, 'w', 0o600);
    try {
      await this.read(url, what, { ...options, onChunk: (chunk) => writeAll(descriptor, chunk) }, name);
    } finally {
      closeSync(descriptor);
    }
  }

  private async read(url: string, what: string, options: ExternalRequest, name: string): Promise<void> {
    const { status } = await this.fetch(url, options).catch((error: unknown) => {
      const why = options.signal.aborted ? 'it took too long' : describeReason(error);
      const isTooLarge = error instanceof ExternalFetchError && error.reason === 'too large';
      throw new PackageError(`The registry did not send ${what}: ${why}.`, !isTooLarge);
    });
    if (status === 200) return;
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
  { signal, maxBytes, accept, onChunk }: ExternalRequest,
): Promise<ExternalResponse & { location: string | undefined }> {
  const response = await fetch(url, {
    redirect: 'manual',
    signal,
    headers: { accept, 'user-agent': 'Quire' },
  });
  const { status, headers } = response;
  const location = status >= 300 && status < 400 ? (headers.get('location') ?? undefined) : undefined;
  let size = 0;
  // Unpacked bytes are counted, so that a small response cannot become a large one.
  for await (const chunk of location === undefined ? (response.body ?? []) : []) {
    size += chunk.length;
    if (size > maxBytes) {
      await response.body?.cancel().catch(() => undefined);
      throw ExternalFetchError.tooLarge(maxBytes);
    }
    if (status === 200) onChunk?.(chunk);
  }
  if (location !== undefined) await response.body?.cancel().catch(() => undefined);
  return { status, contentType: headers.get('content-type') ?? '', bytes: new Uint8Array(), location };
}

function writeAll(descriptor: number, chunk: Uint8Array): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at);
}

/** The reason for an error, without the addresses that a runtime's error names. */
function describeReason(error: unknown): string {
  if (error instanceof ExternalFetchError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'the disk of this server is full';
  return code === 'ConnectionRefused' || code === 'ECONNREFUSED'
    ? 'it does not answer'
    : 'the connection failed';
}
