import { field, html, type Sample } from './sample.ts';

/** Pages that store records in collections. */

const list = (collection: string, show: string) =>
  `async function load() {
  const { records } = await SocialData.find('${collection}');
  document.querySelector('ul').innerHTML = records.map((r) => \`<li>${show}</li>\`).join('');
}
load();`;
const safeList = (collection: string, fields: string[]) =>
  `async function load() {
  const { records } = await SocialData.find('${collection}');
  const ul = document.querySelector('ul');
  ul.replaceChildren(...records.map((r) => { const li = document.createElement('li'); li.textContent = ${fields.map((f) => `r.data.${f}`).join(" + ' ' + ")}; return li; }));
}
load();`;
const escaping = `const esc = (s) => String(s).replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c]);`;
const UL = '<ul></ul>';

/** A script in a text: pages that show what others wrote. */
const scripts: Sample[] = [
  ['guest book', 'entries', 'name, message', `<b>\${r.data.name}</b>: \${r.data.message}`],
  ['chat', 'messages', 'text', `\${r.data.text}`],
  ['recipes', 'recipes', 'title, steps', `<h2>\${r.data.title}</h2><p>\${r.data.steps}</p>`],
  ['comments', 'comments', 'comment', `<p class="c">\${r.data.comment}</p>`],
  ['link list', 'links', 'title, link', `<a title="\${r.data.title}">\${r.data.link}</a>`],
  ['wishes', 'wishes', 'wish', `\${r.data.wish}`],
  ['reviews', 'reviews', 'review', `<q>\${r.data.review}</q>`],
  ['wall of thanks', 'thanks', 'who, what', `\${r.data.who} - \${r.data.what}`],
].flatMap(([name = '', collection = '', fields = '', show = '']): Sample[] => {
  const add = `window.add = async (${fields}) => { await SocialData.create('${collection}', { ${fields} }); load(); };`;
  const names = fields.split(', ');
  const safe =
    names.length > 1
      ? `${escaping}\n${list(collection, show.replaceAll(/\$\{(r\.data\.\w+)\}/g, `\${esc($1)}`))}`
      : safeList(collection, names);
  return [
    {
      name: `${name}, as HTML`,
      mode: 'social_app',
      html: html(name, UL, `${list(collection, show)}\n${add}`),
      holes: ['stored-script'],
    },
    { name: `${name}, as text`, mode: 'social_app', html: html(name, UL, `${safe}\n${add}`), holes: [] },
  ];
});

/** Personal data in records that everyone can read. */
const personal: Sample[] = [
  ['shop', 'orders', 'product, email, address'],
  ['booking', 'bookings', 'day, guestPhone'],
  ['newsletter', 'subscribers', 'email'],
  ['clinic', 'appointments', 'doctor, symptoms, birthday'],
  ['course registration', 'students', 'course, email'],
  ['raffle', 'tickets', 'nickname, phone'],
  ['refunds', 'refunds', 'order, iban'],
].flatMap(([name = '', collection = '', fields = '']): Sample[] => {
  const send = `window.order = (${fields}) => SocialData.create('${collection}', { ${fields} });`;
  const first = fields.split(', ')[0] ?? '';
  const own = fields.includes('email') ? 'author' : 'owner';
  return [
    {
      name: `${name}, open`,
      mode: 'social_app',
      html: html(name, UL, `${safeList(collection, [first])}\n${send}`),
      holes: ['personal-data'],
    },
    {
      name: `${name}, by rules`,
      mode: 'social_app',
      schemas: { [collection]: { rules: { read: own, update: 'owner', delete: 'owner' } } },
      html: html(name, UL, `${safeList(collection, [first])}\n${send}`),
      holes: [],
    },
  ];
});

/** Who may change and delete is decided only by the page. */
const guarded: Sample[] = [
  ['forum', 'posts', 'title, text', 'if (r.authorId === me.id) button(r);'],
  ['wiki', 'articles', 'title, body', 'if (isAdmin) button(r);'],
  ['event list', 'events', 'title, place', 'if (r.data.createdBy === user.name) button(r);'],
  ['task board', 'tasks', 'task', 'if (canEdit) button(r);'],
  ['class diary', 'lessons', 'topic', 'if (isTeacher) button(r);'],
].flatMap(([name = '', collection = '', fields = '', check = '']): Sample[] => {
  const script = `${safeList(collection, fields.split(', '))}
const me = SocialData.getCurrentUser(); const user = me ?? {}; const isAdmin = user.name === 'admin', canEdit = isAdmin, isTeacher = isAdmin;
function button(r) { const b = document.createElement('button'); b.onclick = () => SocialData.delete('${collection}', r.id); document.body.append(b); }
for (const r of (await SocialData.find('${collection}')).records) { ${check} }
window.add = (${fields}) => SocialData.create('${collection}', { ${fields} });`;
  const page = (rules: object) => ({
    mode: 'social_app' as const,
    schemas: { [collection]: { rules } },
    html: html(name, '', script),
  });
  return [
    {
      name: `${name}, open rules`,
      ...page({ update: 'user', delete: 'user' }),
      holes: ['others-changed', 'others-deleted'],
    },
    { name: `${name}, rules of authors`, ...page({ update: 'author', delete: 'author' }), holes: [] },
  ];
});

/** Numbers that everyone can set. */
const counters: Sample[] = [
  ['poll', 'options', 'label', 'votes'],
  ['idea box', 'ideas', 'idea', 'likes'],
  ['high scores', 'players', 'nick', 'score'],
].flatMap(([name = '', collection = '', text = '', number = '']): Sample[] => [
  {
    name: `${name}, one number`,
    mode: 'social_app',
    schemas: {
      [collection]: {
        fields: { [text]: field, [number]: { type: 'number' } },
        rules: { update: 'user' },
      },
    },
    html: html(
      name,
      '',
      `window.vote = (r) => SocialData.update('${collection}', r.id, { ${number}: r.data.${number} + 1 });\nwindow.add = (${text}) => SocialData.create('${collection}', { ${text}, ${number}: 0 });`,
    ),
    holes: ['counter'],
  },
  {
    name: `${name}, a record for each`,
    mode: 'social_app',
    schemas: { choices: { fields: { [text]: field }, rules: { update: 'author' } } },
    html: html(
      name,
      '',
      `window.vote = (${text}) => SocialData.create('choices', { ${text} });\nwindow.count = () => SocialData.count('choices');`,
    ),
    holes: [],
  },
]);

/** Pages that share on purpose, or keep data apart. */
const others: Sample[] = [
  {
    name: 'shared shopping list, everyone edits on purpose',
    mode: 'social_app',
    schemas: { items: { rules: { update: 'user', delete: 'user' } } },
    html: html(
      'Shopping',
      UL,
      `${safeList('items', ['item'])}\nwindow.add = (item) => SocialData.create('items', { item });`,
    ),
    holes: [],
  },
  {
    name: 'private diary',
    mode: 'solo_app',
    html: html('Diary', '', `window.add = (text, birthday) => SoloData.create('days', { text, birthday });`),
    holes: [],
  },
  {
    name: 'team contacts',
    mode: 'team_app',
    html: html(
      'Contacts',
      '',
      `window.add = (person, phone) => TeamData.create('contacts', { person, phone });`,
    ),
    holes: [],
  },
];

export const collectionSamples: Sample[] = [...scripts, ...personal, ...guarded, ...counters, ...others];
