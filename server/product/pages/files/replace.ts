import type { ReplacedFiles } from '../../../../contract/pages/files/files.ts';
import { pageUrl } from '../../../../contract/pages/pages.ts';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { type Actor, identifySender } from '../../../platform/http/index.ts';
import { assertBase } from '../model/add-version.ts';
import { findPage } from '../model/page-store.ts';
import { currentState } from '../model/version-store.ts';
import { changeFiles, type FilesContext } from './change.ts';
import { readHtml } from './html.ts';
import { readManifest } from './store.ts';
import type { Unpacked } from './uploads/unpack.ts';
import { toFileList } from './wire.ts';

/** Replaces all files of a page in one step, and its document if there is an index.html among them. */
export async function replaceFiles(
  context: FilesContext,
  actor: Actor,
  id: number,
  request: Request,
  baseVersion: number | undefined,
): Promise<ReplacedFiles> {
  const { db, directory, uploads } = context;
  // 1. Check access before anything is read.
  const page = await directory.require(db, await findPage(db, id), actor, 'write');
  assertBase(page, baseVersion);
  const { manifest_id } = await currentState(db, page);
  const current = await readManifest(db, manifest_id);
  const known = [...new Set([...current.values()].map(({ hash }) => hash))];

  // 2. Receive and unpack the files, then make the new version.
  return uploads.receive(request, { sender: identifySender(actor, ''), known }, async (unpacked) => {
    const html = await readIndex(unpacked);
    const changed = await changeFiles(context, actor, id, {
      baseVersion,
      html,
      ...replacement(unpacked),
    });
    return {
      success: true as const,
      message: describeCount(changed.files.size),
      ...toFileList(changed.files),
      version: changed.page.version,
      url: pageUrl(context.baseUrl, changed.page.slug),
      warnings: [
        ...(html ? await context.warnings.find(html.text, actor.userId, id) : []),
        ...(await context.warnings.findInFiles(changed.newFiles, actor.userId, id)),
        ...(await context.warnings.findInRules(id)),
      ],
    };
  });
}

const describeCount = (files: number) =>
  files === 1 ? 'The page has 1 file.' : `The page has ${files.toLocaleString('en')} files.`;

/** The index.html of an upload, if it has one. */
export async function readIndex({ files }: Unpacked) {
  const index = files.find(({ path }) => path === INDEX_PATH);
  return index?.writtenTo === undefined ? undefined : readHtml(Bun.file(index.writtenTo));
}

/** The files of an upload, in place of those before. */
export function replacement({ files, keep }: Unpacked) {
  const others = files.filter(({ path }) => path !== INDEX_PATH);
  return {
    sent: others.map(({ writtenTo, ...file }) => ({
      ...file,
      content: writtenTo === undefined ? undefined : { path: writtenTo },
    })),
    next: () => new Map([...keep, ...others.map(({ path, hash }) => [path, hash] as const)]),
  };
}
