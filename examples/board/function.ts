import { z } from 'npm:zod@4';

/**
 * Stores the notes of the page "Board" and tells everyone about each change. Everyone who is logged in can add and move
 * notes. Only the author can change the text or remove the note.
 */

interface Env {
  DB: D1Database;
  LIVE: { publish(pageId: number, channel: string, message: unknown): Promise<void> };
}

const MAX_NOTES = 200;

const id = z.int();
const place = { x: z.number().min(0).max(1440), y: z.number().min(0).max(840) };
const text = z.string().trim().max(200);
const color = z.enum(['lemon', 'peach', 'mint', 'sky', 'lilac']);

const Call = z.discriminatedUnion('action', [
  z.object({ action: z.literal('list') }),
  z.object({ action: z.literal('add'), ...place, color, text }),
  z.object({ action: z.literal('move'), id, ...place }),
  z.object({ action: z.literal('write'), id, text }),
  z.object({ action: z.literal('remove'), id }),
]);
type Change = Exclude<z.infer<typeof Call>, { action: 'list' }>;

const NOTES = `create table if not exists notes (
  id integer primary key autoincrement, x real not null, y real not null, color text not null, text text not null,
  author_id integer not null, author text not null, sample integer not null default 0
)`;

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const call = Call.safeParse(await request.json().catch(() => null));
    if (!call.success) return fail(400, z.prettifyError(call.error));
    await env.DB.exec(NOTES.replaceAll('\n', ' '));
    if (call.data.action === 'list') {
      const { results } = await env.DB.prepare('select * from notes order by id').all();
      return succeed(results);
    }
    // Quire sets these headers. The name is percent-encoded.
    const userId = Number(request.headers.get('x-quire-user-id'));
    const username = decodeURIComponent(request.headers.get('x-quire-user-name') ?? '');
    if (!userId) return fail(401, 'Log in to change the board.');
    const changed = await write(env.DB, call.data, { id: userId, username });
    if (!changed) return fail(409, refusals[call.data.action]);
    const page = Number(request.headers.get('x-quire-page-id'));
    ctx.waitUntil(
      env.LIVE.publish(page, 'board', { [call.data.action === 'remove' ? 'removed' : 'note']: changed }),
    );
    return succeed(changed);
  },
};

const refusals = {
  add: `The board is full: it has ${MAX_NOTES} notes.`,
  move: 'This note is no longer on the board.',
  write: 'Only the author of a note can change its text.',
  remove: 'Only the author of a note can remove it.',
};

/** Makes a change and returns the note; null if it is not allowed. The condition is part of each statement. */
function write(db: D1Database, change: Change, user: { id: number; username: string }): Promise<unknown> {
  switch (change.action) {
    case 'add':
      return db
        .prepare(
          `insert into notes (x, y, color, text, author_id, author)
            select ?, ?, ?, ?, ?, ? where (select count(*) from notes) < ${MAX_NOTES} returning *`,
        )
        .bind(change.x, change.y, change.color, change.text, user.id, user.username)
        .first();
    case 'move':
      return db
        .prepare('update notes set x = ?, y = ? where id = ? returning *')
        .bind(change.x, change.y, change.id)
        .first();
    case 'write':
      return db
        .prepare('update notes set text = ? where id = ? and author_id = ? returning *')
        .bind(change.text, change.id, user.id)
        .first();
    case 'remove':
      return db
        .prepare('delete from notes where id = ? and author_id = ? returning *')
        .bind(change.id, user.id)
        .first();
  }
}

function succeed(data: unknown): Response {
  return Response.json({ success: true, data });
}

function fail(status: number, error: string): Response {
  return Response.json({ success: false, error }, { status });
}
