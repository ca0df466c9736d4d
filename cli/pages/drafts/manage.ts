import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import { type Api, ApiError } from '../../client/api.ts';
import { type Command, SERVER_OPTION } from '../../command.ts';
import { printable } from '../../terminal/colours.ts';
import { columns } from '../../terminal/columns.ts';
import { CommandError, EXIT, UsageError } from '../../usage.ts';
import { findDraftedPage, toDraftId } from './page.ts';
import { draftsSave } from './save.ts';

const PAGE = '<folder|slug|id>';

const list: Command = {
  name: 'pages drafts list',
  usage: PAGE,
  args: [1, 1],
  summary: 'list the drafts of a page with the URLs of their previews, last saved first',
  options: SERVER_OPTION,
  async run(call) {
    const { api, id } = await findDraftedPage(call);
    const found = await readDrafts(api, id);
    const rows = found.drafts.map((draft) => [
      draft.id,
      draft.note,
      draft.base_version,
      draft.updatedAt.slice(0, 16).replace('T', ' '),
      draft.author,
      draft.preview_url,
    ]);
    const headings = ['id', 'note', 'based on', 'saved (UTC)', 'by', 'preview'];
    call.out.result(
      found,
      rows.length === 0
        ? 'This page has no drafts. Save one with quire pages drafts save <folder>.'
        : columns(headings, rows, call.out.paint.bold),
    );
  },
};

const publish: Command = {
  name: 'pages drafts publish',
  usage: `${PAGE} <draft>`,
  args: [2, 2],
  summary: 'make a draft the next version of its page',
  options: {
    note: { type: 'string', value: 'text', summary: 'the note on the version; default: that of the draft' },
    force: {
      type: 'boolean',
      summary:
        'also if the page has changed since the draft was started (the other version stays in the history)',
    },
    ...SERVER_OPTION,
  },
  notes: `Name the folder that the draft was saved from, and the next push from there continues from the new version.`,
  async run(call) {
    const draft = toDraftId(call.args[1] ?? '');
    const page = await findDraftedPage(call);
    const { api, id } = page;
    const note = call.text('note');
    const body = {
      ...(note !== undefined && { note }),
      ...(call.flag('force') && { base_version: (await readDrafts(api, id)).currentVersion }),
    };
    const { version, url } = await api
      .call(draftEndpoints.publishDraft, { params: { id, draft }, body })
      .catch(explain);
    await page.keepVersion(version);
    call.out.done({ id, draft, version, url }, printable(`published  ${url} (version ${version})`));
  },
};

const remove: Command = {
  name: 'pages drafts delete',
  usage: `${PAGE} <draft> --yes`,
  args: [2, 2],
  summary: 'delete a draft, for good',
  options: { yes: { type: 'boolean', summary: 'confirm the deletion' }, ...SERVER_OPTION },
  async run(call) {
    const draft = toDraftId(call.args[1] ?? '');
    if (!call.flag('yes')) {
      throw new UsageError(
        `This permanently deletes the draft ${draft} with its files. Add --yes to confirm.`,
      );
    }
    const { api, id } = await findDraftedPage(call);
    await api.call(draftEndpoints.deleteDraft, { params: { id, draft } });
    call.out.done({ id, deleted: draft }, `Deleted the draft ${draft}.`);
  },
};

export const draftsCommands = [draftsSave, list, publish, remove];

const readDrafts = (api: Api, id: number) => api.call(draftEndpoints.listDrafts, { params: { id } });

function explain(error: unknown): never {
  if (!(error instanceof ApiError) || error.body.currentVersion === undefined) throw error;
  throw new CommandError(
    `${error.message}\nTo publish the draft all the same, add --force (the other version stays in the history).`,
    EXIT.conflict,
    error.details,
  );
}
