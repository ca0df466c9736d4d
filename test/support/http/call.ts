/** How tests send requests and read responses, in this process or over a socket. */

export interface CallOptions {
  body?: unknown;
  token?: string;
  cookie?: string;
  headers?: Record<string, string>;
}

export interface TestResponse {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
  body: any;
  headers: Headers;
}

/** The password of every user. */
export const PASSWORD = 'correct horse battery';

/** A request with a JSON body, for `fetch`. */
export function makeRequest(method: string, options: CallOptions) {
  const headers: Record<string, string> = { ...options.headers };
  if (options.token) headers.authorization = `Bearer ${options.token}`;
  if (options.cookie) headers.cookie = options.cookie;
  if (options.body !== undefined) headers['content-type'] ??= 'application/json';
  return { method, headers, ...(options.body !== undefined && { body: JSON.stringify(options.body) }) };
}

/** Reads JSON, or else text. */
export async function readResponse(response: Response): Promise<TestResponse> {
  // Unlike `text()`, this keeps a byte order mark.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
}

/** Sends a request again while a busy server refuses it and says when to try again. Nothing was done then. */
export async function untilDecided(ask: () => Promise<TestResponse>): Promise<TestResponse> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503 || !answer.headers.has('retry-after')) return answer;
    await Bun.sleep(100);
  }
}

/**
 * Notes writes that the server failed to do while the test looked at nothing of the answer. Set-up that does not happen
 * otherwise shows up later, as something else.
 */
export class Overlooked {
  readonly #answers = new Map<TestResponse, string>();

  /** Returns the same answer. */
  watch(method: string, path: string, answer: TestResponse): TestResponse {
    if (answer.status < 500 || !['PUT', 'PATCH', 'DELETE'].includes(method)) return answer;
    this.#answers.set(answer, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return new Proxy(answer, {
      get: (target, name, receiver) => {
        // Awaiting it reads this one.
        if (name !== 'then') this.#answers.delete(answer);
        return Reflect.get(target, name, receiver);
      },
    });
  }

  /** Fails if there are any. */
  assertNone(): void {
    if (this.#answers.size > 0)
      throw new Error(`the test looked at no answer of:\n${[...this.#answers.values()].join('\n')}`);
  }
}
