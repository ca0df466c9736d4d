/** The sources of three applications that an agent builds: a club with a mailed digest, a kanban board and a shop. */

const document = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body data-page-id="{{PAGE_ID}}"><main><h1>${title}</h1>${body}</main></body></html>`;

export const CLUB = {
  digest: `export default {
  async fetch(request, env) {
    const { records } = await env.DATA.team('news').list({ limit: 20 });
    return Response.json({ success: true, data: records.map(({ data }) => data) });
  },
  async scheduled(controller, env) {
    const { records } = await env.DATA.team('news').list({ limit: 20 });
    const people = await env.TEAM.list();
    const text = records.map(({ data, createdBy }) => '- ' + data.title + ' (' + (createdBy?.username ?? 'club') + ')').join('\\n');
    console.log('digest for ' + people.length);
    await env.MAIL.send({ to: 'team', subject: 'Club digest: ' + records.length + ' news', text: text || 'Nothing new.' });
  },
};`,
  html: document(
    'Rowing club',
    `<a href="about">About</a><p id="who"></p><form id="add"><label>Title <input name="title" required></label> <button>Post</button></form>
<ul id="news"></ul><script type="module" src="app.js"></script>`,
  ),
  files: {
    'about.html': document('About', '<p>Since 1902.</p><a href="./">News</a>'),
    'app.js': `const list = document.querySelector('#news');
const show = async () => {
  const records = await TeamData.find('news').catch(() => []);
  list.replaceChildren(...records.map(({ data }) => Object.assign(document.createElement('li'), { textContent: data.title })));
};
await TeamData.ready;
document.querySelector('#who').textContent = TeamData.isAuthenticated() ? 'Welcome, ' + TeamData.getCurrentUser().username : 'Log in to post.';
document.querySelector('#add').addEventListener('submit', async (event) => {
  event.preventDefault();
  await TeamData.create('news', Object.fromEntries(new FormData(event.target)));
  event.target.reset();
  await show();
});
await show();
`,
  },
};

export const KANBAN = {
  code: `export default {
  async fetch(request, env) {
    const user = request.headers.get('x-quire-user-name');
    if (!user) return Response.json({ success: false, error: 'Log in first.' }, { status: 401 });
    const name = decodeURIComponent(user);
    const { action = 'list', title, id, column } = await request.json();
    if (action === 'add') await env.DB.prepare('INSERT INTO cards (title, col, by) VALUES (?, ?, ?)').bind(String(title).slice(0, 200), 'todo', name).run();
    else if (action === 'move') await env.DB.prepare('UPDATE cards SET col = ?, by = ? WHERE id = ?').bind(column, name, id).run();
    const { results } = await env.DB.prepare('SELECT id, title, col, by FROM cards ORDER BY id').all();
    return Response.json({ success: true, data: results });
  },
};`,
  files: {
    'migrations/0001_cards.sql':
      "CREATE TABLE cards (id INTEGER PRIMARY KEY, title TEXT NOT NULL, col TEXT NOT NULL CHECK (col IN ('todo', 'doing', 'done')), by TEXT NOT NULL);",
  },
  inputSchema: {
    type: 'object',
    properties: {
      action: { enum: ['list', 'add', 'move'] },
      title: { type: 'string' },
      id: { type: 'integer' },
      column: { enum: ['todo', 'doing', 'done'] },
    },
  },
  html: document(
    'Kanban',
    `<form id="add"><label>Card <input name="title" required></label> <button>Add</button></form><p id="error"></p><section aria-label="Cards" id="cards"></section>
<script type="module">
const cards = document.querySelector('#cards');
async function call(params) {
  const { success, data, error } = await PageFunctions.call('kanban-cards', params);
  document.querySelector('#error').textContent = error ?? '';
  if (!success) return;
  cards.replaceChildren(...data.map((card) => {
    const p = document.createElement('p');
    p.textContent = card.title + ' [' + card.col + '] by ' + card.by + ' ';
    const done = Object.assign(document.createElement('button'), { textContent: 'Done: ' + card.title, onclick: () => call({ action: 'move', id: card.id, column: 'done' }) });
    p.append(done);
    return p;
  }));
}
document.querySelector('#add').addEventListener('submit', (event) => { event.preventDefault(); call({ action: 'add', ...Object.fromEntries(new FormData(event.target)) }); });
call({});
</script>`,
  ),
};

export const SHOP = {
  code: `export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const headers = { 'access-control-allow-origin': '*' };
    if (request.method === 'GET' && url.pathname.endsWith('/export')) {
      if (request.headers.get('x-quire-user-name') !== 'owner') return new Response('Only the owner exports.', { status: 403, headers });
      const { results } = await env.DB.prepare('SELECT o.id, p.name, o.quantity, o.buyer FROM orders o JOIN products p ON p.id = o.product_id ORDER BY o.id').all();
      const cell = (value) => '"' + String(value).replace(/^[=+@-]/, "'$&").replaceAll('"', '""') + '"';
      const csv = ['id,product,quantity,buyer', ...results.map((row) => Object.values(row).map(cell).join(','))].join('\\r\\n');
      return new Response(csv, { headers: { ...headers, 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment; filename="orders.csv"' } });
    }
    if (request.method === 'GET') return Response.json((await env.DB.prepare('SELECT id, name, cents FROM products ORDER BY id').all()).results, { headers });
    const { productId, quantity, buyer } = await request.json();
    if (!Number.isInteger(quantity) || quantity < 1 || quantity > 99) return Response.json({ error: 'The quantity is 1 to 99.' }, { status: 400, headers });
    const { meta } = await env.DB.prepare('INSERT INTO orders (product_id, quantity, buyer) VALUES (?, ?, ?)').bind(productId, quantity, String(buyer).slice(0, 100)).run();
    await env.MAIL.send({ subject: 'Order ' + meta.last_row_id, text: buyer + ' ordered ' + quantity });
    return Response.json({ id: meta.last_row_id }, { status: 201, headers });
  },
};`,
  files: {
    'migrations/0001_shop.sql': `CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, cents INTEGER NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES products (id), quantity INTEGER NOT NULL, buyer TEXT NOT NULL);
INSERT INTO products (name, cents) VALUES ('Tea', 450), ('Cup', 1200);`,
  },
  html: document(
    'Shop',
    `<form id="order"><label>Product <select name="product"></select></label> <label>Quantity <input name="quantity" type="number" value="1"></label> <label>Name <input name="buyer" required></label> <button>Order</button></form><p id="out"></p><button id="export">Export orders</button>
<script type="module">
const out = document.querySelector('#out');
const products = await (await PageFunctions.fetch('shop-api', '/')).json();
document.querySelector('select').replaceChildren(...products.map(({ id, name, cents }) => new Option(name + ' ' + (cents / 100).toFixed(2), id)));
document.querySelector('#order').addEventListener('submit', async (event) => {
  event.preventDefault();
  const fields = new FormData(event.target);
  const response = await PageFunctions.fetch('shop-api', '/', { method: 'POST', body: JSON.stringify({ productId: Number(fields.get('product')), quantity: Number(fields.get('quantity')), buyer: fields.get('buyer') }) });
  const { id, error } = await response.json();
  out.textContent = error ?? 'Thank you. Order ' + id;
});
document.querySelector('#export').addEventListener('click', async () => {
  const response = await PageFunctions.fetch('shop-api', '/export');
  if (!response.ok) return void (out.textContent = await response.text());
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(await response.blob()), download: 'orders.csv' });
  link.click();
});
</script>`,
  ),
};
