import { PASSWORD, type TestApp, type TestResponse, type TestUser } from '../app.ts';
import { runSql } from '../engines/storage.ts';

/** An administrator with a token that may administrate. */
export interface Administrator extends TestUser {
  /** Calls with that token. */
  admin(method: string, path: string, body?: unknown): Promise<TestResponse>;
}

/** Registers somebody and makes them an administrator. */
export async function administrator(quire: TestApp, name?: string): Promise<Administrator> {
  const user = await quire.user(name);
  await runSql(quire, `update users set is_admin = 1 where id = ${user.id}`);
  const body = { username: user.username, password: PASSWORD, scopes: ['admin'] };
  const { accessToken: token } = (await quire.call('POST', '/api/auth/token', { body })).body;
  return {
    ...user,
    admin: (method, path, sent) =>
      quire.call(method, path, { token, ...(sent !== undefined && { body: sent }) }),
  };
}
