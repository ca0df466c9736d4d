import { type ExportFile, exportFile, exportLines } from '../../../lib/formats/export-files.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { PageFunctions } from '../../ports.ts';
import { listDomains } from '../domains/store.ts';
import { toDraft } from '../drafts/wire.ts';
import { findAgentFunctions } from '../editing/agent-function-store.ts';
import { listMessagesFrom } from '../editing/message-store.ts';
import type { Manifest } from '../files/manifest.ts';
import type { PageFiles } from '../files/page-files.ts';
import { readManifest } from '../files/store.ts';
import { listPeople } from '../model/access-store.ts';
import { findDraftDocument, listDrafts } from '../model/draft-store.ts';
import { findPage } from '../model/page-store.ts';
import { findVersion } from '../model/version-store.ts';
import { toDetail, toMessage } from '../model/wire.ts';
import { eachBlob, eachPage, eachVersion, listOldSlugs, messageIdsInBatches } from './store.ts';

/** The dependencies of exporting pages. */
export interface PageExport {
  db: Db;
  files: Pick<PageFiles, 'open'>;
  baseUrl: string;
  functions: Pick<PageFunctions, 'list'>;
  /** What other slices store with a page, below this folder. */
  parts: Array<(page: PageRow, folder: string) => AsyncIterable<ExportFile>>;
}

/** Every page of a user with everything that belongs to it. A page that is deleted in the meantime is left out. */
export async function* exportPages(context: PageExport, userId: number): AsyncGenerator<ExportFile> {
  for await (const { id } of eachPage(context.db, userId)) {
    const page = await findPage(context.db, id);
    if (!page || page.owner_id !== userId) continue;
    const folder = `pages/${page.slug}`;
    yield* exportPage(context, page, folder);
    for (const part of context.parts) yield* part(page, folder);
  }
}

async function* exportPage(context: PageExport, page: PageRow, folder: string): AsyncGenerator<ExportFile> {
  const { db, baseUrl } = context;
  const current = await findVersion(db, page.id, page.version);
  if (!current) return;
  const people = await listPeople(db, page.id);
  const domains = await listDomains(db, page.id);
  const agent_functions = await findAgentFunctions(db, page.id);
  const { picture: _, ...settings } = toDetail(
    page,
    {
      functions: await context.functions.list(db, page),
      agent_functions,
      people,
      picture: undefined,
      branch: undefined,
    },
    baseUrl,
  );
  yield exportFile(`${folder}/page.json`, {
    ...settings,
    storage_mode: page.storage_mode,
    version: page.version,
    note: current.note ?? '',
    created_at: toTimestamp(page.created_at),
    domains: domains.map(({ domain, verified_at }) => ({ domain, isVerified: verified_at !== null })),
    former_slugs: await listOldSlugs(db, page.id),
  });
  yield exportFile(`${folder}/site/index.html`, current.html_content);
  const manifest = await readManifest(db, current.manifest_id);
  for (const [path, { hash, size }] of manifest)
    yield* exportBytes(context, hash, size, `${folder}/site/${path}`);
  yield* exportVersions(context, page, folder, manifest);
  yield* exportDrafts(context, page, folder);
  yield exportLines(`${folder}/editor-messages.jsonl`, messages(db, page.id));
}

/** Exports earlier documents, the lists of their files, and the files that the current version does not have. */
async function* exportVersions(
  context: PageExport,
  page: PageRow,
  folder: string,
  current: Manifest,
): AsyncGenerator<ExportFile> {
  const { db } = context;
  for await (const { version, created_at, size } of eachVersion(db, page.id)) {
    if (version === page.version) continue;
    const found = await findVersion(db, page.id, version);
    if (!found) continue;
    yield exportFile(`${folder}/versions/${version}/version.json`, {
      version,
      createdAt: toTimestamp(created_at),
      size,
      author: found.author,
      note: found.note ?? '',
      files: Object.fromEntries(await readManifest(db, found.manifest_id)),
    });
    yield exportFile(`${folder}/versions/${version}/index.html`, found.html_content);
  }
  const known = new Set([...current.values()].map(({ hash }) => hash));
  for await (const { hash, size } of eachBlob(db, page.id))
    if (!known.has(hash)) yield* exportBytes(context, hash, size, `${folder}/versions/files/${hash}`);
}

/** Exports drafts. Their files are among those of the versions. */
async function* exportDrafts({ db }: PageExport, page: PageRow, folder: string): AsyncGenerator<ExportFile> {
  for (const { id } of await listDrafts(db, page.id)) {
    const draft = await findDraftDocument(db, page.id, id);
    if (!draft) continue;
    yield exportFile(`${folder}/drafts/${id}/draft.json`, {
      ...toDraft(draft),
      files: Object.fromEntries(await readManifest(db, draft.manifest_id)),
    });
    yield exportFile(`${folder}/drafts/${id}/index.html`, draft.html_content);
  }
}

async function* exportBytes(
  { files }: PageExport,
  hash: string,
  size: number,
  path: string,
): AsyncGenerator<ExportFile> {
  const found = await files.open(hash);
  if (!found) return;
  const bytes = (found instanceof Blob ? found.stream() : found) as unknown as AsyncIterable<Uint8Array>;
  yield { path, size, bytes };
}

async function* messages(db: Db, pageId: number) {
  for await (const ids of messageIdsInBatches(db, pageId)) {
    const [first = 0, last = 0] = [ids[0]?.id, ids.at(-1)?.id];
    for (const row of await listMessagesFrom(db, pageId, first, last)) yield toMessage(row);
  }
}
