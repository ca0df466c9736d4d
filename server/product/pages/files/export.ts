import { crc32 } from 'node:zlib';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { writeZip, type ZipFile, zipSize } from '../../../../contract/rules/projects/zip-writer.ts';
import { notFound } from '../../../lib/errors.ts';
import { toStream } from '../../../lib/streams.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { findDocument } from '../model/page-store.ts';
import { currentState } from '../model/version-store.ts';
import type { ReadContext } from './read.ts';
import { findBlobs, readManifest } from './store.ts';

/** A page as a ZIP archive: its document as index.html, and its files. The bytes are read when they are sent. */
export async function exportPage(
  { db, directory, files }: ReadContext,
  actor: Actor | undefined,
  id: number,
): Promise<Response> {
  const page = await directory.require(db, await findDocument(db, { id }), actor, 'read');
  const manifest = await readManifest(db, (await currentState(db, page)).manifest_id);
  const blobs = await findBlobs(db, id, [...new Set([...manifest.values()].map(({ hash }) => hash))]);
  const html = Buffer.from(page.html_content);
  const index: ZipFile = {
    path: INDEX_PATH,
    size: html.length,
    crc32: crc32(html),
    updatedAt: page.updated_at,
    bytes: () => [html],
  };
  const others = [...manifest].map(
    ([path, { hash, size, updatedAt }]): ZipFile => ({
      path,
      size,
      crc32: blobs.get(hash)?.crc32 ?? 0,
      updatedAt,
      bytes: () => readBytes(files, hash),
    }),
  );
  const all = [index, ...others];
  return new Response(toStream(writeZip(all)), {
    headers: {
      'content-type': 'application/zip',
      'content-length': String(zipSize(all)),
      'content-disposition': `attachment; filename="${page.slug}.zip"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    },
  });
}

async function* readBytes(files: ReadContext['files'], hash: string): AsyncGenerator<Uint8Array> {
  const found = await files.open(hash);
  if (!found) throw notFound('This file was not found.');
  yield* (found instanceof Blob ? found.stream() : found) as unknown as AsyncIterable<Uint8Array>;
}
