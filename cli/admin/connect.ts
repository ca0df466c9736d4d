import { AdminPageList } from '../../contract/admin/content.ts';
import { UserList } from '../../contract/admin/users.ts';
import { type Api, createApi } from '../client/api.ts';
import { findLogin } from '../client/connect.ts';
import { exchangeSession } from '../client/session.ts';
import type { Call } from '../command.ts';
import { CommandError, EXIT } from '../usage.ts';

/** Connects with the rights of an administrator, which the usual token of the command line does not have. */
export async function connectAsAdmin(call: Call): Promise<Api> {
  const { base_url, session, token } = await findLogin(call);
  if (session !== undefined)
    return createApi(base_url, async () => (await exchangeSession(base_url, session)).accessToken);
  if (call.environment.QUIRE_TOKEN === token) return createApi(base_url, token);
  throw new CommandError(
    `This login cannot administer the server. Run quire login ${base_url} --username <name>, or set QUIRE_TOKEN to a token with the scope admin.`,
    EXIT.denied,
  );
}

/** The path of a user, by name or id. */
export async function userPath(api: Api, name: string): Promise<string> {
  if (/^\d+$/.test(name)) return `/api/admin/users/${name}`;
  const query = new URLSearchParams({ username: name, limit: '1' });
  const { users } = await api.call('GET', `/api/admin/users?${query}`, { reads: UserList });
  if (users[0]) return `/api/admin/users/${users[0].id}`;
  throw new CommandError(`There is no user ${name}.`, EXIT.notFound);
}

/** The path of a page, by slug or id. */
export async function pagePath(api: Api, name: string): Promise<string> {
  if (/^\d+$/.test(name)) return `/api/admin/pages/${name}`;
  const query = new URLSearchParams({ slug: name, limit: '1' });
  const { pages } = await api.call('GET', `/api/admin/pages?${query}`, { reads: AdminPageList });
  if (pages[0]) return `/api/admin/pages/${pages[0].id}`;
  throw new CommandError(`There is no page ${name}.`, EXIT.notFound);
}

/** The path of a user, page or function. */
export function thingPath(api: Api, kind: string, name: string): Promise<string> | string {
  if (kind === 'user') return userPath(api, name);
  if (kind === 'page') return pagePath(api, name);
  return `/api/admin/functions/${encodeURIComponent(name)}`;
}
