import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type ImportReport, MAX_LEFT } from '../../../../contract/imports/imports.ts';
import { writeZip } from '../../../../contract/rules/projects/zip-writer.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import type { FunctionPlan, PagePlan, Plan } from '../recognise/plan.ts';
import { recognise } from '../recognise/recognise.ts';
import { toShown } from '../recognise/sorting.ts';
import { openFiles, type Sent } from './open-files.ts';

/** An import that was read: the report, and what to publish. It can be sent between threads. */
export interface Prepared {
  report: Omit<ImportReport, 'published'>;
  page: (Omit<PagePlan, 'files'> & { archive: string | undefined }) | undefined;
  functions: FunctionPlan[];
}

export interface PrepareRequest extends Sent {
  /** Also writes the archive of the page's files. */
  isPublishing: boolean;
}

/** Reads what was sent, and plans the import. */
export async function prepare(sent: PrepareRequest): Promise<Prepared> {
  const { files, links } = await openFiles(sent);
  const plan = recognise(files, sent.name);
  const digest = plan.kind === 'nothing' ? null : makeDigest(plan);
  const left = [...plan.left, ...links.map((path) => ({ path: toShown(path), why: LINK.text }))];
  const { page, functions } = plan;
  const archive =
    sent.isPublishing && page && page.files.length > 0 ? join(sent.folder, 'page.zip') : undefined;
  if (archive !== undefined)
    await pipeline(Readable.from(writeZip(toZipFiles(page))), createWriteStream(archive));
  return {
    report: {
      kind: plan.kind,
      digest,
      taken: plan.taken,
      left: left.slice(0, MAX_LEFT),
      more_left: Math.max(0, left.length - MAX_LEFT),
      page: page ? describePage(page) : null,
      functions: functions.map(describeFunction),
    },
    page: page && withArchive(page, archive),
    functions,
  };
}

/** Files cannot be sent between threads, because they are read when they are needed. */
function withArchive({ files: _, ...page }: PagePlan, archive: string | undefined): Prepared['page'] {
  return { ...page, archive };
}

const LINK = phrase('is a link, which is never followed');

/** The digest of everything that is published. If it is the same, the same is published. */
function makeDigest({ kind, page, functions }: Plan): string {
  const hash = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  const files = page?.files.map(({ path, file }) => [path, hash(file.bytes())]);
  const all = JSON.stringify({ kind, page: page && { ...page, files }, functions });
  return hash(Buffer.from(all));
}

function toZipFiles(page: PagePlan | undefined) {
  return (page?.files ?? []).map(({ path, file }) => {
    const bytes = file.bytes();
    return { path, size: bytes.byteLength, crc32: crc32(bytes), updatedAt: 0, bytes: () => [file.bytes()] };
  });
}

function describePage({ name, html, settings, files }: PagePlan): ImportReport['page'] {
  const bytes = files.reduce((sum, { file }) => sum + file.size, Buffer.byteLength(html));
  const { slug, spa = false } = settings;
  return { name, ...(slug !== undefined && { slug }), files: files.length, bytes, spa };
}

function describeFunction({ body, secrets, migrations }: FunctionPlan): ImportReport['functions'][number] {
  return {
    slug: body.slug,
    hasDatabase: body.enableDatabase === true,
    migrations: migrations.map(({ name }) => name),
    schedules: (body.schedules ?? []).map(({ cron }) => cron),
    secrets: Object.keys(secrets),
  };
}
