import type { Sample } from './sample.ts';

/**
 * Whole applications, each in a style of its own: classes, constants, helpers around calls, forms that are read as a
 * whole, functions with a switch. Each is there with a hole and without it.
 */

const page = (title: string, head: string, body: string, script: string) => `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <meta name="viewport" content="width=device-width, initial-scale=1.0">
  <title>${title}</title>
  <style>
    :root { --accent: #2563eb; }
    body { font-family: system-ui, sans-serif; max-width: 640px; margin: 2rem auto; padding: 0 1rem; }
    .card { border: 1px solid #ddd; border-radius: 12px; padding: 1rem; margin-bottom: .75rem; }
    button { background: var(--accent); color: #fff; border: 0; border-radius: 8px; padding: .5rem 1rem; }
  </style>
  ${head}
</head>
<body>
  <header><h1>${title}</h1></header>
  <main>${body}</main>
  <script>
${script}
  </script>
</body>
</html>`;

const ESCAPE = `    function escapeHtml(value) {
      const div = document.createElement('div');
      div.textContent = value ?? '';
      return div.innerHTML.replaceAll('"', '&quot;').replaceAll("'", '&#39;');
    }`;

/** Makes two samples of one application: with the holes, and without them. */
const pair = (
  name: string,
  holes: Sample['holes'],
  make: (isOpen: boolean) => Omit<Sample, 'name' | 'holes'>,
): Sample[] => [
  { name: `${name}, open`, ...make(true), holes },
  { name: `${name}, closed`, ...make(false), holes: [] },
];

const bakery = pair('bakery, orders from a form', ['personal-data'], (isOpen) => ({
  mode: 'social_app',
  ...(!isOpen && {
    schemas: { preorders: { rules: { read: 'author', update: 'author', delete: 'author' } } },
  }),
  html: page(
    'Sunday Bakery',
    '',
    `<form id="order-form" class="card">
    <label>Name <input type="text" name="customerName" required></label>
    <label>E-mail <input type="email" name="email" required></label>
    <label>Loaves <input type="number" name="quantity" min="1" value="1"></label>
    <button type="submit">Order</button>
  </form>
  <p id="status" role="status"></p>`,
    `    const COLLECTION = 'preorders';
    const form = document.getElementById('order-form');
    const statusEl = document.getElementById('status');

    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const order = Object.fromEntries(new FormData(form));
      try {
        await SocialData.create(COLLECTION, { ...order, status: 'new' });
        form.reset();
        statusEl.textContent = 'Thank you! See you on Sunday.';
      } catch (error) {
        statusEl.textContent = error.message;
      }
    });

    async function showTotal() {
      const orders = await SocialData.find(COLLECTION);
      statusEl.textContent = orders.length + ' orders so far';
    }
    showTotal();`,
  ),
}));

const tools = pair('tool library, class with its own store', ['stored-script'], (isOpen) => ({
  mode: 'social_app',
  html: page(
    'Neighbourhood Tool Library',
    '',
    `<div id="app"></div>`,
    `${ESCAPE}
    class ToolLibrary {
      constructor(root) {
        this.root = root;
        this.store = SocialData;
        this.tools = [];
      }
      async init() {
        await this.refresh();
        window.addTool = (title, owner) => this.add(title, owner);
      }
      async add(title, owner) {
        await this.store.create('tools', { title, owner, available: true });
        await this.refresh();
      }
      async refresh() {
        this.tools = await this.store.find('tools', { orderBy: 'created_at' });
        this.render();
      }
      render() {
        this.root.innerHTML = this.tools
          .map((tool) => \`<article class="card"><h3>\${${isOpen ? 'tool.data.title' : 'escapeHtml(tool.data.title)'}}</h3><p>Owner: \${escapeHtml(tool.data.owner)}</p></article>\`)
          .join('');
      }
    }
    new ToolLibrary(document.getElementById('app')).init();`,
  ),
}));

const comments = pair('comment widget, added as HTML', ['stored-script'], (isOpen) => ({
  mode: 'social_app',
  html: page(
    'What do you think?',
    '',
    `<section id="comments"></section><textarea id="comment" name="comment"></textarea><button id="send">Post</button>`,
    `    const db = window.SocialData;
    const list = document.querySelector('#comments');
    const format = (text) => text${isOpen ? '' : ".replace(/&/g, '&amp;').replace(/</g, '&lt;')"}.replace(/\\*\\*(.+?)\\*\\*/g, '<strong>$1</strong>');

    const show = ({ data, createdBy }) => {
      list.insertAdjacentHTML('beforeend', '<div class="card">' + format(data.body) + '</div>');
    };
    document.querySelector('#send').onclick = async () => {
      const body = document.querySelector('#comment').value.trim();
      if (!body) return;
      const saved = await db.create('comments', { body, likes: [] });
      show(saved);
    };
    db.find('comments').then((found) => found.forEach(show));`,
  ),
}));

const kanban = pair('kanban board, buttons for authors', ['others-changed', 'others-deleted'], (isOpen) => ({
  mode: 'social_app',
  schemas: {
    cards: { rules: isOpen ? { update: 'user', delete: 'user' } : { update: 'author', delete: 'author' } },
  },
  html: page(
    'Team Kanban',
    '',
    `<div id="columns"></div>`,
    `    const CARDS = 'cards';
    const state = { cards: [], user: null };

    async function load() {
      state.user = await PageUser.current();
      state.cards = await SocialData.find(CARDS);
      render();
    }
    function render() {
      const columns = document.getElementById('columns');
      columns.replaceChildren(
        ...state.cards.map((card) => {
          const el = document.createElement('div');
          el.className = 'card';
          el.textContent = card.data.title;
          const isMine = card.createdBy?.id === state.user?.id;
          if (isMine) {
            const remove = document.createElement('button');
            remove.textContent = 'Remove';
            remove.onclick = async () => { await SocialData.delete(CARDS, card.id); load(); };
            el.append(remove);
          }
          return el;
        }),
      );
    }
    window.addCard = async (title) => {
      const card = { title, column: 'todo' };
      await SocialData.create(CARDS, card);
      load();
    };
    load();`,
  ),
}));

const petition = pair('petition, addresses beside names', ['personal-data'], (isOpen) => ({
  mode: 'social_app',
  schemas: {
    signatures: {
      fields: { name: { type: 'string', maxLength: 200 }, email: { type: 'string', maxLength: 200 } },
      rules: isOpen ? { update: 'author' } : { read: 'owner', update: 'owner', delete: 'owner' },
    },
  },
  html: page(
    'Save the library',
    '',
    `<p><strong id="count">0</strong> people have signed</p>`,
    `    const api = SocialData;
    async function sign(name, email) {
      const payload = {
        name,
        email,
        signedAt: new Date().toISOString(),
      };
      await api.create('signatures', payload);
      document.querySelector('#count').textContent = await api.count('signatures');
    }
    window.sign = sign;`,
  ),
}));

const game = pair('leaderboard, the browser sets the score', ['counter'], (isOpen) => ({
  mode: 'social_app',
  schemas: {
    leaderboard: {
      fields: { nickname: { type: 'string', maxLength: 40 }, score: { type: 'number' } },
      rules: { update: isOpen ? 'user' : 'author', delete: 'owner' },
    },
  },
  html: page(
    'Snake',
    '',
    `<canvas id="board" width="320" height="320"></canvas><ol id="top"></ol>`,
    `    const TABLES = { scores: 'leaderboard' };
    let mine = null;
    async function saveScore(nickname, score) {
      if (!mine) mine = await SocialData.create(TABLES.scores, { nickname, score: 0 });
      mine = await SocialData.update(TABLES.scores, mine.id, { score });
    }
    async function top() {
      const rows = await SocialData.find(TABLES.scores, { orderBy: 'data.score', order: 'desc', limit: 10 });
      document.querySelector('#top').replaceChildren(...rows.map((row) => Object.assign(document.createElement('li'), { textContent: row.data.nickname + ' ' + row.data.score })));
    }
    window.saveScore = saveScore;
    top();`,
  ),
}));

/** A function with a table, as models write them. */
const ROUTER = (table: string, cases: string) => `
const json = (data, status = 200) => new Response(JSON.stringify(data), { status, headers: { 'content-type': 'application/json' } });

async function migrate(db) {
  await db.prepare(\`CREATE TABLE IF NOT EXISTS ${table}\`).run();
}

export default {
  async fetch(request, env) {
    let payload = {};
    try { payload = await request.json(); } catch { return json({ error: 'Invalid JSON' }, 400); }
    const userId = request.headers.get('x-quire-user-id');
    await migrate(env.DB);
    switch (payload.action) {
${cases}
      default:
        return json({ error: 'Unknown action' }, 400);
    }
  },
};`;

const TICKETS =
  'tickets (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT, subject TEXT, message TEXT, email TEXT)';
const desk = pair('support desk, helper around calls', ['function-reads'], (isOpen) => ({
  mode: 'page',
  html: page(
    'Help desk',
    '',
    `<div id="tickets"></div>`,
    `    async function api(action, payload = {}) {
      const result = await PageFunctions.call('desk-api', { action, ...payload });
      if (result.error) throw new Error(result.error);
      return result;
    }
    async function openTicket(subject, message, email) {
      const { ticketId } = await api('createTicket', { subject, message, email });
      location.hash = ticketId;
    }
    async function showTicket(ticketId) {
      const { ticket } = await api('getTicket', { ticketId });
      document.querySelector('#tickets').textContent = ticket.subject;
    }
    const listMine = () => api('myTickets');
    Object.assign(window, { openTicket, showTicket, listMine });`,
  ),
  functions: {
    'desk-api': ROUTER(
      TICKETS,
      `      case 'createTicket': {
        const { subject, message, email } = payload;
        const row = await env.DB.prepare('INSERT INTO tickets (user_id, subject, message, email) VALUES (?1, ?2, ?3, ?4) RETURNING id').bind(userId, subject, message, email).first();
        return json({ ticketId: row.id });
      }
      case 'myTickets': {
        const { results } = await env.DB.prepare('SELECT id, subject FROM tickets WHERE user_id = ?').bind(userId).all();
        return json({ tickets: results });
      }
      case 'getTicket': {
        const ticket = await env.DB.prepare('SELECT * FROM tickets WHERE id = ?1${isOpen ? '' : ' AND user_id = ?2'}').bind(payload.ticketId${isOpen ? '' : ', userId'}).first();
        if (!ticket) return json({ error: 'Ticket not found' }, 404);
        return json({ ticket });
      }`,
    ),
  },
}));

const CONTACT = `<form data-quire-form="contact" class="card">
    <label>Name <input name="name" required></label>
    <label>E-mail <input name="email" type="email" required></label>
    <label>Message <textarea name="message" required></textarea></label>
    <button>Send</button>
  </form>
  <section id="admin" hidden></section>`;
const inbox = pair('contact form, inbox for the admin', ['form-inbox'], (isOpen) => ({
  mode: 'page',
  html: page(
    'Photo studio',
    '',
    CONTACT,
    `    async function loadInbox() {
      const { messages } = await PageFunctions.call('studio-inbox', { limit: 50 });
      const admin = document.getElementById('admin');
      admin.hidden = false;
      admin.textContent = JSON.stringify(messages, null, 2);
    }
    if (new URLSearchParams(location.search).has('admin')) loadInbox();`,
  ),
  functions: {
    'studio-inbox': `export default {
  async fetch(request, env) {
    ${isOpen ? '' : "if (request.headers.get('x-quire-team-role') !== 'owner') return Response.json({ error: 'Forbidden' }, { status: 403 });"}
    const { messages } = await env.FORMS.list('contact', { limit: 50 });
    return Response.json({ messages: messages.map(({ fields, createdAt }) => ({ ...fields, createdAt })) });
  },
};`,
  },
}));

const scripted = pair('feedback, sent by a script', ['form-inbox'], (isOpen) => ({
  mode: 'page',
  html: page(
    'Feedback',
    '',
    '<div id="stats"></div>',
    `    async function send(text, phone) {
      await PageForms.submit('feedback', { text, phone });
      await stats();
    }
    async function stats() {
      const data = await PageFunctions.call('feedback-stats', {});
      document.querySelector('#stats').textContent = data.total + ' answers';
    }
    window.send = send;
    stats();`,
  ),
  functions: {
    'feedback-stats': `export default {
  async fetch(_request, env) {
    const { total, messages } = await env.FORMS.list('feedback');
    return Response.json({ total${isOpen ? ', messages' : ', last: messages[0]?.createdAt ?? null'} });
  },
};`,
  },
}));

const course = pair('course, a function reads for everyone', ['function-data'], (isOpen) => ({
  mode: 'social_app',
  schemas: { registrations: { rules: { read: 'author', update: 'author', delete: 'author' } } },
  html: page(
    'Pottery course',
    '',
    '<ul id="people"></ul>',
    `    async function register(fullName, email, phone) {
      const registration = { fullName, email, phone };
      await SocialData.create('registrations', registration);
      await showParticipants();
    }
    async function showParticipants() {
      const { participants } = await PageFunctions.call('participants', { course: 'pottery' });
      document.querySelector('#people').replaceChildren(...participants.map((one) => Object.assign(document.createElement('li'), { textContent: one.fullName })));
    }
    window.register = register;
    showParticipants();`,
  ),
  functions: {
    participants: `export default {
  async fetch(request, env) {
    const { records } = await env.DATA.social('registrations').list({ limit: 100 });
    const participants = records.map(({ data }) => (${isOpen ? 'data' : '{ fullName: data.fullName }'}));
    return Response.json({ participants });
  },
};`,
  },
}));

const lookup = pair('directory, a function with the rights of the owner', ['function-data'], (isOpen) => ({
  mode: 'team_app',
  html: page(
    'Club members',
    '',
    '<input id="q">',
    `    const addMember = (name, phone) => TeamData.create('contacts', { name, phone });
    const search = (query) => PageFunctions.call('club-search', { query });
    Object.assign(window, { addMember, search });`,
  ),
  functions: {
    'club-search': `export default {
  async fetch(request, env) {
    const data = ${isOpen ? 'env.DATA' : 'env.DATA.as(request)'};
    try {
      const found = await data.team('contacts').list({ limit: 50 });
      return Response.json({ found: found.records.map((record) => record.data) });
    } catch (error) {
      return Response.json({ error: error.message }, { status: 403 });
    }
  },
};`,
  },
}));

const BOOKINGS =
  'bookings (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT, guest TEXT, email TEXT, seats INTEGER)';
const bookings = (where: string, bind: string) =>
  ROUTER(
    BOOKINGS,
    `      case 'book': {
        const { meta } = await env.DB.prepare('INSERT INTO bookings (user_id, guest, email, seats) VALUES (?, ?, ?, ?)').bind(userId, payload.guest ?? '', payload.email ?? '', payload.seats ?? 1).run();
        return json({ id: meta.last_row_id });
      }
      case 'mine':
        return json({ bookings: (await env.DB.prepare('SELECT * FROM bookings WHERE user_id = ?').bind(userId).all()).results });
      case 'lookup': {
        const booking = await env.DB.prepare('SELECT * FROM bookings WHERE ${where}').bind(${bind}).first();
        return booking ? json({ booking }) : json({ error: 'not found' }, 404);
      }`,
  );
const BOOKING_INPUT = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['book', 'mine', 'lookup'] },
    id: { type: 'integer' },
    guest: { type: 'string' },
    email: { type: 'string' },
    seats: { type: 'integer' },
  },
  required: ['action'],
};
const agents = pair('restaurant, for agents only', ['function-reads'], (isOpen) => ({
  mode: 'page',
  html: page(
    'Trattoria',
    '',
    '<p>Ask your assistant to book a table.</p>',
    "    document.title = 'Trattoria';",
  ),
  functions: {
    'table-desk': isOpen
      ? bookings('id = ?', 'payload.id')
      : bookings('id = ? AND user_id = ?', 'payload.id, userId'),
  },
  agentFunctions: { 'table-desk': BOOKING_INPUT },
}));

const catalog = pair('catalogue, a search for agents only', ['function-sql'], (isOpen) => ({
  mode: 'page',
  html: page('Record shop', '', '<p>1,200 records in stock.</p>', '    console.info("welcome");'),
  functions: {
    'shop-search': `export default {
  async fetch(request, env) {
    const { query = '' } = await request.json();
    await env.DB.exec('CREATE TABLE IF NOT EXISTS albums (id INTEGER PRIMARY KEY, artist TEXT, title TEXT)');
    const statement = ${isOpen ? 'env.DB.prepare("SELECT * FROM albums WHERE title LIKE \'%" + query + "%\' LIMIT 20")' : "env.DB.prepare('SELECT * FROM albums WHERE title LIKE ? LIMIT 20').bind('%' + query + '%')"};
    const { results } = await statement.all();
    return Response.json({ results });
  },
};`,
  },
  agentFunctions: {
    'shop-search': { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
}));

const files = pair('members list beside the page', ['private-file'], (isOpen) => ({
  mode: 'page',
  html: page(
    'Chess club',
    '',
    '<table></table>',
    "    fetch('data/standings.json').then((r) => r.json()).then(console.log);",
  ),
  files: isOpen
    ? { 'data/standings.json': '[]', 'data/customers.csv': 'name,email\nAda,ada@example.com' }
    : { 'data/standings.json': '[]', 'data/openings.csv': 'name,moves\nItalian,e4 e5' },
}));

export const applicationSamples: Sample[] = [
  ...[bakery, tools, comments, kanban, petition, game, desk, inbox],
  ...[scripted, course, lookup, agents, catalog, files],
].flat();
