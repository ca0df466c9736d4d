import { S3Client } from 'bun';
import { AppError } from '../../lib/errors.ts';
import { within } from '../../lib/within.ts';

/** A bucket at a server that speaks S3, and the key to it. */
export interface S3Settings {
  bucket: string;
  /** AWS where it is not given. */
  endpoint?: string | undefined;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** How long a bucket may be silent: until it begins to answer, and between two pieces of what it sends. */
const SILENT_MS = 5_000;
/** The slowest line to the bucket that large bodies are given time for. */
const SLOWEST_BYTES_PER_MS = 1024;
/** A line that was cut, as by a restart of the bucket's server, is tried once more; nothing is tried for ever. */
const TRIES = 2;

const SIGNED_SECONDS = 900;

/** Sends requests to a bucket, and gives up on those that are not answered in time. */
export interface Bucket {
  /** The answer, whatever it says but a failure of the bucket itself. Its body is to be read with `read`. */
  send(method: 'GET' | 'PUT' | 'DELETE', key: string, init?: Sent): Promise<Response>;
  /** The pieces of an answer's body. */
  read(response: Response): AsyncGenerator<Uint8Array>;
  /** Some of the keys that begin with a prefix. */
  list(prefix: string, maxKeys: number): Promise<string[]>;
}

interface Sent {
  body?: Uint8Array;
  headers?: Record<string, string>;
}

/**
 * `S3Client` signs; the requests are our own, since its own cannot be given up: one to a server that hangs would keep
 * its connection and its memory for as long as that hangs.
 */
export function openBucket({ endpoint, ...settings }: S3Settings): Bucket {
  const client = new S3Client({ ...settings, ...(endpoint && { endpoint }) });

  async function trySend(method: 'GET' | 'PUT' | 'DELETE', key: string, init: Sent, signal: AbortSignal) {
    const response = await fetch(client.presign(key, { method, expiresIn: SIGNED_SECONDS }), {
      method,
      signal,
      redirect: 'manual',
      headers: { 'accept-encoding': 'identity', ...init.headers },
      ...(init.body && { body: init.body as Uint8Array<ArrayBuffer> }),
    });
    if (response.status < 500) return response;
    throw new Error(`the bucket answered with ${response.status}: ${await codeOf(response)}`);
  }

  return {
    async send(method, key, init = {}) {
      const waitMs = SILENT_MS + (init.body?.byteLength ?? 0) / SLOWEST_BYTES_PER_MS;
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

    async list(prefix, maxKeys) {
      const listed = await soon(client.list({ prefix, maxKeys })).catch((error: unknown) => {
        throw unavailable(error);
      });
      return (listed.contents ?? []).map(({ key }) => key);
    },
  };
}

/** What S3 calls a failure, from an answer that tells of one. */
export async function codeOf(response: Response): Promise<string> {
  const text = await soon(response.text()).catch(() => '');
  return /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? String(response.status);
}

/** What callers hear of a bucket that does not do its part; the log has the reason. */
export function unavailable(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError('UNAVAILABLE', 'The file store does not answer right now. Try again in a moment.', {
    headers: { 'retry-after': '5' },
    cause: unsigned(cause),
  });
}

/** Its words alone: errors of `fetch` carry the address, whose signature lets anybody who reads the log do the same. */
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
