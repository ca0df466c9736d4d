import { html, type Sample } from './sample.ts';

/** Pages whose schemas take only what fits: values of enums, dates, patterns, short texts. */

const wall = (show: string) => `async function load() {
  const notes = await SocialData.find('notes', { where: { state: 'open' } });
  document.querySelector('ul').innerHTML = notes.map(({ data }) => \`<li class="\${data.color}">${show}</li>\`).join('');
}
const esc = (s) => String(s).replace(/[&<>"']/g, (c) => '&#' + c.charCodeAt(0) + ';');
window.add = async (text, color, day, room) => { await SocialData.create('notes', { text, color, day, room, state: 'open' }); load(); };
load();`;

const NOTES = {
  strict: true,
  fields: {
    text: { type: 'string', required: true, maxLength: 40 },
    color: { type: 'enum', values: ['red', 'green'], required: true },
    day: { type: 'date', required: true },
    room: { type: 'string', pattern: '^[A-C][0-9]{3}$', required: true },
    state: { type: 'enum', values: ['open', 'done'], required: true },
  },
};

const notes: Sample[] = [true, false].map((isOpen) => ({
  name: `notes of 40 letters, ${isOpen ? 'as HTML' : 'as text'}`,
  mode: 'social_app',
  schemas: { notes: NOTES },
  html: html('Notes', '<ul></ul>', wall(isOpen ? `\${data.text}` : `\${esc(data.text)}`)),
  holes: isOpen ? ['stored-script'] : [],
}));

const MEMBERS = {
  strict: true,
  fields: {
    member: { type: 'string', required: true, pattern: '^[A-Z]{2}-[0-9]{6}$' },
    mobile: { type: 'string', required: true, pattern: '^\\+[0-9]{2} [0-9]{2} [0-9]{3} [0-9]{4}$' },
    level: { type: 'enum', values: [1, 2, 3], required: true },
  },
};

/** Nothing in these records has the mark of the attack: all of it has a pattern. */
const members: Sample[] = [true, false].map((isOpen) => ({
  name: `members by number, ${isOpen ? 'open' : 'by rules'}`,
  mode: 'social_app',
  schemas: {
    members: {
      ...MEMBERS,
      ...(!isOpen && { rules: { read: 'author', update: 'author', delete: 'author' } }),
    },
  },
  html: html(
    'Members',
    '<p></p>',
    `const show = async () => { document.querySelector('p').textContent = (await SocialData.find('members')).length; };
window.join = (member, mobile, level) => SocialData.create('members', { member, mobile, level }).then(show);
show();`,
  ),
  holes: isOpen ? ['personal-data'] : [],
}));

const BOARD = {
  strict: true,
  fields: {
    title: { type: 'string', required: true, minLength: 3, maxLength: 30 },
    tags: { type: 'array', items: { type: 'string', maxLength: 40 } },
    details: {
      type: 'object',
      properties: {
        status: { type: 'enum', values: ['new', 'old'] },
        body: { type: 'string', maxLength: 300 },
      },
    },
  },
};

/** The text that becomes HTML is inside an object; the title is escaped, and too short for a script. */
const board: Sample[] = [true, false].map((isOpen) => ({
  name: `cards with details, ${isOpen ? 'as HTML' : 'as text'}`,
  mode: 'team_app',
  schemas: { cards: BOARD },
  html: html(
    'Cards',
    '<main></main>',
    `const esc = (s) => String(s).replace(/[&<>"']/g, (c) => '&#' + c.charCodeAt(0) + ';');
const card = ({ data }) => '<h2>' + esc(data.title) + '</h2>' + ${isOpen ? 'data.details.body' : 'esc(data.details.body)'};
async function load() { document.querySelector('main').innerHTML = (await TeamData.find('cards')).map(card).join(''); }
window.add = (title, body) => TeamData.create('cards', { title, tags: [], details: { status: 'new', body } }).then(load);
TeamData.ready.then(load);`,
  ),
  holes: isOpen ? ['stored-script'] : [],
}));

const PICK = `const body = await request.json();
    if (typeof body.name !== 'string' || body.name.length > 60) return Response.json({ error: 'name' }, { status: 422 });
    if (body.size > 10) return Response.json({ error: 'size' }, { status: 422 });
    if (!/^\\d{4}-\\d{2}-\\d{2}$/.test(body.date)) return Response.json({ error: 'date' }, { status: 422 });
    await env.DB.exec('CREATE TABLE IF NOT EXISTS wishes (id INTEGER PRIMARY KEY, name TEXT, date TEXT)');
    await env.DB.prepare('INSERT INTO wishes (name, date) VALUES (?, ?)').bind(body.name, body.date).run();
    return Response.json({ ok: true });`;
const LIST = `await env.DB.exec('CREATE TABLE IF NOT EXISTS wishes (id INTEGER PRIMARY KEY, name TEXT, date TEXT)');
    return Response.json({ wishes: (await env.DB.prepare('SELECT name, date FROM wishes').all()).results });`;

/** A function that looks at each parameter: a script as a date is refused, and with it the whole call. */
const wishes: Sample[] = [true, false].map((isOpen) => ({
  name: `wishes that a function checks, ${isOpen ? 'as HTML' : 'as text'}`,
  mode: 'page',
  html: html(
    'Wishes',
    '<ul></ul>',
    `const ul = document.querySelector('ul');
async function load() {
  const { wishes } = await PageFunctions.call('checked-wishes', { action: 'list' });
  ul.replaceChildren(...wishes.map((w) => { const li = document.createElement('li'); li.${isOpen ? 'innerHTML' : 'textContent'} = w.name; return li; }));
  ul.insertAdjacentHTML('beforeend', '<li>the end</li>');
}
window.wish = (name, size, date) => PageFunctions.call('checked-wishes', { action: 'add', name, size: 3, date }).then(load);
load();`,
  ),
  functions: {
    'checked-wishes': `export default {
  async fetch(request, env) {
    if ((await request.clone().json()).action === 'list') { ${LIST} }
    ${PICK}
  },
};`,
  },
  holes: isOpen ? ['stored-script'] : [],
}));

export const strictSamples: Sample[] = [...notes, ...members, ...board, ...wishes];
