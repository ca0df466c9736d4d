import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Conditions, makeEtag, matches, openObjects, S3Error, type S3Object } from './s3-objects.ts';
import { type S3Credentials, signatureFault } from './s3-signature.ts';

/**
 * A minimal correct S3-compatible server, for tests only: one bucket, path-style URLs, conditional writes, ranges,
 * listings, bulk deletes and multipart uploads. `startS3` runs it in its own process.
 */

const settings: S3Credentials & { host: string; port: number; folder: string; bucket: string } = JSON.parse(
  process.argv[2] ?? '',
);
const MAX_KEYS = 1000;
const NO_CONDITIONS: Conditions = { ifMatch: null, ifNoneMatch: null };

const objects = await openObjects(join(settings.folder, 'objects'));
const partsFolder = join(settings.folder, 'parts');
mkdirSync(partsFolder, { recursive: true });

Bun.serve({
  hostname: settings.host,
  port: settings.port,
  maxRequestBodySize: 5 * 2 ** 30,
  idleTimeout: 0,
  fetch: (request) =>
    answer(request).catch((error: unknown) => {
      if (!(error instanceof S3Error)) console.error(error);
      const { status, code } = error instanceof S3Error ? error : new S3Error(500, 'InternalError');
      const body = `<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
      return status === 304 ? new Response(null, { status }) : xml(body, status);
    }),
});

async function answer(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const body = new Uint8Array(await request.arrayBuffer());
  const fault = signatureFault(request, url, settings);
  if (fault) throw new S3Error(fault === 'AuthorizationHeaderMalformed' ? 400 : 403, fault);
  const path = decodeURIComponent(url.pathname);
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  if (bucket !== settings.bucket) throw new S3Error(404, 'NoSuchBucket');
  const bytes = readPayload(request, body);
  return key === '' ? answerForBucket(request, url, bytes) : answerForObject(request, url, key, bytes);
}

async function answerForBucket(request: Request, url: URL, body: Uint8Array): Promise<Response> {
  const query = url.searchParams;
  if (request.method === 'HEAD') return new Response(null);
  if (request.method === 'GET' && query.has('location'))
    return xml(`<LocationConstraint>${settings.region}</LocationConstraint>`);
  if (request.method === 'GET') return list(query);
  if (request.method === 'POST' && query.has('delete')) return deleteMany(Buffer.from(body).toString());
  throw new S3Error(501, 'NotImplemented');
}

async function answerForObject(request: Request, url: URL, key: string, body: Uint8Array): Promise<Response> {
  const query = url.searchParams;
  const upload = query.get('uploadId');
  const type = request.headers.get('content-type') ?? 'binary/octet-stream';
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      return get(request, key);
    case 'PUT': {
      if (upload) return putPart(upload, Number(query.get('partNumber')), body);
      if (request.headers.has('x-amz-copy-source')) throw new S3Error(501, 'NotImplemented');
      const { etag } = await objects.put(key, body, type, readConditions(request));
      return new Response(null, { headers: { etag } });
    }
    case 'DELETE':
      if (upload) await abort(upload);
      else await objects.delete(key, readConditions(request));
      return new Response(null, { status: 204 });
    case 'POST':
      if (query.has('uploads')) return createUpload(key, type);
      if (upload) return complete(request, upload, key, Buffer.from(body).toString());
      break;
  }
  throw new S3Error(501, 'NotImplemented');
}

function readConditions(request: Request): Conditions {
  return { ifMatch: request.headers.get('if-match'), ifNoneMatch: request.headers.get('if-none-match') };
}

async function get(request: Request, key: string): Promise<Response> {
  const { object, read, close } = await objects.open(key);
  try {
    const { ifMatch, ifNoneMatch } = readConditions(request);
    if (ifMatch !== null && !matches(ifMatch, object.etag)) throw new S3Error(412, 'PreconditionFailed');
    if (ifNoneMatch !== null && matches(ifNoneMatch, object.etag)) throw new S3Error(304, 'NotModified');
    const { from, to, isPart } = readRange(request, object);
    const headers: Record<string, string> = {
      etag: object.etag,
      'content-type': object.type,
      'accept-ranges': 'bytes',
      'last-modified': new Date(object.modifiedAt).toUTCString(),
    };
    if (isPart) headers['content-range'] = `bytes ${from}-${to - 1}/${object.size}`;
    const status = isPart ? 206 : 200;
    if (request.method === 'HEAD')
      return new Response(null, { status, headers: { ...headers, 'content-length': String(to - from) } });
    return new Response(await read(from, to), { status, headers });
  } finally {
    await close();
  }
}

/** The requested range, as the first byte and the one after the last. */
function readRange(request: Request, { size }: S3Object): { from: number; to: number; isPart: boolean } {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get('range') ?? '') ?? [];
  if (first === '' && last === '') return { from: 0, to: size, isPart: false };
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (from >= to) throw new S3Error(416, 'InvalidRange');
  return { from, to, isPart: true };
}

/** The bytes of the body, decoded if they are chunked, and checked against the signed hash. */
function readPayload(request: Request, body: Uint8Array): Uint8Array {
  const hash = request.headers.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD';
  const bytes = hash.startsWith('STREAMING-') ? unchunk(body) : body;
  if (/^[0-9a-f]{64}$/.test(hash) && digest('sha256', bytes).toString('hex') !== hash)
    throw new S3Error(400, 'XAmzContentSHA256Mismatch');
  const md5 = request.headers.get('content-md5');
  if (md5 && digest('md5', bytes).toString('base64') !== md5) throw new S3Error(400, 'BadDigest');
  const length = request.headers.get('x-amz-decoded-content-length');
  if (length !== null && Number(length) !== bytes.length) throw new S3Error(400, 'IncompleteBody');
  return bytes;
}

/**
 * `<hex length>[;chunk-signature=…]\r\n<bytes>\r\n`, up to a chunk without bytes. What follows are trailers.
 */
function unchunk(body: Uint8Array): Uint8Array {
  const bytes = Buffer.from(body);
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const length = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (lineEnd < 0 || Number.isNaN(length)) throw new S3Error(400, 'IncompleteBody');
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}

function list(query: URLSearchParams): Response {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const token = query.get('continuation-token');
  const after =
    token === null ? (query.get('start-after') ?? '') : Buffer.from(token, 'base64url').toString();
  const max = Math.min(MAX_KEYS, Number(query.get('max-keys') ?? MAX_KEYS));
  const encode = query.get('encoding-type') === 'url' ? encodeURIComponent : escapeXml;

  /** Objects and common prefixes in one order. A prefix counts once. */
  const entries = new Map<string, S3Object | undefined>();
  for (const object of objects.list(prefix)) {
    const end = delimiter === '' ? -1 : object.key.indexOf(delimiter, prefix.length);
    const name = end < 0 ? object.key : object.key.slice(0, end + delimiter.length);
    if (isAfter(name, after)) entries.set(name, end < 0 ? object : undefined);
  }
  const page = [...entries].slice(0, max);
  const isTruncated = entries.size > page.length && page.length > 0;
  const next = isTruncated ? Buffer.from(page.at(-1)?.[0] ?? '').toString('base64url') : '';
  const shown = page.map(([name, object]) =>
    object
      ? `<Contents><Key>${encode(name)}</Key><LastModified>${new Date(object.modifiedAt).toISOString()}</LastModified>` +
        `<ETag>${escapeXml(object.etag)}</ETag><Size>${object.size}</Size><StorageClass>STANDARD</StorageClass></Contents>`
      : `<CommonPrefixes><Prefix>${encode(name)}</Prefix></CommonPrefixes>`,
  );
  return xml(
    `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${settings.bucket}</Name>` +
      `<Prefix>${encode(prefix)}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${max}</MaxKeys>` +
      `<IsTruncated>${isTruncated}</IsTruncated>` +
      (next && `<NextContinuationToken>${next}</NextContinuationToken>`) +
      `${shown.join('')}</ListBucketResult>`,
  );
}

async function deleteMany(body: string): Promise<Response> {
  const keys = [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescapeXml(key));
  for (const key of keys) await objects.delete(key, NO_CONDITIONS);
  const shown = keys.map((key) => `<Deleted><Key>${escapeXml(key)}</Key></Deleted>`);
  const isQuiet = body.includes('<Quiet>true</Quiet>');
  return xml(`<DeleteResult>${isQuiet ? '' : shown.join('')}</DeleteResult>`);
}

const partPath = (upload: string, part: number) => join(partsFolder, upload, String(part));

function createUpload(key: string, type: string): Response {
  const upload = randomUUID();
  mkdirSync(join(partsFolder, upload));
  void Bun.write(join(partsFolder, upload, 'type'), type);
  return xml(
    `<InitiateMultipartUploadResult><Bucket>${settings.bucket}</Bucket><Key>${escapeXml(key)}</Key>` +
      `<UploadId>${upload}</UploadId></InitiateMultipartUploadResult>`,
  );
}

async function putPart(upload: string, part: number, bytes: Uint8Array): Promise<Response> {
  checkUpload(upload);
  await writeFile(partPath(upload, part), bytes).catch(noSuchUpload);
  return new Response(null, { headers: { etag: makeEtag(bytes) } });
}

async function complete(request: Request, upload: string, key: string, body: string): Promise<Response> {
  checkUpload(upload);
  const type = await readFile(join(partsFolder, upload, 'type'), 'utf8').catch(noSuchUpload);
  const parts: Buffer[] = [];
  for (const [part = ''] of body.matchAll(/<Part>.*?<\/Part>/gs)) {
    const number = Number(/<PartNumber>(\d+)</.exec(part)?.[1]);
    const bytes = await readFile(partPath(upload, number)).catch(() => undefined);
    const etag = unescapeXml(/<ETag>([^<]*)</.exec(part)?.[1] ?? '');
    if (!bytes || !matches(etag, makeEtag(bytes))) throw new S3Error(400, 'InvalidPart');
    parts.push(bytes);
  }
  if (parts.length === 0) throw new S3Error(400, 'MalformedXML');
  const digests = Buffer.concat(parts.map((bytes) => digest('md5', bytes)));
  const etag = `"${digest('md5', digests).toString('hex')}-${parts.length}"`;
  await objects.put(key, Buffer.concat(parts), type, readConditions(request), etag);
  await abort(upload);
  return xml(
    `<CompleteMultipartUploadResult><Bucket>${settings.bucket}</Bucket><Key>${escapeXml(key)}</Key>` +
      `<ETag>${escapeXml(etag)}</ETag></CompleteMultipartUploadResult>`,
  );
}

async function abort(upload: string): Promise<void> {
  checkUpload(upload);
  await rm(join(partsFolder, upload), { recursive: true, force: true });
}

function checkUpload(upload: string): void {
  if (!/^[0-9a-f-]{36}$/.test(upload)) throw new S3Error(404, 'NoSuchUpload');
}

function noSuchUpload(): never {
  throw new S3Error(404, 'NoSuchUpload');
}

function isAfter(name: string, other: string): boolean {
  return Buffer.compare(Buffer.from(name), Buffer.from(other)) > 0;
}

function digest(algorithm: 'md5' | 'sha256', bytes: Uint8Array): Buffer {
  return createHash(algorithm).update(bytes).digest();
}

function xml(body: string, status = 200): Response {
  const headers = { 'content-type': 'application/xml' };
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>${body}`, { status, headers });
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

function unescapeXml(text: string): string {
  const named: Record<string, string> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' };
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) => {
    if (name) return named[name] ?? all;
    return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal));
  });
}
