/**
 * The back end of the questions for a talk. Anyone can ask and vote without an account; each browser or account counts once
 * for each question. The owner of the page says which question is on stage and which are answered.
 */

const MAX_QUESTIONS = 1000;
const MAX_VOTES_AT_ONCE = 50;
const STATES = ['open', 'stage', 'done'];

const TABLES = [
  `create table if not exists questions (
    id integer primary key, text text not null, name text not null default '', state text not null default 'open',
    voter text not null, at integer not null, sample integer not null default 0
  )`,
  `create table if not exists votes (
    question integer not null, voter text not null, sample integer not null default 0, primary key (question, voter)
  )`,
];

const SELECT = `select id, text, name, state, voter, at, sample,
  (select count(*) from votes where question = questions.id) as votes from questions`;

export default {
  async fetch(request, env) {
    const params = (await request.json().catch(() => null)) ?? {};
    await env.DB.batch(TABLES.map((table) => env.DB.prepare(table)));
    const user = request.headers.get('x-quire-user-id');
    const key = typeof params.key === 'string' ? params.key.slice(0, 64) : '';
    const who = {
      voter: user ? `user ${user}` : `guest ${key}`,
      isOwner: request.headers.get('x-quire-team-role') === 'owner',
      canVote: user !== null || key.length >= 16,
      page: request.headers.get('x-quire-page-id') ?? String(params.page ?? '').slice(0, 100),
    };
    const action = ACTIONS[params.action] ?? list;
    return action(params, who, env);
  },
};

const ACTIONS = { ask, vote, mark, remove };

async function list(_, who, { DB }) {
  const [questions, votes] = await DB.batch([
    DB.prepare(`${SELECT} order by id desc limit 500`),
    DB.prepare('select question from votes where voter = ?').bind(who.voter),
  ]);
  return succeed({
    isOwner: who.isOwner,
    questions: questions.results.map((question) => ({
      ...publicly(question),
      isMine: question.voter === who.voter,
    })),
    voted: votes.results.map(({ question }) => question),
  });
}

async function ask({ text, name }, who, env) {
  const written = clean(text, 280);
  if (!who.canVote) return fail('key');
  if (written.length < 3) return fail('text');
  const { total } = await env.DB.prepare('select count(*) as total from questions').first();
  if (total >= MAX_QUESTIONS) return fail('full');
  const { id } = await env.DB.prepare(
    'insert into questions (text, name, voter, at) values (?, ?, ?, ?) returning id',
  )
    .bind(written, clean(name, 40), who.voter, Date.now())
    .first();
  // Who asks is for it.
  await env.DB.prepare('insert or ignore into votes (question, voter) values (?, ?)')
    .bind(id, who.voter)
    .run();
  return succeed({ question: { ...(await announce(env, who.page, id)), isMine: true } });
}

/** Votes and takes votes back, several at once: `{ votes: { "12": true, "13": false } }`. */
async function vote({ votes }, who, env) {
  if (!who.canVote) return fail('key');
  const wanted = Object.entries(Object(votes)).slice(0, MAX_VOTES_AT_ONCE);
  for (const [name, isFor] of wanted) {
    const id = Number(name);
    if (!Number.isSafeInteger(id)) continue;
    const sql = isFor
      ? 'insert or ignore into votes (question, voter) select id, ?2 from questions where id = ?1'
      : 'delete from votes where question = ?1 and voter = ?2';
    const { meta } = await env.DB.prepare(sql).bind(id, who.voter).run();
    if (meta.changes > 0) await announce(env, who.page, id);
  }
  return succeed({});
}

/** Only one question is on stage: the one before is answered then. */
async function mark({ id, state }, who, env) {
  if (!who.isOwner) return fail('owner_only', 403);
  if (!STATES.includes(state)) return fail('text');
  const { results } =
    state === 'stage'
      ? await env.DB.prepare(`select id from questions where state = 'stage'`).all()
      : { results: [] };
  if (state === 'stage')
    await env.DB.prepare(`update questions set state = 'done' where state = 'stage'`).run();
  await env.DB.prepare('update questions set state = ? where id = ?').bind(state, toId(id)).run();
  for (const before of results) await announce(env, who.page, before.id);
  await announce(env, who.page, toId(id));
  return succeed({});
}

async function remove({ id }, who, env) {
  const found = await env.DB.prepare('select voter from questions where id = ?').bind(toId(id)).first();
  if (!found) return succeed({});
  if (!who.isOwner && !(who.canVote && found.voter === who.voter)) return fail('not_yours', 403);
  await env.DB.batch([
    env.DB.prepare('delete from votes where question = ?').bind(toId(id)),
    env.DB.prepare('delete from questions where id = ?').bind(toId(id)),
  ]);
  await publish(env, who.page, { removed: toId(id) });
  return succeed({});
}

/** Sends a question as it is now to everyone who has the page open. */
async function announce(env, page, id) {
  const found = await env.DB.prepare(`${SELECT} where id = ?`).bind(id).first();
  if (!found) return null;
  const question = publicly(found);
  await publish(env, page, { question });
  return question;
}

async function publish(env, page, message) {
  // Visitors who miss a message see the change when they load the page again.
  if (page) await env.LIVE.publish(page, 'questions', message).catch(() => {});
}

const publicly = ({ id, text, name, state, at, votes, sample }) => ({
  id,
  text,
  name,
  state,
  at,
  votes,
  sample,
});
const clean = (text, length) =>
  typeof text === 'string' ? [...text.replace(/\s+/g, ' ').trim()].slice(0, length).join('') : '';
const toId = (value) => (Number.isSafeInteger(value) ? value : -1);
const succeed = (data) => Response.json({ success: true, data });
const fail = (error, status = 400) => Response.json({ success: false, error }, { status });
