import { sql } from 'kysely';
import { likePattern } from '../../lib/text.ts';
import type { Db } from '../../platform/storage/index.ts';

/** SQL for administrators. */
export async function listUsers(db: Db, page: { limit: number; offset: number; q: string | undefined }) {
  const { limit, offset } = page;
  const users = page.q ? db.selectFrom('users').where(named(page.q)) : db.selectFrom('users');
  const rows = await users
    .innerJoin('usage', 'usage.user_id', 'users.id')
    .innerJoin('credit_accounts', 'credit_accounts.user_id', 'users.id')
    .select(['users.id', 'users.username', 'users.email', 'users.is_admin', 'users.created_at'])
    .select(['usage.pages', 'usage.functions', 'usage.bytes', 'credit_accounts.balance_tokens'])
    .orderBy('users.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await users
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total };
}

function named(q: string) {
  const pattern = likePattern(q);
  return sql<boolean>`(username like ${pattern} escape '\\' or email like ${pattern} escape '\\')`;
}
