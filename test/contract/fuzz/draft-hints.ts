import type { Give } from './hint.ts';
import { fileForm } from './request.ts';
import type { World } from './world.ts';

/** Hints for drafts and their previews. Each request gets a page of its own, which has room for its draft. */

const FILE = 'a.txt';

async function newDraft(world: World) {
  const { id, slug } = await world.newPage();
  const path = `/api/pages/${id}/drafts`;
  const { draft } = await world.asOwner('POST', path, { html_content: '<p>a draft', note: 'blue' });
  return { id, slug, draft: draft.id as number, url: draft.preview_url as string };
}

async function newDraftFile(world: World) {
  const { id, draft } = await newDraft(world);
  await world.asOwner('PUT', `/api/pages/${id}/drafts/${draft}/files/${FILE}`, {});
  return { id, draft, path: FILE };
}

const makeDraft: Give = async (world) => {
  const { id, draft } = await newDraft(world);
  // A random version or revision is not the current one.
  const fields = { base_version: undefined, revision: undefined };
  return { params: { id, draft }, fields, query: { revision: undefined } };
};
const makeDraftFile: Give = async (world) => ({
  params: await newDraftFile(world),
  query: { revision: undefined },
});

export const DRAFT_HINTS: Record<string, Give> = {
  createDraft: () => ({ fields: { base_version: undefined } }),
  getDraft: makeDraft,
  updateDraft: makeDraft,
  deleteDraft: makeDraft,
  publishDraft: makeDraft,
  readDraftFile: makeDraftFile,
  writeDraftFile: makeDraftFile,
  deleteDraftFile: makeDraftFile,
  replaceDraftFiles: async (world, random) => ({
    ...(await makeDraft(world, random)),
    ...fileForm(`${random.word()}.txt`, random.word(random.int(0, 200))),
  }),
  async viewPreview(world, random) {
    const { slug, url } = await newDraft(world);
    const token = /~preview\/([^/]+)\//.exec(url)?.[1] ?? '';
    return { role: random.pick(['anonymous', 'owner cookie']), params: { slug, token, path: '' } };
  },
};
