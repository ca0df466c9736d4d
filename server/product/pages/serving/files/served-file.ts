import { fileType, isTextType } from '../../../../../contract/rules/file-types.ts';
import { MAX_HTML_BYTES } from '../../../../../contract/rules/limits.ts';
import type { FileEntry } from '../../files/manifest.ts';
import type { CachedPage } from '../page-cache.ts';
import { follow } from '../rules/redirects.ts';
import { httpDate, type Version } from './conditions.ts';
import { hasHashedName } from './hashed-names.ts';
import { decodePath, type ResolvedPath, resolvePath } from './resolve.ts';

/** A file of a page in memory, with what its path says about it. */
export interface ServedFile extends Version {
  path: string;
  /** The key in the cache. Files of one owner with equal bytes that are prepared in the same way share it. */
  key: string;
  hash: string;
  size: number;
  type: string;
  isText: boolean;
  /** True if the file is rendered like the page. HTML that is too large for a page is sent as it is. */
  isDocument: boolean;
  /** True if browsers run scripts in the file when they open it. */
  isActive: boolean;
  isScript: boolean;
  /** True if its name has a hash of its content, as build tools write it: it never changes. */
  isHashed: boolean;
  modified: string;
}

/** What a path below a page leads to. */
type ServedFound =
  | Exclude<ResolvedPath, { kind: 'file' } | { kind: 'missing' }>
  | { kind: 'file'; file: ServedFile }
  /** A rule of the page leads to another path, or to another site. */
  | { kind: 'redirect'; to: string; status: number }
  | { kind: 'missing'; file: ServedFile | undefined };

const ACTIVE = /^(text\/html|image\/svg|application\/pdf)|xml\b/;

/** The files of pages in the cache that were asked for: at most those that the page has. */
const known = new WeakMap<CachedPage, Map<string, ServedFile>>();

/**
 * Finds what a path below a page leads to. The path is as the client sent it. In a single-page app, paths that lead
 * nowhere show its document to people, whose browsers ask for HTML; scripts and pictures that are not there are missing.
 * `accepted` is the header of the request, or null if neither this nor the rules of the page apply.
 */
export function findServed(page: CachedPage, written: string, accepted: string | null): ServedFound {
  // Handle the usual case first: the file was requested before, and its path has no escapes.
  const usual = written.includes('%') || page.rules ? undefined : known.get(page)?.get(written);
  if (usual) return { kind: 'file', file: usual };
  const plain = resolvePath(page.files ?? new Map(), written);
  const path = page.rules && accepted !== null ? decodePath(written) : undefined;
  const led =
    path !== undefined && page.rules && follow(page.rules.redirects, path, plain.kind !== 'missing');
  if (led && led.kind === 'redirect') return led;
  const found = led ? resolvePath(page.files ?? new Map(), led.path) : plain;
  if (led && led.status === 404)
    return {
      kind: 'missing',
      file: found.kind === 'file' ? toServed(page, found.path, found.entry) : undefined,
    };
  if (found.kind === 'file') return { kind: 'file', file: toServed(page, found.path, found.entry) };
  if (found.kind !== 'missing') return found;
  const { app } = found;
  if (accepted?.includes('text/html')) {
    if (page.spa) return { kind: 'page' };
    if (app) return { kind: 'file', file: toServed(page, app.path, app.entry) };
  }
  return { kind: 'missing', file: found.page && toServed(page, found.page.path, found.page.entry) };
}

function toServed(page: CachedPage, path: string, entry: FileEntry): ServedFile {
  const files = known.get(page) ?? new Map<string, ServedFile>();
  if (files.size === 0) known.set(page, files);
  const before = files.get(path);
  if (before) return before;
  const { hash, size, updatedAt } = entry;
  const type = fileType(path);
  const isText = isTextType(type);
  const file: ServedFile = {
    ...{ path, hash, size, type, isText },
    key: `${page.access.owner_id} ${isText ? 'text' : 'bytes'} ${hash}`,
    isDocument: type.startsWith('text/html') && size <= MAX_HTML_BYTES,
    isActive: ACTIVE.test(type),
    isScript: type.startsWith('text/javascript'),
    isHashed: hasHashedName(path),
    etag: `"${hash}"`,
    modifiedAt: updatedAt,
    modified: httpDate(updatedAt),
  };
  files.set(path, file);
  return file;
}
