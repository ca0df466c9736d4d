/**
 * The back end of the sign-up sheet. It counts the places, so that no line gets one name too many. Names can be taken back
 * only by who wrote them: with the key that they got, or with their account. The owner of the page can remove any.
 */

const MAX_LINES = 60;
const MAX_PLACES = 100;

const TABLES = [
  `create table if not exists lines (
    id integer primary key, title text not null, note text not null default '', places integer not null, sample integer not null default 0
  )`,
  `create table if not exists names (
    id integer primary key, line integer not null, name text not null, key text not null, user text, sample integer not null default 0
  )`,
];

export default {
  async fetch(request, env) {
    const params = await request.json().catch(() => ({}));
    await env.DB.batch(TABLES.map((table) => env.DB.prepare(table)));
    const who = {
      user: request.headers.get('x-quire-user-id'),
      isOwner: request.headers.get('x-quire-team-role') === 'owner',
    };
    const action = ACTIONS[params?.action] ?? show;
    return action(params ?? {}, who, env.DB);
  },
};

const ACTIONS = { join, leave, add, remove };

async function show({ keys }, who, db) {
  const mine = new Set(Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : []);
  const [lines, names] = await db.batch([
    db.prepare('select id, title, note, places, sample from lines order by id'),
    db.prepare('select id, line, name, key, user, sample from names order by id'),
  ]);
  const isMine = ({ key, user }) => mine.has(key) || (who.user !== null && user === who.user);
  return succeed({
    isOwner: who.isOwner,
    lines: lines.results.map((line) => ({
      ...line,
      names: names.results
        .filter((name) => name.line === line.id)
        // The keys of others never leave the function.
        .map((name) => ({ id: name.id, name: name.name, sample: name.sample, isMine: isMine(name) })),
    })),
  });
}

async function join({ line, name }, who, db) {
  const written = clean(name, 60);
  if (!written) return fail('name');
  const key = crypto.randomUUID();
  // One statement, so that two people cannot take the last place at the same time.
  const added = await db
    .prepare(
      `insert into names (line, name, key, user) select id, ?, ?, ? from lines
       where id = ? and (select count(*) from names where line = lines.id) < places returning id`,
    )
    .bind(written, key, who.user, toId(line))
    .first();
  return added ? succeed({ key }) : fail('full');
}

async function leave({ name, keys }, who, db) {
  const found = await db.prepare('select key, user from names where id = ?').bind(toId(name)).first();
  const isMine =
    found &&
    ((Array.isArray(keys) && keys.includes(found.key)) || (who.user !== null && found.user === who.user));
  if (!isMine && !(found && who.isOwner)) return fail('not_yours', 403);
  await db.prepare('delete from names where id = ?').bind(toId(name)).run();
  return succeed({});
}

async function add({ title, note, places }, who, db) {
  if (!who.isOwner) return fail('owner_only', 403);
  const written = clean(title, 100);
  const count = Math.floor(Number(places));
  if (!written) return fail('title');
  if (!(count >= 1 && count <= MAX_PLACES)) return fail('places');
  const { total } = await db.prepare('select count(*) as total from lines').first();
  if (total >= MAX_LINES) return fail('too_many');
  await db
    .prepare('insert into lines (title, note, places) values (?, ?, ?)')
    .bind(written, clean(note, 200), count)
    .run();
  return succeed({});
}

async function remove({ line }, who, db) {
  if (!who.isOwner) return fail('owner_only', 403);
  await db.batch([
    db.prepare('delete from names where line = ?').bind(toId(line)),
    db.prepare('delete from lines where id = ?').bind(toId(line)),
  ]);
  return succeed({});
}

const clean = (text, length) =>
  typeof text === 'string' ? text.replace(/\s+/g, ' ').trim().slice(0, length) : '';
const toId = (value) => (Number.isSafeInteger(value) ? value : -1);
const succeed = (data) => Response.json({ success: true, data });
const fail = (error, status = 400) => Response.json({ success: false, error }, { status });
