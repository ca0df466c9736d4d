import { isCompressed } from '../../../../../contract/rules/file-types.ts';
import { AppError, notFound } from '../../../../lib/errors.ts';
import { createFairQueue } from '../../../../lib/fair-queue.ts';
import {
  isLarge,
  makeVariants,
  pickVariant,
  type Variants,
  withSize,
} from '../../../../platform/http/index.ts';
import type { PageFiles } from '../../files/page-files.ts';
import type { CachedPage } from '../page-cache.ts';
import {
  countBytes,
  measure,
  prepareAll,
  type ServedFrom,
  type SharedBody,
  share,
  toOwnBody,
} from '../prepared.ts';
import type { Renderer } from '../render/renderer.ts';
import { isReadable, type SentDocument } from '../send.ts';
import { isUnchanged, readRange } from './conditions.ts';
import { FileCache } from './file-cache.ts';
import { openLarge } from './large.ts';
import type { Range } from './ranges.ts';
import { encodePath } from './resolve.ts';
import type { ServedFile } from './served-file.ts';

/** Bytes of a file in memory. Larger ones, the system sends faster from its own cache. */
const MAX_HOT_BYTES = 256 * 1024;
/** Bytes of a text file in memory. Text is worth more memory: compressed, it takes a fifth of the time to arrive. */
const MAX_HOT_TEXT_BYTES = 4 * 1024 * 1024;
/** Files with more bytes take turns to be read and compressed. */
const MAX_UNQUEUED_BYTES = 64 * 1024;

/** Only in browsers: a shared cache would keep a page that was closed or taken down. */
const FOR_EVER = 'private, max-age=31536000, immutable';

/** One encoding of a file, and its responses. They share the blob. */
interface HotVariant {
  body: SharedBody;
  etag: string;
  encoding: string | undefined;
  responses: Record<ServedFrom, WeakMap<ServedFile, Response>>;
}

interface Options {
  files: Pick<PageFiles, 'open'>;
  renderer: Pick<Renderer, 'renderFile'>;
  cacheBytes?: number;
}

interface SendFileOptions {
  servedFrom: ServedFrom;
  /** The content security policy of files that browsers run scripts in. */
  policy: string | undefined;
}

/** Sends the files of pages: small ones and text from memory, large ones from the disk or the bucket. */
export class SiteFiles {
  readonly #options: Options;
  readonly #cache: FileCache<Variants<HotVariant> | FileDocument>;
  readonly #takeTurn = createFairQueue({ width: 4, maxWaiting: 500, refused: tooMany });
  /** Opens large files in turn: many open files at once would keep the server busy. */
  readonly #openInTurn = createFairQueue({ width: 8, maxWaiting: 5_000, refused: tooMany });

  constructor(options: Options) {
    this.#options = options;
    this.#cache = new FileCache(options.cacheBytes);
  }

  /** Returns an HTML file, rendered like the page. */
  document(page: CachedPage, file: ServedFile): FileDocument | Promise<FileDocument> {
    const key = `${page.id} ${file.hash} ${file.path}`;
    const cached = this.#cache.get(key) as FileDocument | undefined;
    return cached?.stamp === page.stamp ? cached : this.#loadDocument(key, page, file);
  }

  /** Sends a file that is not rendered. */
  send(
    page: CachedPage,
    file: ServedFile,
    request: Request,
    options: SendFileOptions,
  ): Response | Promise<Response> {
    // On a page's own host, its owner decides: see `OwnHosts`.
    if (file.isScript && request.headers.has('service-worker') && options.servedFrom !== 'own host')
      return new Response(null, { status: 403 });
    if (file.size > (file.isText ? MAX_HOT_TEXT_BYTES : MAX_HOT_BYTES))
      return this.#sendLarge(page, file, request, options);
    const hot = this.#cache.get(file.key) as Variants<HotVariant> | undefined;
    if (hot) return sendHot(hot, page, file, request, options);
    return this.#loadHot(page, file).then((loaded) => sendHot(loaded, page, file, request, options));
  }

  status() {
    return this.#cache.status();
  }

  async #loadHot(page: CachedPage, file: ServedFile): Promise<Variants<HotVariant>> {
    const { owner_id } = page.access;
    const prepare = async () => {
      const bytes = await this.#read(file);
      if (!bytes) return undefined;
      const variants = file.isText ? await makeVariants(bytes, file.hash) : plainOnly(bytes, file);
      const size = file.isText ? countBytes(variants) : bytes.length;
      return { content: toHot(variants), size };
    };
    const loaded = await this.#cache.load(file.key, owner_id, () =>
      file.size <= MAX_UNQUEUED_BYTES ? prepare() : this.#takeTurn(String(owner_id), prepare),
    );
    if (!loaded) throw gone();
    return loaded as Variants<HotVariant>;
  }

  async #loadDocument(key: string, page: CachedPage, file: ServedFile): Promise<FileDocument> {
    const { path } = file;
    const { stamp, isOpen, isUnlisted } = page;
    const loaded = await this.#cache.load(key, page.access.owner_id, async () => {
      const rendered = await this.#options.renderer.renderFile(page.described, {
        path: encodePath(path),
        size: file.size,
        read: async () => {
          const bytes = await this.#read(file);
          return bytes && new TextDecoder().decode(bytes);
        },
      });
      if (!rendered) return undefined;
      const { tag, sessionAt, links } = rendered;
      const about = { tag, sessionAt, links, isOpen, isUnlisted, isFile: true, stamp };
      return {
        content: { ...prepareAll(rendered, page.access.owner_id), ...about },
        size: countBytes(rendered),
      };
    });
    if (!loaded) throw gone();
    // Another caller may have begun before the page was changed.
    const document = loaded as FileDocument;
    return document.stamp === stamp ? document : this.#loadDocument(key, page, file);
  }

  async #read({ hash }: ServedFile): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const opened = await this.#options.files.open(hash);
    return opened && ((await new Response(opened).bytes()) as Uint8Array<ArrayBuffer>);
  }

  async #sendLarge(
    page: CachedPage,
    file: ServedFile,
    request: Request,
    options: SendFileOptions,
  ): Promise<Response> {
    const headers = buildHeaders(page, file, file, options);
    if (isUnchanged(request, file.etag, file.modifiedAt)) return new Response(null, { status: 304, headers });
    const range = readRange(request, file.size, file);
    if (range === null) return unsatisfiable(file);
    const part = range ?? { start: 0, end: file.size };
    if (request.method === 'HEAD') {
      const length = { 'content-length': String(part.end - part.start) };
      return new Response(null, { ...partial(range, file, { ...headers, ...length }) });
    }
    const { owner_id: ownerId } = page.access;
    const open = () => openLarge(this.#options.files, file.hash, part);
    const body = await this.#openInTurn(String(ownerId), open);
    if (!body) throw gone();
    const size = { bytes: part.end - part.start, from: 'whole', ownerId } as const;
    return withSize(new Response(body, partial(range, file, headers)), size);
  }
}

/** A rendered HTML file. */
interface FileDocument extends SentDocument {
  /** The stamp of the page that the file was rendered for. */
  stamp: string;
}

function plainOnly(bytes: Uint8Array<ArrayBuffer>, { etag }: ServedFile): Variants {
  const plain = { bytes, etag, encoding: undefined };
  return { plain, gzip: plain, br: plain };
}

function toHot({ plain, gzip, br }: Variants): Variants<HotVariant> {
  const hot = new Map([plain, gzip, br].map((variant) => [variant, toHotVariant(variant)]));
  const of = (variant: Variants['plain']) => hot.get(variant) ?? toHotVariant(variant);
  return { plain: of(plain), gzip: of(gzip), br: of(br) };
}

function toHotVariant({ bytes, etag, encoding }: Variants['plain']): HotVariant {
  const none = () => new WeakMap<ServedFile, Response>();
  const responses = { base: none(), key: none(), 'own host': none(), frame: none() };
  return { body: share(bytes), etag, encoding, responses };
}

/** Sends a file from memory. Copying a prepared response is cheaper than building one. */
function sendHot(
  hot: Variants<HotVariant>,
  page: CachedPage,
  file: ServedFile,
  request: Request,
  options: SendFileOptions,
): Response {
  const { owner_id: ownerId } = page.access;
  const range = readRange(request, file.size, file);
  // Ranges are parts of the file itself, not of its compressed form.
  const variant =
    range === undefined && file.isText ? pickVariant(hot, request.headers.get('accept-encoding')) : hot.plain;
  if (isUnchanged(request, variant.etag, file.modifiedAt))
    return new Response(null, { status: 304, headers: buildHeaders(page, file, variant, options) });
  if (range === null) return unsatisfiable(file);
  if (range !== undefined) {
    const headers = buildHeaders(page, file, variant, options);
    const part = slicePart(variant.body, range);
    const response = new Response(
      isLarge(range.end - range.start) ? null : part,
      partial(range, file, headers),
    );
    return withSize(response, measure(part, ownerId));
  }
  const responses = variant.responses[options.servedFrom];
  let prepared = responses.get(file);
  if (!prepared) {
    prepared = new Response(toOwnBody(variant.body), { headers: buildHeaders(page, file, variant, options) });
    responses.set(file, prepared);
  }
  return withSize(prepared.clone() as Response, measure(variant.body, ownerId));
}

function buildHeaders(
  page: CachedPage,
  file: ServedFile,
  variant: { etag: string; encoding?: string | undefined },
  { servedFrom, policy }: SendFileOptions,
): Record<string, string> {
  // Do not cache the copy for a frame: a browser would use its policy outside the frame too.
  const isKept = page.isOpen && servedFrom !== 'frame';
  return {
    'content-type': file.type,
    'cache-control': isKept ? (file.isHashed ? FOR_EVER : 'no-cache') : 'private, no-store',
    etag: variant.etag,
    'last-modified': file.modified,
    'accept-ranges': 'bytes',
    vary: 'Accept-Encoding, Sec-Fetch-Mode, Sec-Fetch-Dest',
    'x-content-type-options': 'nosniff',
    ...(variant.encoding && { 'content-encoding': variant.encoding }),
    ...(isCompressed(file.path) && { 'content-encoding': 'gzip' }),
    ...(file.isActive && policy && { 'content-security-policy': policy }),
    ...((page.isUnlisted || !page.isOpen) && { 'x-robots-tag': 'noindex' }),
    // The URL of the file can have a key, and a style sheet can load files from anywhere.
    ...(!page.isOpen && servedFrom !== 'own host' && { 'referrer-policy': 'no-referrer' }),
    // At the base, a page's script has no origin: modules, fonts and fetch need this header.
    ...(isReadable(page, servedFrom) && { 'access-control-allow-origin': '*' }),
  };
}

function slicePart(body: SharedBody, { start, end }: Range): SharedBody {
  return body instanceof Blob ? body.slice(start, end) : body.subarray(start, end);
}

function partial(range: Range | undefined, file: ServedFile, headers: Record<string, string>): ResponseInit {
  if (!range) return { headers };
  const part = `bytes ${range.start}-${range.end - 1}/${file.size}`;
  return { status: 206, headers: { ...headers, 'content-range': part } };
}

function unsatisfiable(file: ServedFile): Response {
  const headers = { 'content-range': `bytes */${file.size}`, 'cache-control': 'no-store' };
  return new Response(null, { status: 416, headers });
}

function tooMany(): AppError {
  const headers = { 'retry-after': '1' };
  return new AppError(
    'UNAVAILABLE',
    'Too many files are being prepared. Try again in a moment.',
    {},
    {
      headers,
    },
  );
}

/** The error if the page has changed since it was found in the cache. */
const gone = () => notFound('This file was not found.');
