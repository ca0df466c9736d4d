import { randomUUID } from 'node:crypto';
import { type Actor, type Handler, releaseBody } from '../../platform/http/index.ts';

export interface Tried {
  status: number;
  text: string;
  json: unknown;
  /** The request, as a person reads it. */
  request: string;
}

export interface Sent {
  method: string;
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, in place of `body`. */
  content?: { type: string; text: string };
  /** Stops reading a response that does not end by itself. */
  until?: (text: string) => boolean;
  signal?: AbortSignal;
}

/** How long a response is read that does not end by itself. */
const FOLLOW_MS = 1_000;
const MAX_LETTERS = 200_000;
const MAX_SHOWN = 300;

/** Sends a request to the API as somebody, or as the visitor of a page. The credentials of a real person are never used. */
export async function sendAs(
  { baseUrl, api }: { baseUrl: string; api(): Handler },
  actor: Actor | undefined,
  { method, path, body, content, until, signal = AbortSignal.timeout(60_000) }: Sent,
  visitorOf?: number,
): Promise<Tried> {
  const text = content?.text ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers = {
    'content-type': content?.type ?? 'application/json',
    accept: until ? 'text/event-stream' : 'application/json, text/event-stream',
  };
  const request = new Request(baseUrl + path, {
    ...{ method, headers, signal },
    ...(text !== undefined && { body: text }),
  });
  // Every request comes from another address, so that no limit of an address hides an answer.
  const visit = { address: nextAddress(), requestId: randomUUID(), as: { actor } };
  try {
    const response = await api()(request, {
      ...visit,
      ...(visitorOf !== undefined && { visitor: { actor, pageId: visitorOf } }),
    });
    const read = await readStart(response, until);
    return { status: response.status, text: read, json: parse(read), request: describe(method, path, text) };
  } finally {
    releaseBody(request);
  }
}

let addresses = 0;
const nextAddress = () => `198.18.${(++addresses >> 8) & 255}.${addresses & 255}`;

async function readStart(response: Response, until?: (text: string) => boolean): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  const deadline = until && setTimeout(() => void reader.cancel(), FOLLOW_MS);
  while (text.length < MAX_LETTERS && !until?.(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  clearTimeout(deadline);
  await reader.cancel();
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const describe = (method: string, path: string, text: string | undefined) =>
  `${method} ${path}${text === undefined ? '' : ` ${shorten(text)}`}`;

/** A text that fits into a finding. */
export const shorten = (text: string) =>
  (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text).toWellFormed();
