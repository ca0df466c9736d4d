import type { Operation } from './document.ts';

/** A request before it is sent. */
export interface Sent {
  operation: Operation;
  role: string;
  method: string;
  params: Record<string, string>;
  query: Record<string, string>;
  /** The parameters that the query can have. */
  queryNames: string[];
  headers: Record<string, string>;
  json?: unknown;
  raw?: string | Uint8Array | undefined;
}

const FORM = 'application/x-www-form-urlencoded';

export function toTarget({ operation, params, query }: Sent): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  return search ? `${path}?${search}` : path;
}

export function encodeBody({ json, raw, headers }: Sent): string | Uint8Array | undefined {
  if (json === undefined) return raw;
  if (headers['content-type'] !== FORM || typeof json !== 'object') return JSON.stringify(json);
  const fields = Object.entries(json ?? {}).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(' ') : String(value).toWellFormed(),
  ]);
  return new URLSearchParams(fields as [string, string][]).toString();
}

export function toRequest(sent: Sent, baseUrl: string): Request {
  const body = sent.method === 'GET' ? undefined : encodeBody(sent);
  return new Request(baseUrl + toTarget(sent), {
    method: sent.method,
    headers: sent.headers,
    redirect: 'manual',
    ...(body !== undefined && { body: body as string }),
  });
}

/** The same request as a curl command. */
export function toCurl(sent: Sent, baseUrl: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const headers = Object.entries(sent.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const body = sent.method === 'GET' ? undefined : encodeBody(sent);
  const shown = typeof body === 'string' ? body : body && Buffer.from(body).toString('latin1');
  const data = shown === undefined ? [] : [`--data-binary ${quoted(shown.slice(0, 2000))}`];
  return ['curl -i', `-X ${sent.method}`, ...headers, ...data, quoted(baseUrl + toTarget(sent))].join(' ');
}

/** A form with one file in it. */
export function fileForm(name: string, content: string): { type: string; raw: string } {
  const boundary = 'quire-fuzz-boundary';
  const raw = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="${name}"`,
    'Content-Type: text/plain',
    '',
    content,
    `--${boundary}--`,
    '',
  ].join('\r\n');
  return { type: `multipart/form-data; boundary=${boundary}`, raw };
}
