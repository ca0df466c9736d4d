import { randomBytes } from 'node:crypto';
import type { PageFile } from '../../../contract/pages/files/page-file.ts';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import type { StreamedBody } from '../../client/api.ts';
import { readChunks } from '../../project/files/read.ts';
import type { LocalFile } from '../../project/files/scan.ts';
import { saySize } from '../../terminal/amounts.ts';
import type { Output } from '../../terminal/output.ts';
import { CommandError, EXIT } from '../../usage.ts';

/** How the files of a page become those of the folder. */
export interface Change {
  /** Files whose bytes the page already has, here or at another path. */
  keep: Record<string, string>;
  send: LocalFile[];
  removed: string[];
}

/** What to change on the server; undefined if it has the same files. `isLeftAlone` are files that no folder can have. */
export function findChange(
  local: LocalFile[],
  remote: PageFile[],
  isLeftAlone: (path: string) => boolean,
): Change | undefined {
  const hashes = new Set(remote.map(({ hash }) => hash));
  const before = new Map(remote.map(({ path, hash }) => [path, hash]));
  const after = new Set(local.map(({ path }) => path));
  const stays = remote.filter(({ path }) => isLeftAlone(path));
  const removed = remote.map(({ path }) => path).filter((path) => !after.has(path) && !isLeftAlone(path));
  if (removed.length === 0 && local.every(({ path, hash }) => before.get(path) === hash)) return undefined;
  const kept = [...stays, ...local.filter(({ hash }) => hashes.has(hash))];
  return {
    keep: Object.fromEntries(kept.map(({ path, hash }) => [path, hash])),
    send: local.filter(({ hash }) => !hashes.has(hash)),
    removed,
  };
}

interface Upload<Answer> {
  html: string;
  change: Change;
  /** Sends the form to the page or the draft. */
  send(stream: StreamedBody): Promise<Answer>;
}

/** Replaces the document and the files of a page or a draft in one step. */
export async function uploadFiles<Answer>(
  { html, change, send }: Upload<Answer>,
  out: Output | undefined,
): Promise<Answer> {
  const begin = (boundary: string) => [
    textPart(boundary, 'name="keep"', JSON.stringify(change.keep)),
    textPart(boundary, fileField(INDEX_PATH), html),
  ];
  return sendForm(begin, change.send, send, out);
}

/** Sends files as a form, after the parts that it begins with. */
export async function sendForm<Answer>(
  begin: (boundary: string) => Part[],
  files: LocalFile[],
  send: (stream: StreamedBody) => Promise<Answer>,
  out: Output | undefined,
): Promise<Answer> {
  const boundary = `quire-${randomBytes(16).toString('hex')}`;
  const parts = [
    ...begin(boundary),
    ...files.map((file) => filePart(boundary, file)),
    { length: boundary.length + 6, read: () => [Buffer.from(`--${boundary}--\r\n`)] },
  ];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const progress = out?.progress('sending', length);
  let sent = 0;
  async function* read() {
    for (const part of parts) {
      for await (const chunk of part.read()) {
        yield chunk;
        sent += chunk.byteLength;
        progress?.at(sent, `${saySize(sent)} of ${saySize(length)}`);
      }
    }
  }
  try {
    return await send({ type: `multipart/form-data; boundary=${boundary}`, length, chunks: read() });
  } finally {
    progress?.end();
  }
}

interface Part {
  length: number;
  read(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** A path as RFC 8187 writes it: other ways are not clear about quotes and percent signs in it. */
const fileField = (path: string) => `name="file"; filename*=UTF-8''${encodeURIComponent(path)}`;

function head(boundary: string, field: string): Buffer {
  return Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${field}\r\n\r\n`);
}

function textPart(boundary: string, field: string, text: string): Part {
  const bytes = Buffer.concat([head(boundary, field), Buffer.from(`${text}\r\n`)]);
  return { length: bytes.byteLength, read: () => [bytes] };
}

function filePart(boundary: string, local: LocalFile): Part {
  const start = head(boundary, fileField(local.path));
  return {
    length: start.byteLength + local.size + 2,
    async *read() {
      yield start;
      yield* readUnchanged(local);
      yield Buffer.from('\r\n');
    },
  };
}

/** Reads a file again, and fails if it is not what was compared with the server. Then the server changes nothing. */
async function* readUnchanged({ file, size, hash }: LocalFile): AsyncGenerator<Uint8Array> {
  const hasher = new Bun.CryptoHasher('sha256');
  let read = 0;
  for await (const chunk of readChunks(file)) {
    read += chunk.byteLength;
    if (read > size) break;
    hasher.update(chunk);
    yield chunk;
  }
  if (read === size && hasher.digest('hex') === hash) return;
  throw new CommandError(
    `${file} changed while it was sent. The server has the files from before. Try again.`,
    EXIT.conflict,
  );
}
