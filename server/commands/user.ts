import type { Call } from '../../cli/command.ts';
import { readSecretValue } from '../../cli/terminal/ask.ts';
import { columns } from '../../cli/terminal/columns.ts';
import { UsageError } from '../../cli/usage.ts';
import { listUsers as listAll } from '../product/accounts/index.ts';
import { operate } from './operate.ts';

/** No filter, and a limit that no server reaches. */
const EVERYBODY = { limit: 1_000_000_000, offset: 0, q: undefined };

/** `quire user list`: lists all accounts. */
export function listUsers(call: Call): Promise<void> {
  return operate(call, async (_, db) => {
    const { rows: all } = await listAll(db, EVERYBODY);
    const users = all.map(({ is_admin, created_at, bytes, ...user }) => ({
      ...user,
      isAdmin: is_admin === 1,
      createdAt: new Date(created_at).toISOString(),
      storedBytes: bytes,
    }));
    const headings = ['id', 'username', 'email', 'role', 'pages', 'functions', 'bytes', 'since'];
    const rows = users.map((user) => [
      ...[user.id, user.username, user.email, user.isAdmin ? 'administrator' : ''],
      ...[user.pages, user.functions, user.storedBytes, user.createdAt.slice(0, 10)],
    ]);
    call.out.result(
      { users },
      rows.length ? columns(headings, rows, call.out.paint.bold) : 'There are no users yet.',
    );
  });
}

/** `quire user create`: creates an account, even if registration is closed. */
export function createUser(call: Call): Promise<void> {
  const email = call.text('email');
  if (!email) throw new UsageError('An account needs an email address: --email <address>.');
  return operate(call, async (operator) => {
    const [wanted = ''] = call.args;
    const password = await readSecretValue(`Password for ${wanted}: `);
    const { id, username } = await operator.create({ username: wanted, email, password });
    if (call.flag('admin')) await operator.setAdmin(username, true);
    call.out.done({ id, username, isAdmin: call.flag('admin') }, `Created the account ${username}.`);
  });
}

/** `quire user password`: sets a new password. */
export function resetPassword(call: Call): Promise<void> {
  return operate(call, async (operator) => {
    const [username = ''] = call.args;
    await operator.resetPassword(username, await readSecretValue(`New password for ${username}: `));
    call.out.done(
      { username },
      `Set a new password for ${username}. All sessions and their tokens have ended.`,
    );
  });
}

/** `quire user reset`: makes a link to set a new password. */
export function makeResetLink(call: Call): Promise<void> {
  return operate(call, async (operator) => {
    const [username = ''] = call.args;
    const link = await operator.makeResetLink(username);
    call.out.result(
      { username, link },
      `${link}\nGive this link to ${username}. It works once, for one day.`,
    );
  });
}

/** `quire user promote`: makes a user an administrator. */
export function promoteUser(call: Call): Promise<void> {
  return operate(call, async (operator) => {
    const [username = ''] = call.args;
    await operator.setAdmin(username, true);
    call.out.done({ username, isAdmin: true }, `${username} is now an administrator.`);
  });
}

/** `quire user demote`: removes administrator rights. */
export function demoteUser(call: Call): Promise<void> {
  return operate(call, async (operator) => {
    const [username = ''] = call.args;
    await operator.setAdmin(username, false);
    call.out.done({ username, isAdmin: false }, `${username} is no longer an administrator.`);
  });
}
