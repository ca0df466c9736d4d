import type { Sample } from '../samples/sample.ts';

/** Pages of a school class with functions, without holes. They were written before the attack was measured with them. */

const trip: Sample = {
  name: 'holdout: sign-up that shows first names',
  mode: 'page',
  holes: [],
  html: `<!doctype html><html><head><title>Trip to the hills</title></head><body><ul></ul>
<script type="module">
const api = (action, data = {}) => PageFunctions.call('hill-trip', { action, ...data });
window.signUp = async (child, parentPhone, allergies) => { await api('signup', { child, parentPhone, allergies }); show(); };
window.mine = () => api('mine');
async function show() {
  const { children } = await api('list');
  document.querySelector('ul').replaceChildren(...children.map((c) => Object.assign(document.createElement('li'), { textContent: c.child })));
}
show();
</script></body></html>`,
  functions: {
    'hill-trip': `export default {
  async fetch(request, env) {
    const { action, child, parentPhone, allergies } = await request.json();
    const user = request.headers.get('x-quire-user-id');
    await env.DB.exec('CREATE TABLE IF NOT EXISTS hikers (id INTEGER PRIMARY KEY, user TEXT, child TEXT, parent_phone TEXT, allergies TEXT)');
    if (action === 'list') return Response.json({ children: (await env.DB.prepare('SELECT child FROM hikers ORDER BY id').all()).results });
    if (!user) return Response.json({ error: 'Log in first.' }, { status: 401 });
    if (action === 'signup') {
      await env.DB.prepare('INSERT INTO hikers (user, child, parent_phone, allergies) VALUES (?, ?, ?, ?)').bind(user, child ?? '', parentPhone ?? '', allergies ?? '').run();
      return Response.json({ success: true });
    }
    if (action === 'mine') return Response.json({ mine: (await env.DB.prepare('SELECT * FROM hikers WHERE user = ?').bind(user).all()).results });
    return Response.json({ error: 'unknown action' }, { status: 400 });
  },
};`,
  },
};

const chat: Sample = {
  name: 'holdout: chat with a search that binds',
  mode: 'page',
  holes: [],
  html: `<!doctype html><html><head><title>Chat of 8b</title></head><body><ol id="log"></ol>
<script>
const show = ({ messages }) => document.querySelector('#log').replaceChildren(...(messages || []).map((m) => Object.assign(document.createElement('li'), { textContent: m.author + ': ' + m.message })));
const say = (message) => PageFunctions.call('chat-8b', { op: 'say', message }).then(() => PageFunctions.call('chat-8b', { op: 'read' })).then(show);
const search = (term) => PageFunctions.call('chat-8b', { op: 'search', term }).then(show);
PageFunctions.call('chat-8b', { op: 'read' }).then(show);
</script></body></html>`,
  functions: {
    'chat-8b': `export default {
  async fetch(request, env) {
    const { op, message, term } = await request.json();
    const user = request.headers.get('x-quire-user-name');
    if (!user) return Response.json({ error: 'Log in to chat.' }, { status: 401 });
    await env.DB.exec('CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, author TEXT, message TEXT)');
    if (op === 'say') {
      await env.DB.prepare('INSERT INTO messages (author, message) VALUES (?, ?)').bind(decodeURIComponent(user), String(message).slice(0, 300)).run();
      return Response.json({ ok: true });
    }
    const pattern = '%' + String(term ?? '').replaceAll('%', '') + '%';
    const { results } = await env.DB.prepare('SELECT author, message FROM messages WHERE message LIKE ? ORDER BY id DESC LIMIT 50').bind(op === 'search' ? pattern : '%').all();
    return Response.json({ messages: results });
  },
};`,
  },
};

const homework: Sample = {
  name: 'holdout: homework that its author and the teacher read',
  mode: 'page',
  holes: [],
  html: `<!doctype html><html><head><title>Hand in</title></head><body><textarea></textarea><pre></pre>
<script type="module">
window.submit = (title, essay) => PageFunctions.call('hand-in-report', { type: 'submit', title, essay });
window.view = async (submissionId) => { document.querySelector('pre').textContent = JSON.stringify(await PageFunctions.call('hand-in-report', { type: 'view', submissionId })); };
window.all = () => PageFunctions.call('hand-in-report', { type: 'all' });
</script></body></html>`,
  functions: {
    'hand-in-report': `const json = (data, status = 200) => Response.json(data, { status });
export default {
  async fetch(request, env) {
    const student = request.headers.get('x-quire-user-id');
    const isTeacher = request.headers.get('x-quire-team-role') === 'owner';
    if (!student) return json({ error: 'Please log in.' }, 401);
    await env.DB.exec('CREATE TABLE IF NOT EXISTS reports (id INTEGER PRIMARY KEY AUTOINCREMENT, student TEXT, title TEXT, essay TEXT)');
    const input = await request.json();
    if (input.type === 'submit') {
      const { meta } = await env.DB.prepare('INSERT INTO reports (student, title, essay) VALUES (?, ?, ?)').bind(student, input.title, input.essay).run();
      return json({ submissionId: meta.last_row_id });
    }
    if (input.type === 'view') {
      const report = await env.DB.prepare('SELECT * FROM reports WHERE id = ?').bind(input.submissionId).first();
      if (!report || (report.student !== student && !isTeacher)) return json({ error: 'Not found' }, 404);
      return json({ report });
    }
    if (input.type === 'all') {
      if (!isTeacher) return json({ error: 'Only for the teacher' }, 403);
      return json({ reports: (await env.DB.prepare('SELECT * FROM reports').all()).results });
    }
    return json({ error: 'Unknown type' }, 400);
  },
};`,
  },
};

const parentsEvening: Sample = {
  name: 'holdout: parents evening, cancelled by the family',
  mode: 'page',
  holes: [],
  html: `<!doctype html><html><head><title>Parents evening</title></head><body><p></p>
<script>
function call(action, params) { return PageFunctions.call('evening-slots', Object.assign({ action: action }, params)); }
function book(time, family) { return call('book', { time: time, family: family }).then(render); }
function cancel(id) { return call('cancel', { id: id }).then(render); }
function render() { return call('slots').then(function (r) { document.querySelector('p').textContent = r.taken.join(', '); }); }
render();
</script></body></html>`,
  functions: {
    'evening-slots': `export default {
  async fetch(request, env) {
    const p = await request.json();
    const user = request.headers.get('x-quire-user-id');
    await env.DB.exec('CREATE TABLE IF NOT EXISTS slots (id INTEGER PRIMARY KEY, user TEXT, time TEXT UNIQUE, family TEXT)');
    if (p.action === 'slots') return Response.json({ taken: (await env.DB.prepare('SELECT time FROM slots ORDER BY time').all()).results.map((row) => row.time) });
    if (!user) return Response.json({ error: 'login' }, { status: 401 });
    if (p.action === 'book') {
      try {
        const { meta } = await env.DB.prepare('INSERT INTO slots (user, time, family) VALUES (?, ?, ?)').bind(user, p.time, p.family).run();
        return Response.json({ id: meta.last_row_id });
      } catch {
        return Response.json({ error: 'taken' }, { status: 409 });
      }
    }
    const { meta } = await env.DB.prepare('DELETE FROM slots WHERE id = ? AND user = ?').bind(p.id ?? 0, user).run();
    return Response.json({ success: true, cancelled: meta.changes });
  },
};`,
  },
};

const bookSwap: Sample = {
  name: 'holdout: messages that only their two people read',
  mode: 'page',
  holes: [],
  html: `<!doctype html><html><head><title>Book swap</title></head><body><ul></ul>
<script type="module">
window.send = (to, text) => PageFunctions.call('swap-letters', { action: 'send', to, text });
const { messages = [] } = await PageFunctions.call('swap-letters', { action: 'inbox' });
document.querySelector('ul').append(...messages.map((m) => Object.assign(document.createElement('li'), { textContent: m.text })));
</script></body></html>`,
  functions: {
    'swap-letters': `export default {
  async fetch(request, env) {
    const me = request.headers.get('x-quire-user-id');
    if (!me) return Response.json({ error: 'Log in.' }, { status: 401 });
    const { action, to, text } = await request.json();
    await env.DB.exec('CREATE TABLE IF NOT EXISTS mail (id INTEGER PRIMARY KEY, from_user TEXT, to_user TEXT, text TEXT)');
    if (action === 'send') {
      await env.DB.prepare('INSERT INTO mail (from_user, to_user, text) VALUES (?, ?, ?)').bind(me, String(to), text).run();
      return Response.json({ sent: true });
    }
    const { results } = await env.DB.prepare('SELECT * FROM mail WHERE to_user = ?1 OR from_user = ?1').bind(me).all();
    return Response.json({ messages: results });
  },
};`,
  },
};

const election: Sample = {
  name: 'holdout: election with one vote each',
  mode: 'page',
  holes: [],
  html: `<!doctype html><html><head><title>Class speaker</title></head><body><div id="r"></div>
<script>
const vote = async (candidate) => { await PageFunctions.call('speaker-ballot', { action: 'vote', candidate }); results(); };
const results = async () => { const d = await PageFunctions.call('speaker-ballot', { action: 'results' }); document.getElementById('r').textContent = JSON.stringify(d); };
results();
</script></body></html>`,
  functions: {
    'speaker-ballot': `export default {
  async fetch(request, env) {
    const voter = request.headers.get('x-quire-user-id');
    const { action, candidate } = await request.json();
    await env.DB.exec('CREATE TABLE IF NOT EXISTS votes (voter TEXT PRIMARY KEY, candidate TEXT)');
    if (action === 'vote') {
      if (!voter) return Response.json({ error: 'Log in to vote.' }, { status: 401 });
      if (!['Mia', 'Noah', 'Lena'].includes(candidate)) return Response.json({ error: 'Who?' }, { status: 422 });
      await env.DB.prepare('INSERT OR REPLACE INTO votes (voter, candidate) VALUES (?, ?)').bind(voter, candidate).run();
      return Response.json({ ok: true });
    }
    return Response.json((await env.DB.prepare('SELECT candidate, COUNT(*) AS n FROM votes GROUP BY candidate').all()).results);
  },
};`,
  },
};

const tournament: Sample = {
  name: 'holdout: tournament whose results the teacher enters',
  mode: 'page',
  holes: [],
  html: `<!doctype html><html><head><title>Chess cup</title></head><body><ul></ul>
<script type="module">
const request = (action, payload = {}) => PageFunctions.call('chess-cup', { action, payload });
window.addMatch = (home, away) => request('add', { home, away });
window.setScore = (id, score) => request('score', { id, score });
const { matches = [] } = await request('matches');
document.querySelector('ul').append(...matches.map((m) => Object.assign(document.createElement('li'), { textContent: m.home + ' - ' + m.away })));
</script></body></html>`,
  functions: {
    'chess-cup': `export default {
  async fetch(request, env) {
    const { action, payload = {} } = await request.json();
    await env.DB.exec('CREATE TABLE IF NOT EXISTS matches (id INTEGER PRIMARY KEY, home TEXT, away TEXT, score TEXT)');
    if (action === 'matches') return Response.json({ matches: (await env.DB.prepare('SELECT * FROM matches').all()).results });
    const role = request.headers.get('x-quire-team-role');
    if (role !== 'owner' && role !== 'admin') return Response.json({ error: 'Only teachers' }, { status: 403 });
    if (action === 'add') await env.DB.prepare('INSERT INTO matches (home, away) VALUES (?, ?)').bind(payload.home, payload.away).run();
    if (action === 'score') await env.DB.prepare('UPDATE matches SET score = ? WHERE id = ?').bind(payload.score, payload.id).run();
    return Response.json({ ok: true });
  },
};`,
  },
};

export const cleanFunctions: Sample[] = [
  ...[trip, chat, homework, parentsEvening],
  ...[bookSwap, election, tournament],
];
