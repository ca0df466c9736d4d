import { contentEndpoints } from '../../contract/admin/content-endpoints.ts';
import { userEndpoints } from '../../contract/admin/user-endpoints.ts';
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

/** The id of a user, by name or id. */
export async function findUser(api: Api, name: string): Promise<number> {
  if (/^\d+$/.test(name)) return Number(name);
  const { users } = await api.call(userEndpoints.listUsers, { query: { username: name, limit: 1 } });
  if (users[0]) return users[0].id;
  throw new CommandError(`There is no user ${name}.`, EXIT.notFound);
}

/** The id of a page, by slug or id. */
export async function findAnyPage(api: Api, name: string): Promise<number> {
  if (/^\d+$/.test(name)) return Number(name);
  const { pages } = await api.call(contentEndpoints.listAllPages, { query: { slug: name, limit: 1 } });
  if (pages[0]) return pages[0].id;
  throw new CommandError(`There is no page ${name}.`, EXIT.notFound);
}
