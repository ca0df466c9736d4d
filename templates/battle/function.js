/**
 * The back end of the quiz battle. The right answers are only here: nobody gets one before its question is over, and an
 * answer is never said to be right or wrong before that. The function also counts the time, the points and the players.
 */

const QUESTIONS = [
  { text: 'Which planet has the shortest year?', options: ['Mercury', 'Venus', 'Mars', 'Earth'] },
  { text: 'How many hearts does an octopus have?', options: ['Three', 'One', 'Two', 'Eight'] },
  { text: 'What is the only even prime number?', options: ['2', '0', '4', '6'] },
  { text: 'Which metal does a magnet attract?', options: ['Iron', 'Copper', 'Gold', 'Aluminium'] },
  { text: 'Which country has the most time zones?', options: ['France', 'Russia', 'China', 'Canada'] },
  { text: 'How many strings does a violin have?', options: ['Four', 'Five', 'Six', 'Seven'] },
  { text: 'Which animal sleeps standing up?', options: ['A horse', 'A cat', 'A bear', 'A rabbit'] },
  { text: 'What do you get from blue and yellow paint?', options: ['Green', 'Violet', 'Orange', 'Brown'] },
  { text: 'How many minutes are in a day?', options: ['1,440', '1,240', '2,400', '3,600'] },
  {
    text: 'Which ocean is the largest?',
    options: ['The Pacific', 'The Atlantic', 'The Indian Ocean', 'The Arctic'],
  },
  { text: 'Where does honey come from?', options: ['Nectar', 'Pollen', 'Wax', 'Tree sap'] },
  { text: 'Which gas do plants take in?', options: ['Carbon dioxide', 'Oxygen', 'Nitrogen', 'Helium'] },
  { text: 'How many squares are on a chessboard?', options: ['64', '48', '81', '100'] },
  { text: 'What is the capital of Iceland?', options: ['Reykjavik', 'Oslo', 'Helsinki', 'Tallinn'] },
  { text: 'Which of these is not a fruit?', options: ['Rhubarb', 'Tomato', 'Cucumber', 'Pumpkin'] },
  {
    text: 'How long is an Olympic swimming pool?',
    options: ['50 metres', '25 metres', '75 metres', '100 metres'],
  },
  { text: 'Who painted the Mona Lisa?', options: ['Leonardo da Vinci', 'Michelangelo', 'Raphael', 'Titian'] },
  { text: 'How many bones does an adult have?', options: ['206', '106', '306', '412'] },
  { text: 'Which bird cannot fly?', options: ['The kiwi', 'The swan', 'The pelican', 'The crane'] },
  { text: 'What is the square root of 144?', options: ['12', '14', '11', '16'] },
];
// The first option is always the right one here. Everyone sees them shuffled.

const ROUNDS = 7;
const SECONDS = 20;
const GRACE_MS = 1500;
/** After this, any player can go on in place of a host who left. */
const PATIENCE_MS = 30_000;
const MAX_PLAYERS = 24;
const MAX_BATTLES = 500;
const MAX_RESULTS = 500;
const OLD_MS = 12 * 3_600_000;
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ';
/** A live message can have 4 KB. */
const MAX_MESSAGE = 3900;

const TABLES = [
  `create table if not exists battles (
    code text primary key, page text not null, phase text not null, number integer not null,
    at integer not null, version integer not null, questions text not null
  )`,
  `create table if not exists players (
    id integer primary key, code text not null, name text not null, key text not null, host integer not null,
    points integer not null default 0
  )`,
  `create table if not exists answers (
    code text not null, player integer not null, number integer not null, choice integer not null,
    points integer not null, primary key (code, player, number)
  )`,
  `create table if not exists results (
    id integer primary key, name text not null, points integer not null, sample integer not null default 0
  )`,
];

export default {
  async fetch(request, env) {
    const params = (await request.json().catch(() => null)) ?? {};
    await env.DB.batch(TABLES.map((table) => env.DB.prepare(table)));
    const action = ACTIONS[params.action] ?? best;
    return action(params, env, request.headers.get('x-quire-page-id'));
  },
};

const ACTIONS = { start, join, state, next, close, answer };

async function best(_, { DB }) {
  const { results } = await DB.prepare(
    'select name, points, sample from results order by points desc, id limit 8',
  ).all();
  return succeed({ best: results, rounds: ROUNDS, seconds: SECONDS });
}

async function start({ name, page }, env, pageId) {
  const written = cleanName(name);
  if (!written) return fail('name');
  const { DB } = env;
  await purge(DB);
  const { total } = await DB.prepare('select count(*) as total from battles').first();
  if (total >= MAX_BATTLES) return fail('busy');
  const questions = shuffle(QUESTIONS.keys())
    .slice(0, ROUNDS)
    .map((index) => [index, shuffle(QUESTIONS[index].options.keys())]);
  for (;;) {
    const code = Array.from(
      crypto.getRandomValues(new Uint8Array(4)),
      (byte) => LETTERS[byte % LETTERS.length],
    ).join('');
    const { meta } = await DB.prepare(
      `insert or ignore into battles (code, page, phase, number, at, version, questions) values (?, ?, 'lobby', 0, ?, 1, ?)`,
    )
      .bind(code, String(pageId ?? page ?? '').slice(0, 100), Date.now(), JSON.stringify(questions))
      .run();
    if (meta.changes === 0) continue;
    return enter(env, code, written, 1);
  }
}

async function join({ code, name }, env) {
  const written = cleanName(name);
  if (!written) return fail('name');
  const battle = await find(env.DB, code);
  if (!battle) return fail('no_battle', 404);
  if (battle.phase !== 'lobby') return fail('begun');
  const { results } = await env.DB.prepare('select name from players where code = ?').bind(battle.code).all();
  if (results.length >= MAX_PLAYERS) return fail('full');
  if (results.some((player) => player.name.toLowerCase() === written.toLowerCase()))
    return fail('name_taken');
  return enter(env, battle.code, written, 0);
}

async function enter(env, code, name, host) {
  const key = crypto.randomUUID();
  // One statement, so that nobody comes in while the first question begins.
  const player = await env.DB.prepare(
    `insert into players (code, name, key, host) select code, ?1, ?2, ?3 from battles
     where code = ?4 and phase = 'lobby' and (select count(*) from players where code = ?4) < ?5 returning id`,
  )
    .bind(name, key, host, code, MAX_PLAYERS)
    .first();
  if (!player) return fail('begun');
  const shown = await announce(env, code);
  return succeed({ key, you: player.id, isHost: host === 1, state: shown });
}

async function state({ code, key }, { DB }) {
  const battle = await find(DB, code);
  const player = battle && (await findPlayer(DB, battle.code, key));
  if (!player) return fail('no_battle', 404);
  const mine = await DB.prepare('select choice from answers where code = ? and player = ? and number = ?')
    .bind(battle.code, player.id, battle.number)
    .first();
  return succeed({
    you: player.id,
    isHost: player.host === 1,
    choice: mine?.choice ?? null,
    state: await view(DB, battle),
  });
}

/** Goes on: from the lobby to the first question, and after each question to the next or to the end. */
async function next({ code, key }, env) {
  const { DB } = env;
  const battle = await find(DB, code);
  const player = battle && (await findPlayer(DB, battle.code, key));
  if (!player) return fail('no_battle', 404);
  if (!player.host && Date.now() - battle.at < PATIENCE_MS) return fail('host_only', 403);
  if (battle.phase !== 'lobby' && battle.phase !== 'reveal') return fail('too_late');
  const number = battle.phase === 'lobby' ? 0 : battle.number + 1;
  const isOver = number >= ROUNDS;
  const moved = await move(DB, battle, isOver ? 'end' : 'question', isOver ? battle.number : number);
  if (moved && isOver) await keepResults(DB, battle.code);
  return succeed({ state: await announce(env, battle.code) });
}

/** Ends a question whose time is over. The host can end it earlier. */
async function close({ code, key }, env) {
  const battle = await find(env.DB, code);
  const player = battle && (await findPlayer(env.DB, battle.code, key));
  if (!player) return fail('no_battle', 404);
  const isOver = Date.now() - battle.at >= SECONDS * 1000;
  if (battle.phase === 'question' && (isOver || player.host)) await reveal(env.DB, battle);
  return succeed({ state: await announce(env, battle.code) });
}

async function answer({ code, key, number, choice }, env) {
  const { DB } = env;
  const battle = await find(DB, code);
  const player = battle && (await findPlayer(DB, battle.code, key));
  if (!player) return fail('no_battle', 404);
  const used = Date.now() - battle.at;
  const isOpen = battle.phase === 'question' && battle.number === number && used <= SECONDS * 1000 + GRACE_MS;
  if (!isOpen) return fail('too_late');
  if (![0, 1, 2, 3].includes(choice)) return fail('choice');
  const left = Math.max(0, 1 - used / (SECONDS * 1000));
  const points = choice === rightChoice(battle) ? 500 + Math.round(500 * left) : 0;
  await DB.prepare(
    'insert or ignore into answers (code, player, number, choice, points) values (?, ?, ?, ?, ?)',
  )
    .bind(battle.code, player.id, battle.number, choice, points)
    .run();
  const { waiting } = await DB.prepare(
    `select count(*) as waiting from players where code = ?1
     and not exists (select 1 from answers where code = ?1 and player = players.id and number = ?2)`,
  )
    .bind(battle.code, battle.number)
    .first();
  if (waiting === 0) await reveal(DB, battle);
  await announce(env, battle.code);
  return succeed({});
}

/** Changes the phase once, however many ask for it at the same time. */
async function move(DB, battle, phase, number) {
  const { meta } = await DB.prepare(
    'update battles set phase = ?, number = ?, at = ?, version = version + 1 where code = ? and version = ?',
  )
    .bind(phase, number, Date.now(), battle.code, battle.version)
    .run();
  return meta.changes > 0;
}

async function reveal(DB, battle) {
  const fresh = await find(DB, battle.code);
  if (fresh.phase !== 'question' || fresh.number !== battle.number) return;
  if (!(await move(DB, fresh, 'reveal', fresh.number))) return;
  await DB.prepare(
    `update players set points = points + coalesce(
       (select points from answers where code = ?1 and player = players.id and number = ?2), 0) where code = ?1`,
  )
    .bind(battle.code, battle.number)
    .run();
}

async function keepResults(DB, code) {
  await DB.batch([
    DB.prepare(
      'insert into results (name, points) select name, points from players where code = ? and points > 0',
    ).bind(code),
    DB.prepare(
      'delete from results where id not in (select id from results order by points desc, id limit ?)',
    ).bind(MAX_RESULTS),
  ]);
}

/** What all players may know now. */
async function view(DB, battle) {
  const { code, phase, number, version } = battle;
  const [players, answers] = await DB.batch([
    DB.prepare('select id, name, points from players where code = ? order by points desc, id').bind(code),
    DB.prepare('select player, choice, points from answers where code = ? and number = ?').bind(code, number),
  ]);
  const given = new Map(answers.results.map((one) => [one.player, one]));
  const isRevealed = phase === 'reveal';
  const [index, order] = JSON.parse(battle.questions)[number];
  const question = QUESTIONS[index];
  return {
    code,
    phase,
    number,
    rounds: ROUNDS,
    // Others can see only whether somebody has answered, so this counts up too.
    version: version * 100 + given.size + players.results.length,
    ...(phase === 'question' && {
      leftMs: Math.max(0, SECONDS * 1000 - (Date.now() - battle.at)),
      seconds: SECONDS,
    }),
    ...((phase === 'question' || isRevealed) && {
      text: question.text,
      options: order.map((place) => question.options[place]),
    }),
    ...(isRevealed && {
      right: order.indexOf(0),
      counts: order.map((_, choice) => answers.results.filter((one) => one.choice === choice).length),
    }),
    answered: given.size,
    players: players.results.map((player) => [
      player.id,
      player.name,
      player.points,
      isRevealed ? (given.get(player.id)?.points ?? 0) : given.has(player.id) ? 1 : 0,
    ]),
  };
}

/** Sends the state to all players. Those who cannot get it ask for it. */
async function announce(env, code) {
  const battle = await find(env.DB, code);
  const shown = await view(env.DB, battle);
  const fits = new TextEncoder().encode(JSON.stringify(shown)).length <= MAX_MESSAGE;
  if (battle.page)
    await env.LIVE.publish(battle.page, `battle-${code}`, fits ? shown : { again: true }).catch(() => {});
  return shown;
}

async function purge(DB) {
  const old = Date.now() - OLD_MS;
  await DB.batch([
    DB.prepare('delete from answers where code in (select code from battles where at < ?)').bind(old),
    DB.prepare('delete from players where code in (select code from battles where at < ?)').bind(old),
    DB.prepare('delete from battles where at < ?').bind(old),
  ]);
}

const find = (DB, code) =>
  DB.prepare('select * from battles where code = ?')
    .bind(typeof code === 'string' ? code.trim().toUpperCase() : '')
    .first();
const findPlayer = (DB, code, key) =>
  DB.prepare('select id, host from players where code = ? and key = ?')
    .bind(code, typeof key === 'string' ? key : '')
    .first();

function rightChoice({ questions, number }) {
  const [, order] = JSON.parse(questions)[number];
  return order.indexOf(0);
}

function shuffle(items) {
  return [...items]
    .map((item) => [Math.random(), item])
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

const cleanName = (name) =>
  typeof name === 'string' ? [...name.replace(/\s+/g, ' ').trim()].slice(0, 20).join('') : '';
const succeed = (data) => Response.json({ success: true, data });
const fail = (error, status = 400) => Response.json({ success: false, error }, { status });
