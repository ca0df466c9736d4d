import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Checks AWS Signature Version 4, in a header or in a presigned URL, so that tests see what a real bucket
 * refuses.
 */

export interface S3Credentials {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MAX_SKEW_MS = 15 * 60_000;

/** The S3 error code for the signature of a request, or undefined. */
export function signatureFault(request: Request, url: URL, credentials: S3Credentials): string | undefined {
  const isPresigned = url.searchParams.has('X-Amz-Signature');
  const signed = isPresigned ? fromQuery(url.searchParams) : fromHeader(request.headers);
  if (!signed) return 'AccessDenied';
  const [accessKeyId, day, region, service, end] = signed.credential.split('/');
  if (accessKeyId !== credentials.accessKeyId) return 'InvalidAccessKeyId';
  if (region !== credentials.region) return 'AuthorizationHeaderMalformed';
  if (service !== 's3' || end !== 'aws4_request' || !signed.date.startsWith(`${day}T`)) return 'AccessDenied';
  const ageMs = Date.now() - parseTime(signed.date);
  if (!(ageMs > -MAX_SKEW_MS && ageMs < (signed.lifeMs ?? MAX_SKEW_MS))) return 'RequestTimeTooSkewed';
  if (!signed.headers.includes('host')) return 'AccessDenied';

  const canonical = [
    request.method,
    decodeURIComponent(url.pathname).split('/').map(encode).join('/'),
    canonicalQuery(url.searchParams),
    ...signed.headers.map(
      (name) => `${name}:${(request.headers.get(name) ?? '').trim().replace(/ +/g, ' ')}`,
    ),
    '',
    signed.headers.join(';'),
    request.headers.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD',
  ].join('\n');
  const scope = [day, region, service, end].join('/');
  const text = [ALGORITHM, signed.date, scope, sha256(canonical)].join('\n');
  let key: string | Buffer = `AWS4${credentials.secretAccessKey}`;
  for (const part of scope.split('/')) key = hmac(key, part);
  return isSame(hmac(key, text).toString('hex'), signed.signature) ? undefined : 'SignatureDoesNotMatch';
}

interface Signed {
  credential: string;
  headers: string[];
  signature: string;
  date: string;
  lifeMs?: number;
}

function fromHeader(headers: Headers): Signed | undefined {
  const text = headers.get('authorization') ?? '';
  if (!text.startsWith(`${ALGORITHM} `)) return undefined;
  const field = (name: string) => new RegExp(`${name}=([^, ]+)`).exec(text)?.[1] ?? '';
  return {
    credential: field('Credential'),
    headers: field('SignedHeaders').split(';'),
    signature: field('Signature'),
    date: headers.get('x-amz-date') ?? '',
  };
}

function fromQuery(query: URLSearchParams): Signed | undefined {
  if (query.get('X-Amz-Algorithm') !== ALGORITHM) return undefined;
  return {
    credential: query.get('X-Amz-Credential') ?? '',
    headers: (query.get('X-Amz-SignedHeaders') ?? '').split(';'),
    signature: query.get('X-Amz-Signature') ?? '',
    date: query.get('X-Amz-Date') ?? '',
    lifeMs: Number(query.get('X-Amz-Expires')) * 1000,
  };
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, av], [b, bv]) => (a < b ? -1 : a > b ? 1 : av < bv ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** `20260131T235959Z` as a time. */
function parseTime(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
