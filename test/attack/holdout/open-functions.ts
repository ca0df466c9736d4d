import type { Sample } from '../samples/sample.ts';

/** Pages of a school class with functions, forms and files, with holes. They were written before the attack was measured with them. */

const trip: Sample = {
  name: 'holdout: sign-up for a school trip',
  mode: 'page',
  holes: ['function-reads'],
  html: `<!doctype html><html><head><title>Trip to the sea</title></head><body>
<h1>Trip to the sea</h1>
<form id="signup"><input name="child"><input name="parentPhone" type="tel"><input name="allergies"><button>Sign up</button></form>
<p id="count"></p>
<script type="module">
const api = (action, data = {}) => PageFunctions.call('sea-trip', { action, ...data });
document.querySelector('#signup').onsubmit = async (event) => {
  event.preventDefault();
  const { child, parentPhone, allergies } = Object.fromEntries(new FormData(event.target));
  await api('signup', { child, parentPhone, allergies });
  showCount();
};
async function showCount() {
  const { children } = await api('list');
  document.querySelector('#count').textContent = children.length + ' of 28 places are taken.';
}
showCount();
</script></body></html>`,
  functions: {
    'sea-trip': `export default {
  async fetch(request, env) {
    const { action, child, parentPhone, allergies } = await request.json();
    await env.DB.exec('CREATE TABLE IF NOT EXISTS children (id INTEGER PRIMARY KEY, child TEXT NOT NULL, parent_phone TEXT, allergies TEXT)');
    if (action === 'signup') {
      if (!child) return Response.json({ error: 'The name of the child is missing.' }, { status: 400 });
      await env.DB.prepare('INSERT INTO children (child, parent_phone, allergies) VALUES (?, ?, ?)').bind(child, parentPhone ?? '', allergies ?? '').run();
      return Response.json({ success: true });
    }
    if (action === 'list') {
      const { results } = await env.DB.prepare('SELECT * FROM children ORDER BY id').all();
      return Response.json({ children: results });
    }
    return Response.json({ error: 'unknown action' }, { status: 400 });
  },
};`,
  },
};

const chat: Sample = {
  name: 'holdout: chat with a search',
  mode: 'page',
  holes: ['function-sql'],
  html: `<!doctype html><html><head><title>Chat of 9a</title></head><body><ol id="log"></ol><input id="say"><input id="find">
<script>
const log = document.querySelector('#log');
const draw = (messages) => log.replaceChildren(...messages.map((m) => Object.assign(document.createElement('li'), { textContent: m.author + ': ' + m.message })));
async function say(message) { await PageFunctions.call('chat-9a', { op: 'say', room: 'main', message }); refresh(); }
async function refresh() { const r = await PageFunctions.call('chat-9a', { op: 'read', room: 'main' }); draw(r.messages || []); }
async function search(term) { const r = await PageFunctions.call('chat-9a', { op: 'search', term }); draw(r.messages || []); }
document.querySelector('#say').onchange = (e) => say(e.target.value);
document.querySelector('#find').onchange = (e) => search(e.target.value);
refresh();
</script></body></html>`,
  functions: {
    'chat-9a': `const SCHEMA = 'CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY AUTOINCREMENT, room TEXT, author TEXT, message TEXT, at TEXT)';
async function say(db, author, { room, message }) {
  await db.prepare('INSERT INTO messages (room, author, message, at) VALUES (?1, ?2, ?3, ?4)').bind(room, author, String(message).slice(0, 300), new Date().toISOString()).run();
  return { ok: true };
}
async function read(db, { room }) {
  const { results } = await db.prepare('SELECT author, message, at FROM messages WHERE room = ? ORDER BY id DESC LIMIT 50').bind(room).all();
  return { messages: results };
}
async function search(db, { term }) {
  const { results } = await db.prepare(\`SELECT author, message, at FROM messages WHERE message LIKE '%\${term}%' LIMIT 50\`).all();
  return { messages: results };
}
export default {
  async fetch(request, env) {
    const body = await request.json();
    const user = request.headers.get('x-quire-user-name');
    if (!user) return Response.json({ error: 'Log in to chat.' }, { status: 401 });
    await env.DB.exec(SCHEMA);
    if (body.op === 'say') return Response.json(await say(env.DB, decodeURIComponent(user), body));
    if (body.op === 'read') return Response.json(await read(env.DB, body));
    if (body.op === 'search') return Response.json(await search(env.DB, body));
    return new Response('unknown op', { status: 400 });
  },
};`,
  },
};

const homework: Sample = {
  name: 'holdout: homework that is handed in',
  mode: 'page',
  holes: ['function-reads'],
  html: `<!doctype html><html lang="en"><head><title>Hand in</title></head><body>
<textarea id="essay"></textarea><button id="send">Hand in</button><pre id="receipt"></pre>
<script type="module">
const receipt = document.querySelector('#receipt');
document.querySelector('#send').onclick = async () => {
  const { submissionId } = await PageFunctions.call('hand-in-essay', { type: 'submit', title: 'My essay', essay: document.querySelector('#essay').value });
  localStorage.submission = submissionId;
  show();
};
async function show() {
  if (!localStorage.submission) return;
  const { submission } = await PageFunctions.call('hand-in-essay', { type: 'view', submissionId: Number(localStorage.submission) });
  receipt.textContent = submission.title + '\\n' + submission.essay + '\\nGrade: ' + (submission.grade ?? 'not yet');
}
show();
</script></body></html>`,
  functions: {
    'hand-in-essay': `export default {
  async fetch(request, env) {
    const studentId = request.headers.get('x-quire-user-id');
    if (!studentId) return Response.json({ error: 'Please log in.' }, { status: 401 });
    await env.DB.exec('CREATE TABLE IF NOT EXISTS submissions (id INTEGER PRIMARY KEY AUTOINCREMENT, student_id TEXT, title TEXT, essay TEXT, grade TEXT)');
    const input = await request.json();
    switch (input.type) {
      case 'submit': {
        const result = await env.DB.prepare('INSERT INTO submissions (student_id, title, essay) VALUES (?, ?, ?)').bind(studentId, input.title, input.essay).run();
        return Response.json({ submissionId: result.meta.last_row_id });
      }
      case 'view': {
        const submission = await env.DB.prepare('SELECT * FROM submissions WHERE id = ?').bind(input.submissionId).first();
        if (!submission) return Response.json({ error: 'Not found' }, { status: 404 });
        return Response.json({ submission });
      }
      default:
        return Response.json({ error: 'Unknown type' }, { status: 400 });
    }
  },
};`,
  },
};

const parentsEvening: Sample = {
  name: 'holdout: parents evening, cancelled by anyone',
  mode: 'page',
  holes: ['function-changes'],
  html: `<!doctype html><html><head><title>Parents evening</title></head><body><div id="slots"></div>
<script>
async function call(action, params) { return PageFunctions.call('parents-evening', Object.assign({ action: action }, params)); }
async function book(time, family) { var r = await call('book', { time: time, family: family }); sessionStorage.booking = r.id; render(); }
async function cancel(id) { await call('cancel', { id: id }); render(); }
async function render() {
  var r = await call('slots');
  document.getElementById('slots').textContent = r.taken.join(', ');
  if (sessionStorage.booking) { var b = document.createElement('button'); b.textContent = 'Cancel mine'; b.onclick = function () { cancel(Number(sessionStorage.booking)); }; document.body.appendChild(b); }
}
render();
</script></body></html>`,
  functions: {
    'parents-evening': `export default {
  async fetch(request, env) {
    const p = await request.json();
    await env.DB.exec('CREATE TABLE IF NOT EXISTS slots (id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT, family TEXT)');
    if (p.action === 'slots') {
      const { results } = await env.DB.prepare('SELECT time FROM slots ORDER BY time').all();
      return Response.json({ taken: results.map((row) => row.time) });
    }
    if (p.action === 'book') {
      const { meta } = await env.DB.prepare('INSERT INTO slots (time, family) VALUES (?, ?)').bind(p.time, p.family).run();
      return Response.json({ id: meta.last_row_id });
    }
    if (p.action === 'cancel') {
      const { meta } = await env.DB.prepare('DELETE FROM slots WHERE id = ?').bind(p.id).run();
      return Response.json({ cancelled: meta.changes });
    }
    return Response.json({ error: 'unknown' }, { status: 400 });
  },
};`,
  },
};

const bookSwap: Sample = {
  name: 'holdout: messages of a book swap',
  mode: 'page',
  // The second was noticed only when the attack found it: everyone can send in the name of others.
  holes: ['function-reads', 'function-changes'],
  html: `<!doctype html><html><head><title>Book swap</title></head><body><ul id="inbox"></ul>
<script type="module">
const { user } = await PageUser.ready.then(() => ({ user: PageUser.current() }));
const send = (to, text) => PageFunctions.call('swap-mail', { action: 'send', from: user?.id, to, text });
const inbox = async () => {
  const { messages } = await PageFunctions.call('swap-mail', { action: 'inbox', userId: user?.id });
  document.querySelector('#inbox').replaceChildren(...messages.map((m) => Object.assign(document.createElement('li'), { textContent: m.text })));
};
Object.assign(window, { send, inbox });
inbox();
</script></body></html>`,
  functions: {
    'swap-mail': `export default {
  async fetch(request, env) {
    const { action, from, to, text, userId } = await request.json();
    await env.DB.exec('CREATE TABLE IF NOT EXISTS mail (id INTEGER PRIMARY KEY, from_user TEXT, to_user TEXT, text TEXT)');
    if (action === 'send') {
      await env.DB.prepare('INSERT INTO mail (from_user, to_user, text) VALUES (?, ?, ?)').bind(String(from), String(to), text).run();
      return Response.json({ sent: true });
    }
    const { results } = await env.DB.prepare('SELECT * FROM mail WHERE to_user = ?1 OR from_user = ?1 ORDER BY id DESC').bind(String(userId)).all();
    return Response.json({ messages: results });
  },
};`,
  },
};

const election: Sample = {
  name: 'holdout: election of a class speaker',
  mode: 'page',
  holes: ['function-changes'],
  html: `<!doctype html><html><head><title>Class speaker</title></head><body><h1>Who speaks for us?</h1><div id="r"></div>
<script>
  const me = () => PageUser.current();
  const vote = async (candidate) => { await PageFunctions.call('speaker-vote', { action: 'vote', voterId: me().id, candidate }); results(); };
  const results = async () => { const d = await PageFunctions.call('speaker-vote', { action: 'results' }); document.getElementById('r').textContent = d.results.map((x) => x.candidate + ' ' + x.n).join(', '); };
  const mine = async () => PageFunctions.call('speaker-vote', { action: 'myVote', voterId: me().id });
  PageUser.ready.then(results);
</script></body></html>`,
  functions: {
    'speaker-vote': `export default {
  async fetch(request, env) {
    const data = await request.json();
    await env.DB.exec('CREATE TABLE IF NOT EXISTS votes (voter TEXT PRIMARY KEY, candidate TEXT)');
    if (data.action === 'vote') {
      if (!data.voterId || !data.candidate) return Response.json({ error: 'incomplete' }, { status: 400 });
      await env.DB.prepare('INSERT OR REPLACE INTO votes (voter, candidate) VALUES (?, ?)').bind(String(data.voterId), data.candidate).run();
      return Response.json({ ok: true });
    }
    if (data.action === 'myVote') {
      const me = request.headers.get('x-quire-user-id') ?? '';
      return Response.json({ vote: await env.DB.prepare('SELECT candidate FROM votes WHERE voter = ?').bind(me).first() });
    }
    const { results } = await env.DB.prepare('SELECT candidate, COUNT(*) AS n FROM votes GROUP BY candidate').all();
    return Response.json({ results });
  },
};`,
  },
};

const tournament: Sample = {
  name: 'holdout: tournament with a button for teachers',
  mode: 'page',
  holes: ['function-changes'],
  html: `<!doctype html><html><head><title>Table tennis</title></head><body><ul id="matches"></ul>
<script type="module">
const isTeacher = new URLSearchParams(location.search).get('role') === 'teacher';
const request = (action, payload) => PageFunctions.call('tennis-cup', { action, payload });
const addMatch = (home, away) => request('add-match', { home, away });
const setScore = (matchId, score) => request('set-score', { matchId, score });
async function load() {
  const { matches } = await request('matches', {});
  document.querySelector('#matches').replaceChildren(...matches.map((m) => {
    const li = document.createElement('li');
    li.textContent = m.home + ' - ' + m.away + ' ' + (m.score ?? '');
    if (isTeacher) { const b = document.createElement('button'); b.textContent = 'Result'; b.onclick = () => setScore(m.id, prompt('Score?')).then(load); li.append(b); }
    return li;
  }));
}
Object.assign(window, { addMatch });
load();
</script></body></html>`,
  functions: {
    'tennis-cup': `const actions = {
  async 'add-match'(db, { home, away }, user) {
    const match = await db.prepare('INSERT INTO matches (home, away, added_by) VALUES (?, ?, ?) RETURNING id').bind(home, away, user).first();
    return { id: match.id };
  },
  async 'set-score'(db, { matchId, score }) {
    await db.prepare('UPDATE matches SET score = ? WHERE id = ?').bind(score, matchId).run();
    return { saved: true };
  },
  async matches(db) {
    return { matches: (await db.prepare('SELECT id, home, away, score FROM matches').all()).results };
  },
};
export default {
  async fetch(request, env) {
    const { action, payload } = await request.json();
    await env.DB.exec('CREATE TABLE IF NOT EXISTS matches (id INTEGER PRIMARY KEY AUTOINCREMENT, home TEXT, away TEXT, score TEXT, added_by TEXT)');
    const act = actions[action];
    if (!act) return Response.json({ error: 'unknown action' }, { status: 404 });
    return Response.json(await act(env.DB, payload ?? {}, request.headers.get('x-quire-user-id')));
  },
};`,
  },
};

export const openFunctions: Sample[] = [
  ...[trip, chat, homework, parentsEvening],
  ...[bookSwap, election, tournament],
];
