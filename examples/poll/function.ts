import { z } from 'npm:zod@4';
import { options, question } from './function/poll.ts';

/**
 * The votes of the page "Poll". Quire tells the function who calls, in headers that a browser cannot set. The user id is
 * part of the primary key, so everyone has one vote.
 */

interface Env {
  DB: D1Database;
  LIVE: { publish(pageId: number, channel: string, message: unknown): Promise<void> };
}

const Call = z.discriminatedUnion('action', [
  z.object({ action: z.literal('show') }),
  z.object({ action: z.literal('vote'), option: z.enum(options.map(({ id }) => id)) }),
]);

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const call = Call.safeParse(await request.json().catch(() => null));
    if (!call.success) return fail(400, z.prettifyError(call.error));
    const voter = request.headers.get('x-quire-user-id');
    await env.DB.prepare(
      'create table if not exists votes (question text, voter integer, choice text, sample integer default 0, primary key (question, voter))',
    ).run();
    if (call.data.action === 'vote') {
      if (!voter) return fail(401, 'Log in to vote.');
      await env.DB.prepare(
        'insert into votes (question, voter, choice) values (?, ?, ?) on conflict (question, voter) do update set choice = excluded.choice',
      )
        .bind(question, voter, call.data.option)
        .run();
    }
    const votes = await countVotes(env.DB);
    const page = request.headers.get('x-quire-page-id');
    if (call.data.action === 'vote' && page) ctx.waitUntil(env.LIVE.publish(Number(page), 'votes', votes));
    return Response.json({
      success: true,
      data: {
        question,
        options,
        votes,
        choice: await find(env.DB, voter),
        samples: await hasSamples(env.DB),
      },
    });
  },
};

async function countVotes(db: D1Database): Promise<Record<string, number>> {
  const { results } = await db
    .prepare('select choice, count(*) as count from votes where question = ? group by choice')
    .bind(question)
    .all<{ choice: string; count: number }>();
  return Object.fromEntries(results.map(({ choice, count }) => [choice, count]));
}

async function find(db: D1Database, voter: string | null): Promise<string | null> {
  const asked = db.prepare('select choice from votes where question = ? and voter = ?').bind(question, voter);
  return (await asked.first<string>('choice')) ?? null;
}

/** The template of this page has votes that show what it looks like. */
async function hasSamples(db: D1Database): Promise<boolean> {
  const asked = db.prepare('select 1 from votes where voter < 0 and question = ? limit 1').bind(question);
  return (await asked.first()) !== null;
}

function fail(status: number, error: string): Response {
  return Response.json({ success: false, error }, { status });
}
