import {
  type AdminFunctionQuery,
  type AdminPageQuery,
  FUNCTION_STATES,
  PAGE_STATES,
} from '../../contract/admin/content.ts';
import { contentEndpoints } from '../../contract/admin/content-endpoints.ts';
import { serviceEndpoints } from '../../contract/admin/service-endpoints.ts';
import { userEndpoints } from '../../contract/admin/user-endpoints.ts';
import { USER_ORDERS, USER_STATES, type UserQuery } from '../../contract/admin/users.ts';
import { type Call, type Command, type Option, SERVER_OPTION } from '../command.ts';
import { saySize } from '../terminal/amounts.ts';
import { columns } from '../terminal/columns.ts';
import { connectAsAdmin, findUser } from './connect.ts';

/** What administrators read. */

const text = (value: string, summary: string): Option => ({ type: 'string', value, summary });
const PAGING = {
  limit: text('n', 'show at most this many (default 50, at most 100)'),
  offset: text('n', 'skip this many'),
};
const SEARCH = { search: text('text', 'only those with this in their name') };

const formatDay = (iso: string) => iso.slice(0, 10);
const formatMinute = (iso: string) => iso.slice(0, 16).replace('T', ' ');

/** Which part of a list to show. The server checks the values of all options. */
const pagedQuery = (call: Call) => ({
  q: call.text('search'),
  limit: call.text('limit'),
  offset: call.text('offset'),
});

/** Prints a table, and how many of all rows it shows. */
function show(call: Call, list: { total: number }, headings: string[], rows: unknown[][]): void {
  call.out.result(
    list,
    rows.length === 0 ? 'Nothing was found.' : columns(headings, rows, call.out.paint.bold),
  );
  if (list.total > rows.length) call.out.note(`${rows.length} of ${list.total}. See more with --offset.`);
}

const users: Command = {
  name: 'admin users',
  usage: '',
  args: [0, 0],
  summary: 'list the users of the server',
  options: {
    ...SEARCH,
    state: text('state', `only ${USER_STATES.join(', ')}`),
    administrators: { type: 'boolean', summary: 'only administrators' },
    sort: text('order', `${USER_ORDERS.join(', ')} (default oldest)`),
    ...PAGING,
    ...SERVER_OPTION,
  },
  async run(call) {
    const api = await connectAsAdmin(call);
    const list = await api.call(userEndpoints.listUsers, {
      query: {
        ...pagedQuery(call),
        state: call.text('state') as UserQuery['state'],
        sort: call.text('sort') as UserQuery['sort'],
        administrators: call.flag('administrators') ? 'true' : undefined,
      },
    });
    const rows = list.users.map((user) => [
      ...[user.id, user.username, user.email, user.isAdmin ? 'administrator' : ''],
      user.suspendedAt ? 'suspended' : user.removalDueAt ? `leaves ${formatDay(user.removalDueAt)}` : '',
      ...[user.pages, user.functions, saySize(user.storedBytes), formatDay(user.createdAt)],
    ]);
    const headings = ['id', 'username', 'email', 'role', 'state', 'pages', 'functions', 'stored', 'since'];
    show(call, list, headings, rows);
  },
};

const user: Command = {
  name: 'admin user',
  usage: '<user>',
  args: [1, 1],
  summary: 'show what a user stores, their quota, and how they log in',
  options: SERVER_OPTION,
  notes: '<user> is a username or an id.',
  async run(call) {
    const [name = ''] = call.args;
    const api = await connectAsAdmin(call);
    const { user: found } = await api.call(userEndpoints.getUser, {
      params: { id: await findUser(api, name) },
    });
    const rows = Object.entries(found).map(([field, value]) => [field, value]);
    call.out.result(found, columns(['field', 'value'], rows, call.out.paint.bold));
  },
};

const pages: Command = {
  name: 'admin pages',
  usage: '',
  args: [0, 0],
  summary: 'list the pages of all users, newest first',
  options: {
    ...SEARCH,
    owner: text('name', 'only of this user'),
    state: text('state', `only ${PAGE_STATES.join(', ')}`),
    ...PAGING,
    ...SERVER_OPTION,
  },
  async run(call) {
    const list = await (await connectAsAdmin(call)).call(contentEndpoints.listAllPages, {
      query: {
        ...pagedQuery(call),
        owner: call.text('owner'),
        state: call.text('state') as AdminPageQuery['state'],
      },
    });
    const rows = list.pages.map((page) => [
      ...[page.id, page.slug, page.name, page.owner.username],
      ...[
        describeState(page) ||
          (page.unclaimedUntil ? 'unclaimed' : page.isPublished ? page.accessMode : 'draft'),
        page.views,
        formatDay(page.updatedAt),
      ],
    ]);
    show(call, list, ['id', 'slug', 'name', 'owner', 'state', 'views', 'updated'], rows);
  },
};

const functions: Command = {
  name: 'admin functions',
  usage: '',
  args: [0, 0],
  summary: 'list the functions of all users, newest first',
  options: {
    ...SEARCH,
    owner: text('name', 'only of this user'),
    state: text('state', `only ${FUNCTION_STATES.join(', ')}`),
    ...PAGING,
    ...SERVER_OPTION,
  },
  async run(call) {
    const list = await (await connectAsAdmin(call)).call(contentEndpoints.listAllFunctions, {
      query: {
        ...pagedQuery(call),
        owner: call.text('owner'),
        state: call.text('state') as AdminFunctionQuery['state'],
      },
    });
    const rows = list.functions.map((each) => [
      ...[each.id, each.slug, each.displayName, each.owner?.username ?? 'system'],
      ...[describeState(each) || (each.isPublic ? 'public' : 'private'), formatDay(each.updatedAt)],
    ]);
    show(call, list, ['id', 'slug', 'name', 'owner', 'state', 'updated'], rows);
  },
};

const describeState = ({ takenDown, isOwnerBlocked }: { takenDown: unknown; isOwnerBlocked: boolean }) =>
  takenDown ? 'taken down' : isOwnerBlocked ? 'blocked' : '';

const audit: Command = {
  name: 'admin audit',
  usage: '',
  args: [0, 0],
  summary: 'show who did what, when and from where, newest first',
  options: {
    actor: text('name', 'only what this user did'),
    action: text('action', 'only this action, such as page.take_down, or page. for all on pages'),
    target: text('name', 'only what was done to this user, page or function'),
    from: text('time', 'only since then, such as 2026-11-01T00:00:00Z'),
    to: text('time', 'only until then'),
    before: text('id', 'only entries before this one'),
    limit: text('n', 'show at most this many (default 50, at most 200)'),
    ...SERVER_OPTION,
  },
  async run(call) {
    const api = await connectAsAdmin(call);
    const list = await api.call(serviceEndpoints.listAuditEntries, {
      query: {
        actor: call.text('actor'),
        action: call.text('action'),
        target: call.text('target'),
        from: call.text('from'),
        to: call.text('to'),
        before: call.text('before'),
        limit: call.text('limit'),
      },
    });
    const rows = list.entries.map(({ id, at, actor, action, target, address, details }) => [
      ...[id, formatMinute(at), actor, action, `${target.kind} ${target.name}`, address],
      Object.keys(details).length > 0 ? details : '',
    ]);
    const headings = ['id', 'time (UTC)', 'actor', 'action', 'target', 'address', 'details'];
    call.out.result(
      list,
      rows.length === 0 ? 'Nothing was found.' : columns(headings, rows, call.out.paint.bold),
    );
    if (list.next !== null) call.out.note(`See more with --before ${list.next}.`);
  },
};

export const adminLists: Command[] = [users, user, pages, functions, audit];
