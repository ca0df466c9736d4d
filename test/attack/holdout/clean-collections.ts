import type { Sample } from '../samples/sample.ts';

/** Pages of a school class that store records, without holes. They were written before the attack was measured with them. */

const guestBook: Sample = {
  name: 'holdout: guest book with short texts',
  mode: 'social_app',
  holes: [],
  schemas: {
    greetings: {
      strict: true,
      fields: {
        from: { type: 'string', required: true, minLength: 1, maxLength: 20 },
        text: { type: 'string', required: true, maxLength: 40 },
        mood: { type: 'enum', values: ['happy', 'tired', 'hungry'] },
      },
    },
  },
  html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Guest book</title></head><body>
<form><input name="from" maxlength="20"><input name="text" maxlength="40"><select name="mood"><option>happy</option><option>tired</option><option>hungry</option></select><button>Sign</button></form>
<dl></dl>
<script type="module">
const dl = document.querySelector('dl');
const add = (tag, text) => { const node = document.createElement(tag); node.textContent = text; dl.append(node); };
SocialData.live('greetings', { limit: 30 }, (greetings) => {
  dl.replaceChildren();
  for (const { data } of greetings) { add('dt', data.from + ' is ' + data.mood); add('dd', data.text); }
});
document.querySelector('form').onsubmit = async (event) => {
  event.preventDefault();
  await SocialData.create('greetings', Object.fromEntries(new FormData(event.target)));
};
</script></body></html>`,
};

const bakeSale: Sample = {
  name: 'holdout: pre-orders that only the baker reads',
  mode: 'social_app',
  holes: [],
  schemas: {
    pie_orders: {
      strict: true,
      fields: {
        pie: { type: 'enum', values: ['Apple', 'Plum'], required: true },
        slices: { type: 'number', min: 1, max: 8, required: true },
        name: { type: 'string', required: true, maxLength: 40 },
        phone: { type: 'string', required: true, pattern: '^\\+?[0-9 ]{7,16}$' },
      },
      rules: { read: 'author', update: 'author', delete: 'author' },
    },
  },
  html: `<!doctype html><html><head><title>Pies</title></head><body>
<form id="f"><select name="pie"><option>Apple</option><option>Plum</option></select><input type="number" name="slices" value="1"><input name="name"><input name="phone"><button>Order</button></form>
<ul id="mine"></ul>
<script>
(function () {
  var form = document.getElementById('f');
  function show() {
    SocialData.find('pie_orders').then(function (orders) {
      var ul = document.getElementById('mine');
      ul.textContent = '';
      orders.forEach(function (order) {
        var li = document.createElement('li');
        li.textContent = order.data.slices + ' x ' + order.data.pie;
        ul.appendChild(li);
      });
    });
  }
  form.addEventListener('submit', function (event) {
    event.preventDefault();
    var data = {};
    new FormData(form).forEach(function (value, key) { data[key] = key === 'slices' ? Number(value) : value; });
    SocialData.create('pie_orders', data).then(show);
  });
  show();
})();
</script></body></html>`,
};

const poll: Sample = {
  name: 'holdout: poll with a record for each vote',
  mode: 'social_app',
  holes: [],
  schemas: {
    film_votes: {
      strict: true,
      fields: { film: { type: 'enum', values: ['Paddington', 'Momo', 'Coco'], required: true } },
    },
  },
  html: `<!doctype html><html><head><title>Film night</title></head><body><div id="films"></div>
<script type="module">
const films = ['Paddington', 'Momo', 'Coco'];
const box = document.querySelector('#films');
async function vote(film) {
  const [mine] = await SocialData.findMine('film_votes');
  if (mine) await SocialData.update('film_votes', mine.id, { film });
  else await SocialData.create('film_votes', { film });
  await show();
}
async function show() {
  const { groups } = await SocialData.count('film_votes', { groupBy: 'film' });
  box.replaceChildren(...films.map((film) => {
    const button = document.createElement('button');
    button.textContent = film + ' ' + (groups.find((g) => g.value === film)?.count ?? 0);
    button.onclick = () => vote(film);
    return button;
  }));
}
await SocialData.ready;
show();
</script></body></html>`,
};

const quiz: Sample = {
  name: 'holdout: vocabulary trainer',
  mode: 'solo_app',
  holes: [],
  html: `<!doctype html><html><head><title>Vocabulary</title></head><body><h2 id="word"></h2><input id="answer"><p id="score"></p>
<script>
const WORDS = { house: 'Haus', tree: 'Baum', dog: 'Hund' };
let current = 'house';
const check = async (answer) => {
  const isRight = answer.trim() === WORDS[current];
  await SoloData.create('answers', { word: current, answer, isRight, email: '' });
  const right = await SoloData.count('answers', { where: { isRight: true } });
  document.getElementById('score').innerHTML = '<b>' + Number(right) + '</b> right';
  current = Object.keys(WORDS)[Math.floor(Math.random() * 3)];
  document.getElementById('word').textContent = current;
};
document.getElementById('answer').onchange = (e) => check(e.target.value);
</script></body></html>`,
};

const lostAndFound: Sample = {
  name: 'holdout: lost and found, changed by its finder',
  mode: 'social_app',
  holes: [],
  schemas: {
    found_things: {
      fields: {
        thing: { type: 'string', required: true, maxLength: 80 },
        day: { type: 'date', required: true },
        place: { type: 'enum', values: ['gym', 'canteen'], required: true },
      },
    },
  },
  html: `<!doctype html><html><head><title>Found</title></head><body><ul></ul>
<script type="module">
await SocialData.ready;
const me = SocialData.getCurrentUser();
async function reload() {
  const things = await SocialData.find('found_things');
  document.querySelector('ul').replaceChildren(...things.map((thing) => {
    const li = document.createElement('li');
    li.textContent = thing.data.thing + ', ' + thing.data.place;
    if (thing.createdBy.id === me?.id) {
      const b = document.createElement('button');
      b.textContent = 'Remove';
      b.onclick = async () => { await SocialData.delete('found_things', thing.id); reload(); };
      li.append(b);
    }
    return li;
  }));
}
window.report = async (thing, place) => { await SocialData.create('found_things', { thing, place, day: new Date().toISOString() }); reload(); };
reload();
</script></body></html>`,
};

const yearbook: Sample = {
  name: 'holdout: year book with a template that escapes',
  mode: 'team_app',
  holes: [],
  html: `<!doctype html><html><head><title>Year book</title></head><body><main></main>
<script type="module">
const escape = (value) => new Option(String(value ?? '')).innerHTML.replace(/"/g, '&quot;');
const safe = (parts, ...values) => parts.reduce((all, part, i) => all + part + (i < values.length ? escape(values[i]) : ''), '');
const card = ({ data }) => safe\`<article title="\${data.nickname}"><h2>\${data.nickname}</h2><q>\${data.quote}</q></article>\`;
const main = document.querySelector('main');
const load = async () => { main.innerHTML = (await TeamData.find('people')).map(card).join(''); };
window.save = async (nickname, quote) => { await TeamData.create('people', { nickname, quote }); load(); };
await TeamData.ready;
load();
</script></body></html>`,
};

const links: Sample = {
  name: 'holdout: links for a project, of the web only',
  mode: 'social_app',
  holes: [],
  html: `<!doctype html><html><head><title>Links</title></head><body><ul id="links"></ul>
<script type="module">
const toSafeUrl = (text) => {
  try { const url = new URL(text); return ['http:', 'https:'].includes(url.protocol) ? url.href : null; } catch { return null; }
};
async function show() {
  const links = await SocialData.find('sources');
  document.querySelector('#links').replaceChildren(...links.map(({ data }) => {
    const li = document.createElement('li');
    const href = toSafeUrl(data.url);
    if (!href) { li.textContent = data.title; return li; }
    const a = document.createElement('a');
    Object.assign(a, { href, textContent: data.title, rel: 'noopener' });
    li.append(a);
    return li;
  }));
}
window.addSource = async (title, url) => { await SocialData.create('sources', { title, url }); show(); };
show();
</script></body></html>`,
};

const pixels: Sample = {
  name: 'holdout: picture that everyone paints together',
  mode: 'social_app',
  holes: [],
  schemas: {
    pixels: {
      strict: true,
      fields: {
        x: { type: 'number', min: 0, max: 31, required: true },
        y: { type: 'number', min: 0, max: 31, required: true },
        color: { type: 'string', pattern: '^#[0-9a-f]{6}$', required: true },
      },
      rules: { update: 'user', delete: 'user' },
    },
  },
  html: `<!doctype html><html><head><title>Our picture</title></head><body><canvas width="320" height="320"></canvas><input type="color" id="c">
<script type="module">
const canvas = document.querySelector('canvas'), pen = canvas.getContext('2d');
let pixels = [];
SocialData.live('pixels', { limit: 100 }, (all) => {
  pixels = all;
  for (const { data } of all) { pen.fillStyle = data.color; pen.fillRect(data.x * 10, data.y * 10, 10, 10); }
});
canvas.onclick = ({ offsetX, offsetY }) => {
  const [x, y, color] = [Math.floor(offsetX / 10), Math.floor(offsetY / 10), document.querySelector('#c').value];
  const painted = pixels.find((p) => p.data.x === x && p.data.y === y);
  return painted ? SocialData.update('pixels', painted.id, { color }) : SocialData.create('pixels', { x, y, color });
};
</script></body></html>`,
};

const contacts: Sample = {
  name: 'holdout: phone list of a team',
  mode: 'team_app',
  holes: [],
  schemas: {
    parents: {
      strict: true,
      fields: {
        name: { type: 'string', required: true, maxLength: 40 },
        phone: { type: 'string', pattern: '^[0-9 +]{6,18}$' },
        canDrive: { type: 'boolean' },
      },
    },
  },
  html: `<!doctype html><html><head><title>Parents of 3c</title></head><body><table></table>
<script>
async function load() {
  await TeamData.ready;
  const parents = await TeamData.find('parents', { orderBy: 'data.name', order: 'asc' });
  const table = document.querySelector('table');
  table.textContent = '';
  for (const parent of parents) {
    const row = table.insertRow();
    row.insertCell().textContent = parent.data.name;
    row.insertCell().textContent = parent.data.phone;
    if (TeamData.can('delete', 'parents', parent)) {
      const button = document.createElement('button');
      button.textContent = 'Delete';
      button.onclick = () => TeamData.delete('parents', parent.id).then(load);
      row.insertCell().append(button);
    }
  }
}
const addParent = (name, phone, canDrive) => TeamData.create('parents', { name, phone, canDrive }).then(load);
load();
</script></body></html>`,
};

export const cleanCollections: Sample[] = [
  ...[guestBook, bakeSale, poll, quiz, lostAndFound],
  ...[yearbook, links, pixels, contacts],
];
