import { pageEndpoints } from '../../contract/pages/endpoints.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { findPageId } from './find.ts';

const list: Command = {
  name: 'pages slugs list',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'list the earlier addresses of a page, which redirect to it',
  options: SERVER_OPTION,
  async run(call) {
    const { api, id } = await open(call);
    const { slugs } = await api.call(pageEndpoints.listOldSlugs, { params: { id } });
    const rows = slugs.map(({ slug, reserved_until }) => [
      `/p/${printable(slug)}`,
      reserved_until.slice(0, 'YYYY-MM-DD'.length),
    ]);
    call.out.result(
      { slugs },
      rows.length === 0
        ? 'This page has had no other address.'
        : columns(['address', 'reserved until'], rows, call.out.paint.bold),
    );
  },
};

const release: Command = {
  name: 'pages slugs release',
  usage: '<slug|id> <old-slug>',
  args: [2, 2],
  summary: 'give up an earlier address of a page, so that anyone can use it',
  options: SERVER_OPTION,
  async run(call) {
    const { api, id, slug } = await open(call);
    const { message } = await api.call(pageEndpoints.giveUpSlug, { params: { id, slug } });
    call.out.done({ released: slug }, printable(message));
  },
};

export const slugsCommands = [list, release];

async function open(call: Call) {
  const [slugOrId = '', slug = ''] = call.args;
  const api = await connect(call);
  return { api, id: await findPageId(api, slugOrId), slug };
}
