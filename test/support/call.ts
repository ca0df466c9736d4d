/** How tests send requests and read responses, in this process or over a socket. */

export interface CallOptions {
  body?: unknown;
  token?: string;
  cookie?: string;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
  body: any;
  headers: Headers;
}

/** The password of every user. */
export const PASSWORD = 'correct horse battery';

/** A request with a JSON body, for `fetch`. */
export function requestOf(method: string, options: CallOptions) {
  const headers: Record<string, string> = { ...options.headers };
  if (options.token) headers.authorization = `Bearer ${options.token}`;
  if (options.cookie) headers.cookie = options.cookie;
  if (options.body !== undefined) headers['content-type'] ??= 'application/json';
  return { method, headers, ...(options.body !== undefined && { body: JSON.stringify(options.body) }) };
}

/** Reads JSON, or else text. */
export async function answerOf(response: Response): Promise<Answer> {
  // Unlike `text()`, this keeps a byte order mark.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
}

/** Sends a request again while a busy server refuses it and says when to try again. Nothing was done then. */
export async function untilDecided(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503 || !answer.headers.has('retry-after')) return answer;
    await Bun.sleep(100);
  }
}
