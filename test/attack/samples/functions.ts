import { html, type Sample, withTable } from './sample.ts';

/** Pages with functions, and what is in their sources. */

const call = (slug: string, ...bodies: string[]) =>
  bodies
    .map(
      (body, at) =>
        `window.f${at} = (id, text, email, note, userId, name, title) => PageFunctions.call('${slug}', ${body});`,
    )
    .join('\n');

const injection: Sample[] = [
  [
    'search',
    'books (id INTEGER PRIMARY KEY, title TEXT)',
    "SELECT * FROM books WHERE title LIKE '%",
    "%'",
    'title',
  ],
  [
    'login',
    'people (id INTEGER PRIMARY KEY, name TEXT)',
    "SELECT id FROM people WHERE name = '",
    "'",
    'name',
  ],
  ['tags', 'tags (id INTEGER PRIMARY KEY, text TEXT)', "SELECT * FROM tags WHERE text = '", "'", 'text'],
  [
    'add note',
    'notes (id INTEGER PRIMARY KEY, text TEXT)',
    "INSERT INTO notes (text) VALUES ('",
    "')",
    'text',
  ],
].flatMap(([name = '', table = '', start = '', end = '', key = '']): Sample[] => {
  const slug = `f-${name.replace(' ', '-')}`;
  const page = html(name, '', call(slug, `{ ${key} }`));
  const unsafe = withTable(
    table,
    `const sql = "${start}" + body.${key} + "${end}"; const { results } = await env.DB.prepare(sql).all(); return Response.json({ results });`,
  );
  const [before = ''] = start.split("'");
  const safe = withTable(
    table,
    `const { results } = await env.DB.prepare("${before}?${end.replace(/^%?'/, '')}").bind(body.${key}).all(); return Response.json({ results });`,
  );
  return [
    {
      name: `${name}, put together`,
      mode: 'page',
      html: page,
      functions: { [slug]: unsafe },
      holes: ['function-sql'],
    },
    { name: `${name}, bound`, mode: 'page', html: page, functions: { [slug]: safe }, holes: [] },
  ];
});

const ROW = 'rows (id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT, text TEXT, email TEXT)';
const ADD = `if (body.action === 'add') { const r = await env.DB.prepare('INSERT INTO rows (owner, text, email) VALUES (?, ?, ?)').bind(me, body.text ?? '', body.email ?? '').run(); return Response.json({ id: r.meta.last_row_id }); }`;
const MINE = `if (body.action === 'list') return Response.json({ items: (await env.DB.prepare('SELECT * FROM rows WHERE owner = ?').bind(me).all()).results });`;

const reading: Sample[] = [
  ['secret notes', "{ action: 'add', text }", "{ action: 'get', id }"],
  ['orders', "{ action: 'add', text, email }", "{ action: 'get', id }"],
  ['invoices', "{ action: 'add', email }", "{ action: 'get', id: id }"],
].flatMap(([name = '', add = '', get = '']): Sample[] => {
  const slug = `r-${name.replace(' ', '-')}`;
  const page = html(name, '', call(slug, add, "{ action: 'list' }", get));
  const read = (where: string, bind: string) =>
    `if (body.action === 'get') { const row = await env.DB.prepare('SELECT * FROM rows WHERE ${where}').bind(${bind}).first(); return row ? Response.json({ row }) : Response.json({ error: 'not found' }, { status: 404 }); }`;
  return [
    {
      name: `${name}, by any id`,
      mode: 'page',
      html: page,
      functions: { [slug]: withTable(ROW, ADD + MINE + read('id = ?', 'body.id')) },
      holes: ['function-reads'],
    },
    {
      name: `${name}, of the person`,
      mode: 'page',
      html: page,
      functions: { [slug]: withTable(ROW, ADD + MINE + read('id = ? AND owner = ?', 'body.id, me')) },
      holes: [],
    },
  ];
});

const changing: Sample[] = [
  ['bookmarks', "{ action: 'delete', id }", 'DELETE FROM rows WHERE id = ?'],
  ['profiles', "{ action: 'update', id, text }", 'UPDATE rows SET text = text || 1 WHERE id = ?'],
  ['reservations', "{ action: 'cancel', id }", 'DELETE FROM rows WHERE id = ?'],
].flatMap(([name = '', change = '', sql = '']): Sample[] => {
  const slug = `c-${name}`;
  const action = /'(\w+)'/.exec(change)?.[1];
  const page = html(name, '', call(slug, "{ action: 'add', text }", "{ action: 'list' }", change));
  const open = `if (body.action === '${action}') { await env.DB.prepare('${sql}').bind(body.id).run(); return Response.json({ ok: true }); }`;
  const safe = `if (body.action === '${action}') { const r = await env.DB.prepare('${sql} AND owner = ?').bind(body.id, me).run(); return Response.json({ ok: true, changed: r.meta.changes }); }`;
  return [
    {
      name: `${name}, of anyone`,
      mode: 'page',
      html: page,
      functions: { [slug]: withTable(ROW, ADD + MINE + open) },
      holes: ['function-changes'],
    },
    {
      name: `${name}, of the person`,
      mode: 'page',
      html: page,
      functions: { [slug]: withTable(ROW, ADD + MINE + safe) },
      holes: [],
    },
  ];
});

const ALL = `if (body.action === 'list') return Response.json({ items: (await env.DB.prepare('SELECT text FROM rows').all()).results });`;
const open: Sample[] = [
  {
    name: 'public guest book in a function',
    mode: 'page',
    html: html('Guests', '', call('open-guests', "{ action: 'add', text }", "{ action: 'list' }")),
    functions: { 'open-guests': withTable(ROW, ADD + ALL) },
    holes: [],
  },
  {
    name: 'list with the addresses of all guests',
    mode: 'page',
    html: html('Guests', '', call('all-guests', "{ action: 'add', text, email }", "{ action: 'list' }")),
    functions: { 'all-guests': withTable(ROW, ADD + ALL.replace('SELECT text', 'SELECT text, email')) },
    holes: ['function-reads'],
  },
];

const key = (prefix: string) => `${prefix}A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6`;
const sources: Sample[] = [
  {
    name: 'key of OpenAI',
    mode: 'page',
    html: html(
      'Ask',
      '',
      `fetch('https://api.openai.com/v1/chat', { headers: { authorization: 'Bearer ${key('sk-proj-')}' } });`,
    ),
    holes: ['secret-in-page'],
  },
  {
    name: 'asks a function instead',
    mode: 'page',
    html: html('Ask', '', `window.ask = (text) => PageFeatures.chat(text);`),
    holes: [],
  },
  {
    name: 'key of Google maps',
    mode: 'page',
    html: html('Map', '', `const KEY = '${key('AIza')}';`),
    holes: ['secret-in-page'],
  },
  {
    name: 'placeholder for a key',
    mode: 'page',
    html: html('Map', '', `const KEY = 'YOUR_API_KEY';`),
    holes: [],
  },
  {
    name: 'database address',
    mode: 'page',
    html: html('DB', '', `const db = 'postgres://admin:hunter2@db.example.com/app';`),
    holes: ['secret-in-page'],
  },
  {
    name: 'address without a password',
    mode: 'page',
    html: html('DB', '', `const docs = 'https://db.example.com/app';`),
    holes: [],
  },
  {
    name: 'password in the script',
    mode: 'page',
    html: html(
      'Members',
      '<input id="p">',
      `const password = document.querySelector('#p').value; if (password === 'letmein42') location.hash = '#in';`,
    ),
    holes: ['password-in-page'],
  },
  {
    name: 'password field for a function',
    mode: 'page',
    html: html(
      'Members',
      '<input id="p">',
      `const password = document.querySelector('#p').value; if (password === '') alert('Type it'); if (password.length > 3) location.hash = '#' + password.length;`,
    ),
    holes: [],
  },
  {
    name: 'password asked with prompt',
    mode: 'page',
    html: html('Admin', '', `const ok = prompt('Password?') === 'geheim123'; document.body.hidden = !ok;`),
    holes: ['password-in-page'],
  },
  {
    name: 'prompt for a name',
    mode: 'page',
    html: html('Hello', '', `const name = prompt('Name?'); document.body.append(name ?? '');`),
    holes: [],
  },
  {
    name: 'list of users as a file',
    mode: 'page',
    html: html('Members', '', `fetch('users.csv');`),
    files: { 'users.csv': 'name,email\nAda,ada@example.com' },
    holes: ['private-file'],
  },
  {
    name: 'list of cities as a file',
    mode: 'page',
    html: html('Cities', '', `fetch('cities.csv');`),
    files: { 'cities.csv': 'name\nBern' },
    holes: [],
  },
];

export const functionSamples: Sample[] = [...injection, ...reading, ...changing, ...open, ...sources];
