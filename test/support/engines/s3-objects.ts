import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The objects of a test's bucket: one file each, with the metadata before the bytes. */

/** The S3 error code and its status. */
export class S3Error extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code);
  }
}

export interface S3Object {
  key: string;
  etag: string;
  size: number;
  type: string;
  modifiedAt: number;
}

/** The conditions of a request. */
export interface Conditions {
  ifMatch: string | null;
  ifNoneMatch: string | null;
}

const HEAD_BYTES = 4096;

export async function openObjects(folder: string) {
  mkdirSync(folder, { recursive: true });
  /** What listings contain. */
  const index = new Map<string, S3Object>();
  /** Writers of one key wait in line, which makes conditional writes atomic. */
  const lines = new Map<string, Promise<unknown>>();
  const toPath = (key: string) => join(folder, createHash('sha256').update(key).digest('hex'));

  for (const name of readdirSync(folder)) {
    if (name.startsWith('.new-')) rmSync(join(folder, name));
    else await readHead(join(folder, name)).then(({ object }) => index.set(object.key, object));
  }

  async function inLine<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (lines.get(key) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => undefined);
    lines.set(key, settled);
    await settled;
    if (lines.get(key) === settled) lines.delete(key);
    return done;
  }

  function check(key: string, { ifMatch, ifNoneMatch }: Conditions): void {
    const etag = index.get(key)?.etag;
    if (ifMatch !== null && etag === undefined) throw new S3Error(404, 'NoSuchKey');
    if (ifMatch !== null && !matches(ifMatch, etag)) throw new S3Error(412, 'PreconditionFailed');
    if (ifNoneMatch !== null && matches(ifNoneMatch, etag)) throw new S3Error(412, 'PreconditionFailed');
  }

  return {
    /** Renamed into place. Not synced to disk, because tests kill this process, not the machine. */
    put: (key: string, bytes: Uint8Array, type: string, conditions: Conditions, etag = makeEtag(bytes)) =>
      inLine(key, async () => {
        check(key, conditions);
        const object = { key, etag, size: bytes.length, type, modifiedAt: Date.now() };
        const head = Buffer.alloc(HEAD_BYTES, ' ');
        if (head.write(JSON.stringify(object)) >= HEAD_BYTES) throw new S3Error(400, 'KeyTooLongError');
        const temporary = join(folder, `.new-${randomUUID()}`);
        await writeFile(temporary, [head, bytes]);
        await rename(temporary, toPath(key));
        index.set(key, object);
        return object;
      }),

    delete: (key: string, conditions: Conditions) =>
      inLine(key, async () => {
        check(key, conditions);
        await rm(toPath(key), { force: true });
        index.delete(key);
      }),

    /** One version of an object: a newer one goes to another file. The caller closes it. */
    async open(key: string): Promise<{
      object: S3Object;
      read(from: number, to: number): Promise<Buffer>;
      close(): Promise<void>;
    }> {
      if (!existsSync(toPath(key))) throw new S3Error(404, 'NoSuchKey');
      const { file, object } = await readHead(toPath(key), true);
      return {
        object,
        async read(from, to) {
          const bytes = Buffer.alloc(to - from);
          const { bytesRead } = await file.read(bytes, 0, bytes.length, HEAD_BYTES + from);
          if (bytesRead !== bytes.length) throw new S3Error(500, 'InternalError');
          return bytes;
        },
        close: () => file.close(),
      };
    },

    /** In the order of UTF-8 bytes, as S3 lists them. */
    list: (prefix: string) =>
      [...index.values()]
        .filter(({ key }) => key.startsWith(prefix))
        .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key))),
  };
}

export type Objects = Awaited<ReturnType<typeof openObjects>>;

/** Whether a list of ETags, or `*`, contains this one. */
export function matches(list: string, etag: string | undefined): boolean {
  if (etag === undefined) return false;
  return list
    .split(',')
    .some((one) => one.trim() === '*' || one.trim().replaceAll('"', '') === etag.replaceAll('"', ''));
}

export function makeEtag(bytes: Uint8Array): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

async function readHead(path: string, keepOpen = false): Promise<{ file: FileHandle; object: S3Object }> {
  const file = await open(path);
  const head = Buffer.alloc(HEAD_BYTES);
  await file.read(head, 0, HEAD_BYTES, 0);
  if (!keepOpen) await file.close();
  return { file, object: JSON.parse(head.toString()) };
}
