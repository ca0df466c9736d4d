import type { Db } from '../storage/index.ts';

/** SQL for administrators. */
export async function listUsers(db: Db, page: { limit: number; offset: number }) {
  const rows = await db
    .selectFrom('users')
    .innerJoin('usage', 'usage.user_id', 'users.id')
    .innerJoin('credit_accounts', 'credit_accounts.user_id', 'users.id')
    .select(['users.id', 'users.username', 'users.email', 'users.is_admin', 'users.created_at'])
    .select(['usage.pages', 'usage.functions', 'usage.bytes', 'credit_accounts.balance_tokens'])
    .orderBy('users.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const { total } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total };
}
