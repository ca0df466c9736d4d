import { type ExportFile, exportFile } from '../../../lib/formats/export-files.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db } from '../../../platform/storage/index.ts';

const toMoment = (at: number | null) => (at === null ? null : toTimestamp(at));

/** Exports what the service stores about a user, without the hashes of passwords, tokens and codes. */
export async function* exportAccount(db: Db, userId: number): AsyncGenerator<ExportFile> {
  const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();
  if (!user) return;
  const usage = await db
    .selectFrom('usage')
    .select(['pages', 'functions', 'bytes'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  yield exportFile('account.json', {
    id: user.id,
    username: user.username,
    email: user.email,
    emailConfirmedAt: toMoment(user.email_confirmed_at),
    isAdmin: user.is_admin === 1,
    createdAt: toTimestamp(user.created_at),
    needsSecondFactor: user.needs_second_factor === 1,
    quota: { pages: user.quota_pages, functions: user.quota_functions, bytes: user.quota_bytes },
    usage: usage ?? null,
    ...(await readLogins(db, userId)),
  });
}

async function readLogins(db: Db, userId: number) {
  return {
    sessions: await readSessions(db, userId),
    tokens: await readTokens(db, userId),
    passkeys: await readPasskeys(db, userId),
    externalLogins: await readExternalLogins(db, userId),
    invites: await readInvites(db, userId),
  };
}

async function readSessions(db: Db, userId: number) {
  const rows = await db
    .selectFrom('login_sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    name: row.name,
    userAgent: row.user_agent,
    address: row.address,
    method: row.method,
    createdAt: toTimestamp(row.created_at),
    lastSeenAt: toTimestamp(row.last_seen_at),
    expiresAt: toTimestamp(row.expires_at),
  }));
}

async function readTokens(db: Db, userId: number) {
  const rows = await db
    .selectFrom('tokens')
    .select(['name', 'scopes', 'created_at', 'last_used_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('kind', '=', 'personal')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    name: row.name,
    scopes: row.scopes.split(' '),
    createdAt: toTimestamp(row.created_at),
    lastUsedAt: toMoment(row.last_used_at),
    expiresAt: toMoment(row.expires_at),
  }));
}

async function readPasskeys(db: Db, userId: number) {
  const rows = await db
    .selectFrom('passkeys')
    .select(['name', 'created_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    name: row.name,
    createdAt: toTimestamp(row.created_at),
    lastUsedAt: toMoment(row.last_used_at),
  }));
}

async function readExternalLogins(db: Db, userId: number) {
  const rows = await db.selectFrom('external_logins').selectAll().where('user_id', '=', userId).execute();
  return rows.map((row) => ({
    issuer: row.issuer,
    subject: row.subject,
    createdAt: toTimestamp(row.created_at),
    lastUsedAt: toTimestamp(row.last_used_at),
  }));
}

async function readInvites(db: Db, userId: number) {
  const rows = await db
    .selectFrom('registration_invites')
    .selectAll()
    .where('created_by', '=', userId)
    .orderBy('id')
    .limit(1_000)
    .execute();
  return rows.map((row) => ({
    email: row.email,
    note: row.note,
    uses: row.uses,
    maxUses: row.max_uses,
    createdAt: toTimestamp(row.created_at),
    expiresAt: toTimestamp(row.expires_at),
  }));
}
