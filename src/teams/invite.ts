import { type Actor, toTimestamp } from '../http/index.ts';
import { hashSecret, randomSecret } from '../lib/secrets.ts';
import type { TeamsContext } from './context.ts';
import { assertMayManage, lockTeam } from './rules.ts';
import type { InviteBody } from './schema.ts';
import { insertInvite } from './store.ts';

const DAY_MS = 24 * 3600 * 1000;

/** Makes a link by which others join a page's team. Only its hash is kept, so it is shown once. */
export async function createInvite(context: TeamsContext, actor: Actor, idOrSlug: string, wish: InviteBody) {
  const { db, now, baseUrl } = context;
  const code = randomSecret();
  const expiresAt = now() + wish.expiresInDays * DAY_MS;
  await db.transaction().execute(async (tx) => {
    const { page, role } = await lockTeam(tx, idOrSlug, actor);
    assertMayManage(role, wish.role);
    await insertInvite(tx, {
      code_hash: hashSecret(code),
      page_id: page.id,
      role: wish.role,
      uses: 0,
      max_uses: wish.maxUses ?? null,
      created_at: now(),
      expires_at: expiresAt,
    });
  });
  return {
    inviteCode: code,
    inviteUrl: `${baseUrl}/join/${code}`,
    role: wish.role,
    expiresAt: toTimestamp(expiresAt),
  };
}
