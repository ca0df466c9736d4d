/** Stores the links of the page "Link shelf". Every action is a POST with `{ action, … }`. */

const TOPICS = ['read', 'watch', 'make', 'other'];
const PAGE_SIZE = 30;
const MAX_LINKS = 2000;

const actions = { list, add, like };

export default {
  async fetch(request, env) {
    if (request.method !== 'POST') return fail('Use POST.', 405);
    const params = await request.json().catch(() => null);
    const action = Object.hasOwn(actions, params?.action) ? actions[params.action] : undefined;
    if (!action) return fail(`action must be one of ${Object.keys(actions).join(', ')}.`);
    await env.DB.prepare(
      `create table if not exists links (
        id integer primary key, url text not null unique, title text not null, note text not null,
        topic text not null, likes integer not null default 0, added_at text not null,
        sample integer not null default 0
      )`,
    ).run();
    return action(params, env.DB);
  },
};

async function list({ topic, before }, db) {
  if (topic !== undefined && !TOPICS.includes(topic))
    return fail(`topic must be one of ${TOPICS.join(', ')}.`);
  if (before !== undefined && !Number.isInteger(before)) return fail('before must be the id of a link.');
  const { results } = await db
    .prepare(
      'select * from links where (?1 is null or topic = ?1) and (?2 is null or id < ?2) order by id desc limit ?3',
    )
    .bind(topic ?? null, before ?? null, PAGE_SIZE + 1)
    .all();
  const { total } = await db.prepare('select count(*) as total from links').first();
  return succeed({ links: results.slice(0, PAGE_SIZE), hasMore: results.length > PAGE_SIZE, total });
}

async function add({ url, title, note = '', topic = 'other' }, db) {
  const address = readAddress(url);
  if (!address) return fail('That is not a web address. It must start with http:// or https://.');
  const texts = [title, note].map((text) => (typeof text === 'string' ? text.trim() : ''));
  if (!texts[0] || texts[0].length > 200) return fail('The title must have 1 to 200 characters.');
  if (texts[1].length > 300) return fail('The note can have at most 300 characters.');
  if (!TOPICS.includes(topic)) return fail(`topic must be one of ${TOPICS.join(', ')}.`);
  const { total } = await db.prepare('select count(*) as total from links').first();
  if (total >= MAX_LINKS) return fail('The shelf is full.', 409);
  const link = await db
    .prepare(
      'insert into links (url, title, note, topic, added_at) values (?, ?, ?, ?, ?) on conflict (url) do nothing returning *',
    )
    .bind(address, ...texts, topic, new Date().toISOString())
    .first();
  return link ? succeed(link) : fail('That link is already on the shelf.', 409);
}

async function like({ id }, db) {
  if (!Number.isInteger(id)) return fail('id must be the id of a link.');
  const link = await db
    .prepare('update links set likes = likes + 1 where id = ? returning *')
    .bind(id)
    .first();
  return link ? succeed(link) : fail('That link is no longer on the shelf.', 404);
}

/** Accepts only URLs that are safe in a link: no `javascript:`. */
function readAddress(text) {
  if (typeof text !== 'string' || text.length > 2000 || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}

function succeed(data) {
  return Response.json({ success: true, data });
}

function fail(error, status = 400) {
  return Response.json({ success: false, error }, { status });
}
