import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import type { SavedDraft } from '../../../contract/pages/drafts.ts';
import type { Api, StreamedBody } from '../../client/api.ts';
import { type Command, SERVER_OPTION } from '../../command.ts';
import { documentPath, isOwnPath, type PageFolder, readPageFolder } from '../../project/folder.ts';
import { isAsked } from '../../terminal/ask.ts';
import { printable } from '../../terminal/colours.ts';
import type { Output } from '../../terminal/output.ts';
import { CommandError } from '../../usage.ts';
import { ALLOW_SECRETS, confirmDoubts } from '../before-push.ts';
import { findChange, uploadFiles } from '../files/upload.ts';
import { printLeftOut, printWarnings } from '../warnings.ts';
import { findPageOfFolder, toDraftId } from './page.ts';

export const draftsSave: Command = {
  name: 'pages drafts save',
  usage: '<folder|file.html> [slug|id]',
  args: [1, 2],
  summary: 'save a draft beside a page without publishing it, and print the URL of its preview',
  options: {
    draft: { type: 'string', value: 'id', summary: 'replace the content of this draft; default: a new one' },
    note: { type: 'string', value: 'text', summary: 'what it is about' },
    'allow-secrets': ALLOW_SECRETS,
    ...SERVER_OPTION,
  },
  notes: `A draft has the document and the files of the page. page.json, the agent spec and the function are not part of it.
Anyone with the URL of the preview can see it, for seven days. Without a slug or id, the page is the one that the folder
was pushed to or pulled from.`,
  async run(call) {
    const [path = '', slugOrId] = call.args;
    const page = await readPageFolder(path);
    const given = call.text('draft');
    const again = given === undefined ? undefined : toDraftId(given);
    const { api, id, version, known } = await findPageOfFolder(call, page, slugOrId);
    if (!call.flag('allow-secrets')) await confirmDoubts(page, known, isAsked());
    const saving = { id, draft: again, note: call.text('note'), version };
    const { draft, warnings } = await saveDraft(api, page, saving, call.out);
    printWarnings(call.out, documentPath(path, page), page.html, warnings);
    printLeftOut(call.out, page.left);
    call.out.done(
      { page: id, draft, warnings, left: page.left },
      printable(
        `saved      draft ${draft.id}, based on version ${draft.base_version}\n           ${draft.preview_url}`,
      ),
    );
    call.out.note(`Publish it with: quire pages drafts publish ${slugOrId ?? path} ${draft.id}`);
  },
};

/** What to save, besides the document and the files. */
interface Saving {
  /** The page. */
  id: number;
  /** The draft to save over; undefined for a new one. */
  draft: number | undefined;
  note: string | undefined;
  /** The version that it is based on. */
  version: number | undefined;
}

/** Saves the document and the files of a folder as a draft. */
export async function saveDraft(
  api: Api,
  page: PageFolder,
  { id, draft, note, version }: Saving,
  out: Output,
): Promise<SavedDraft> {
  const body = {
    html_content: page.html,
    ...(note !== undefined && { note }),
    ...(version !== undefined && { base_version: version }),
  };
  const first =
    draft === undefined
      ? await api.call(draftEndpoints.createDraft, { params: { id }, body })
      : await api.call(draftEndpoints.updateDraft, { params: { id, draft }, body });
  return saveFiles(api, id, page, first, out);
}

/** Sends the files that the draft does not have. What the server said before its files were there is outdated. */
async function saveFiles(
  api: Api,
  pageId: number,
  page: PageFolder,
  first: SavedDraft,
  out: Output,
): Promise<SavedDraft> {
  const { html, files } = page;
  const { id, revision } = first.draft;
  const params = { id: pageId, draft: id };
  const present = files && (await api.call(draftEndpoints.getDraft, { params })).files;
  const change = files && present && findChange(files, present, isOwnPath(page));
  if (!change) return first;
  try {
    const send = (stream: StreamedBody) =>
      api.call(draftEndpoints.replaceDraftFiles, { params, query: { revision }, stream });
    return await uploadFiles({ html, change, send }, out);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(
      `${error.message}\nThe draft ${id} has the document, but not the files. Save it again with --draft ${id}.`,
      error.exitCode,
      error.details,
    );
  }
}
