import { AuditList } from '../../contract/admin/audit.ts';
import {
  AdminFunctionList,
  AdminPageList,
  FUNCTION_STATES,
  PAGE_STATES,
} from '../../contract/admin/content.ts';
import { USER_ORDERS, USER_STATES, UserDetailResponse, UserList } from '../../contract/admin/users.ts';
import { type Call, type Command, type Option, SERVER_OPTION } from '../command.ts';
import { saySize } from '../terminal/amounts.ts';
import { columns } from '../terminal/columns.ts';
import { connectAsAdmin, userPath } from './connect.ts';

/** What administrators read. */

const text = (value: string, summary: string): Option => ({ type: 'string', value, summary });
const PAGING = {
  limit: text('n', 'show at most this many (default 50, at most 100)'),
  offset: text('n', 'skip this many'),
};
const SEARCH = { search: text('text', 'only those with this in their name') };

const dayOf = (iso: string) => iso.slice(0, 10);
const minuteOf = (iso: string) => iso.slice(0, 16).replace('T', ' ');

/** The options of a command as a query. The server checks their values. */
function queryOf(call: Call, names: Record<string, string>): string {
  const query = new URLSearchParams();
  for (const [option, name] of Object.entries(names)) {
    const given = call.text(option);
    if (given !== undefined) query.set(name, given);
  }
  return query.size === 0 ? '' : `?${query}`;
}

const PAGED = { search: 'q', state: 'state', owner: 'owner', limit: 'limit', offset: 'offset' };

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
    const query = queryOf(call, { ...PAGED, sort: 'sort' });
    const path = call.flag('administrators') ? `${query || '?'}&administrators=true` : query;
    const list = await api.call('GET', `/api/admin/users${path}`, { reads: UserList });
    const rows = list.users.map((user) => [
      ...[user.id, user.username, user.email, user.isAdmin ? 'administrator' : ''],
      user.suspendedAt ? 'suspended' : user.removalDueAt ? `leaves ${dayOf(user.removalDueAt)}` : '',
      ...[user.pages, user.functions, saySize(user.storedBytes), dayOf(user.createdAt)],
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
    const { user: found } = await api.call('GET', await userPath(api, name), { reads: UserDetailResponse });
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
    const path = `/api/admin/pages${queryOf(call, PAGED)}`;
    const list = await (await connectAsAdmin(call)).call('GET', path, { reads: AdminPageList });
    const rows = list.pages.map((page) => [
      ...[page.id, page.slug, page.name, page.owner.username],
      ...[stateOf(page) || (page.isPublished ? page.accessMode : 'draft'), page.views, dayOf(page.updatedAt)],
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
    const path = `/api/admin/functions${queryOf(call, PAGED)}`;
    const list = await (await connectAsAdmin(call)).call('GET', path, { reads: AdminFunctionList });
    const rows = list.functions.map((each) => [
      ...[each.id, each.slug, each.displayName, each.owner?.username ?? 'system'],
      ...[stateOf(each) || (each.isPublic ? 'public' : 'private'), dayOf(each.updatedAt)],
    ]);
    show(call, list, ['id', 'slug', 'name', 'owner', 'state', 'updated'], rows);
  },
};

const stateOf = ({ takenDown, isOwnerBlocked }: { takenDown: unknown; isOwnerBlocked: boolean }) =>
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
    const names = ['actor', 'action', 'target', 'from', 'to', 'before', 'limit'];
    const query = queryOf(call, Object.fromEntries(names.map((name) => [name, name])));
    const api = await connectAsAdmin(call);
    const list = await api.call('GET', `/api/admin/audit${query}`, { reads: AuditList });
    const rows = list.entries.map(({ id, at, actor, action, target, address, details }) => [
      ...[id, minuteOf(at), actor, action, `${target.kind} ${target.name}`, address],
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
