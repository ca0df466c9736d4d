import { S3Client } from 'bun';
import { AppError } from '../../lib/errors.ts';
import { within } from '../../lib/time-limits/within.ts';

/** A bucket on an S3-compatible server, and its credentials. */
export interface S3Settings {
  bucket: string;
  /** Defaults to AWS. */
  endpoint?: string | undefined;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** The longest silence: until the bucket begins to respond, and between two chunks of a body. */
const SILENT_MS = 5_000;
/** The slowest connection that the time limit for large bodies allows for. */
const SLOWEST_BYTES_PER_MS = 1024;
/** A broken connection, for example after the server restarts, is retried once. */
const TRIES = 2;

const SIGNED_SECONDS = 900;

/** Sends requests to a bucket, each with a time limit. */
export interface Bucket {
  /** Returns any response except a server error. Read its body with `read`. */
  send(method: 'GET' | 'PUT' | 'DELETE', key: string, init?: Sent): Promise<Response>;
  /** The chunks of a response body. */
  read(response: Response): AsyncGenerator<Uint8Array>;
  /** Some of the keys that begin with a prefix, in order, from the first one after a key. */
  list(prefix: string, maxKeys: number, after?: string): Promise<string[]>;
}

interface Sent {
  body?: Uint8Array | Blob;
  headers?: Record<string, string>;
}

/**
 * `S3Client` only signs requests. We send them ourselves because its own requests cannot be aborted: one to a server
 * that hangs would keep its connection and memory until the server recovers.
 */
export function openBucket({ endpoint, ...settings }: S3Settings): Bucket {
  const client = new S3Client({ ...settings, ...(endpoint && { endpoint }) });

  async function trySend(method: 'GET' | 'PUT' | 'DELETE', key: string, init: Sent, signal: AbortSignal) {
    const response = await fetch(client.presign(key, { method, expiresIn: SIGNED_SECONDS }), {
      method,
      signal,
      redirect: 'manual',
      headers: { 'accept-encoding': 'identity', ...init.headers },
      ...(init.body && { body: init.body as Uint8Array<ArrayBuffer> | Blob }),
    });
    if (response.status < 500) return response;
    throw new Error(`the bucket answered with ${response.status}: ${await readErrorCode(response)}`);
  }

  return {
    async send(method, key, init = {}) {
      const waitMs = SILENT_MS + countBytes(init.body) / SLOWEST_BYTES_PER_MS;
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(silent(waitMs)), waitMs);
      try {
        for (let tries = 1; ; tries++) {
          try {
            return await trySend(method, key, init, deadline.signal);
          } catch (error) {
            if (tries === TRIES || deadline.signal.aborted) throw unavailable(error);
          }
        }
      } finally {
        clearTimeout(timer);
      }
    },

    async *read(response) {
      const reader = response.body?.getReader();
      if (!reader) return;
      try {
        while (true) {
          const { done, value } = await soon(reader.read());
          if (done) return;
          yield value;
        }
      } catch (error) {
        throw unavailable(error);
      } finally {
        void reader.cancel().catch(() => undefined);
      }
    },

    async list(prefix, maxKeys, after) {
      const listed = await soon(
        client.list({ prefix, maxKeys, ...(after !== undefined && { startAfter: after }) }),
      ).catch((error: unknown) => {
        throw unavailable(error);
      });
      return (listed.contents ?? []).map(({ key }) => key);
    },
  };
}

function countBytes(body: Sent['body']): number {
  if (!body) return 0;
  return body instanceof Blob ? body.size : body.byteLength;
}

/** The S3 error code in a response. */
export async function readErrorCode(response: Response): Promise<string> {
  const text = await soon(response.text()).catch(() => '');
  return /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? String(response.status);
}

/** The error that callers see if the bucket fails. The log has the reason. */
export function unavailable(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError(
    'UNAVAILABLE',
    'The file store does not answer right now. Try again in a moment.',
    {},
    {
      headers: { 'retry-after': '5' },
      cause: unsigned(cause),
    },
  );
}

/** Keeps only the message: `fetch` errors include the signed URL, which anyone who reads the log could use. */
function unsigned(cause: unknown): Error {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new Error(message.replaceAll(/\?X-Amz-[^\s"]*/g, ''));
}

function soon<Result>(work: Promise<Result>): Promise<Result> {
  return within(SILENT_MS, work, () => silent(SILENT_MS));
}

function silent(milliseconds: number): Error {
  return new Error(`the bucket was silent for ${Math.round(milliseconds)} ms`);
}
