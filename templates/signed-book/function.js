/** The back end of the guestbook. Stores the entries in its database. Call it with `{ action: 'list' | 'sign' }`. */

const MAX_NOTES = 5000;

export default {
  async fetch(request, env) {
    const params = await request.json().catch(() => ({}));
    await env.DB.prepare(
      `create table if not exists notes (
        id integer primary key, name text not null, text text not null, signed_at text not null,
        sample integer not null default 0
      )`,
    ).run();
    if (params?.action === 'sign') return sign(params, env.DB);
    return list(env.DB);
  },
};

async function list(db) {
  const { results } = await db.prepare('select * from notes order by id desc limit 50').all();
  const { total } = await db.prepare('select count(*) as total from notes').first();
  return succeed({ notes: results, total });
}

async function sign({ name, text }, db) {
  const [who, words] = [name, text].map((value) => (typeof value === 'string' ? value.trim() : ''));
  if (!who || who.length > 60) return fail('Enter a name with up to 60 characters.');
  if (!words || words.length > 500) return fail('Enter a note with up to 500 characters.');
  const { total } = await db.prepare('select count(*) as total from notes').first();
  if (total >= MAX_NOTES) return fail('The guestbook is full.');
  const note = await db
    .prepare('insert into notes (name, text, signed_at) values (?, ?, ?) returning *')
    .bind(who, words, new Date().toISOString())
    .first();
  return succeed({ note });
}

function succeed(data) {
  return Response.json({ success: true, data });
}

function fail(error) {
  return Response.json({ success: false, error }, { status: 400 });
}
