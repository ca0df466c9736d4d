import { pageEndpoints } from '../../contract/pages/endpoints.ts';
import type { PageSummary } from '../../contract/pages/pages.ts';
import { pageVersionEndpoints } from '../../contract/pages/versions/version-endpoints.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { openInBrowser } from '../terminal/browser.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { UsageError } from '../usage.ts';
import { findPageId, readPage } from './find.ts';
import {
  assertNoTimeOptions,
  isTime,
  pagesMoments,
  RESTORE_OPTIONS,
  restoreMoment,
} from './history/moments.ts';

const PAGE_SIZE = 100;

const pagesList: Command = {
  name: 'pages list',
  usage: '',
  args: [0, 0],
  summary: 'list your pages',
  options: {
    search: { type: 'string', value: 'text', summary: 'only pages that contain this text' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const api = await connect(call);
    const search = call.text('search');
    const pages: PageSummary[] = [];
    for (let total = 1; pages.length < total; ) {
      const query = { limit: PAGE_SIZE, offset: pages.length, q: search || undefined };
      const next = await api.call(pageEndpoints.listPages, { query });
      pages.push(...next.pages);
      // If a page is deleted in the meantime, `total` is never reached.
      total = next.pages.length === 0 ? 0 : next.total;
    }
    const rows = pages.map((page) => [
      page.id,
      page.slug,
      page.name,
      page.storage_mode,
      state(page),
      page.views,
      page.updated_at.slice(0, 16).replace('T', ' '),
    ]);
    const headings = ['id', 'slug', 'name', 'storage mode', 'state', 'views', 'updated (UTC)'];
    const none = search
      ? `None of your pages contains “${search}”.`
      : 'You have no pages yet. Publish one with quire pages push <folder>.';
    call.out.result(
      { pages, total: pages.length },
      rows.length === 0 ? none : columns(headings, rows, call.out.paint.bold),
    );
  },
};

const pagesVersions: Command = {
  name: 'pages versions',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'list the versions of a page, newest first',
  options: SERVER_OPTION,
  async run(call) {
    const { api, id } = await findPage(call);
    const list = await api.call(pageVersionEndpoints.listPageVersions, { params: { id } });
    const rows = list.versions.map(({ version, createdAt, size, author, current }) => [
      version,
      createdAt.slice(0, 19).replace('T', ' '),
      size,
      author,
      current ? 'current' : '',
    ]);
    call.out.result(
      list,
      columns(['version', 'created (UTC)', 'bytes', 'author', ''], rows, call.out.paint.bold),
    );
  },
};

const pagesRestore: Command = {
  name: 'pages restore',
  usage: '<slug|id> <version|time>',
  args: [2, 2],
  summary: 'restore an earlier version, or everything of the page as it was at a time',
  options: {
    ...RESTORE_OPTIONS,
    ...SERVER_OPTION,
  },
  async run(call) {
    const [, wanted = ''] = call.args;
    if (isTime(wanted)) return restoreMoment(call);
    assertNoTimeOptions(call);
    if (!/^[1-9]\d{0,8}$/.test(wanted))
      throw new UsageError(`${wanted} is neither a version number nor a time such as 2030-01-31T12:00:00Z.`);
    const { api, id } = await findPage(call);
    const { message, version } = await api.call(pageVersionEndpoints.restorePageVersion, {
      params: { id, version: wanted },
    });
    call.out.done({ id, message, version }, printable(message));
  },
};

const pagesDelete: Command = {
  name: 'pages delete',
  usage: '<slug|id> --yes',
  args: [1, 1],
  summary: 'permanently delete a page with its data',
  options: { yes: { type: 'boolean', summary: 'confirm the deletion' }, ...SERVER_OPTION },
  async run(call) {
    const [slugOrId] = call.args;
    if (!call.flag('yes')) {
      throw new UsageError(
        `This permanently deletes ${slugOrId} with its versions, data and files. Add --yes to confirm.`,
      );
    }
    const { api, id } = await findPage(call);
    await api.call(pageEndpoints.deletePage, { params: { id } });
    call.out.done({ deleted: id }, `Deleted ${slugOrId}.`);
  },
};

const pagesProtect: Command = {
  name: 'pages protect',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'keep tokens and connected apps from changing a page: they work on branches and drafts',
  options: { off: { type: 'boolean', summary: 'let them change it again' }, ...SERVER_OPTION },
  notes: 'Only a person can turn it off: in the dashboard, or after quire login with the password.',
  async run(call) {
    const { api, id } = await findPage(call);
    const isProtected = !call.flag('off');
    await api.call(pageEndpoints.updatePage, { params: { id }, body: { protected: isProtected } });
    const now = isProtected ? 'protected from programs' : 'no longer protected from programs';
    call.out.done({ id, protected: isProtected }, `${call.args[0]} is ${now}.`);
  },
};

const pagesOpen: Command = {
  name: 'pages open',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'print the URL of a page, and open it in a browser if there is a display',
  options: SERVER_OPTION,
  async run(call) {
    const { api, id } = await findPage(call);
    const url = `${api.baseUrl}/p/${(await readPage(api, id)).page.slug}`;
    call.out.result({ url, opened: openInBrowser(call.environment, url) }, url);
  },
};

export const pagesCommands = [
  pagesList,
  pagesOpen,
  pagesVersions,
  pagesMoments,
  pagesRestore,
  pagesProtect,
  pagesDelete,
];

async function findPage(call: Call) {
  const api = await connect(call);
  const [slugOrId = ''] = call.args;
  return { api, id: await findPageId(api, slugOrId) };
}

function state({ is_published, is_unlisted }: { is_published: boolean; is_unlisted: boolean }): string {
  if (!is_published) return 'draft';
  return is_unlisted ? 'unlisted' : 'published';
}
