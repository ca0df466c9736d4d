import type { Sample } from '../samples/sample.ts';

/** Pages of a school class that store records, with holes. They were written before the attack was measured with them. */

const guestBook: Sample = {
  name: 'holdout: guest book of a class trip',
  mode: 'social_app',
  holes: ['stored-script'],
  html: `<!DOCTYPE html>
<html lang="de">
<head><meta charset="UTF-8"><title>Gästebuch Klassenfahrt</title>
<style>body{font-family:Georgia,serif;background:#fdf6e3}.eintrag{border-left:4px solid #b58900;padding:8px;margin:8px 0}</style></head>
<body>
<h1>Gästebuch Klassenfahrt 7b</h1>
<input id="wer" placeholder="Dein Vorname"><textarea id="gruss" placeholder="Was war am schönsten?"></textarea>
<button onclick="speichern()">Eintragen</button>
<div id="liste"></div>
<script>
var liste = document.getElementById('liste');
function zeigen(eintrag) {
  liste.insertAdjacentHTML('afterbegin', '<div class="eintrag"><strong>' + eintrag.data.vorname + '</strong><br>' + eintrag.data.gruss + '</div>');
}
function laden() {
  SocialData.find('gaestebuch', { limit: 100 }).then(function (eintraege) {
    liste.innerHTML = '';
    eintraege.forEach(zeigen);
  });
}
function speichern() {
  var eintrag = { vorname: document.getElementById('wer').value, gruss: document.getElementById('gruss').value };
  SocialData.create('gaestebuch', eintrag).then(laden);
}
SocialData.ready.then(laden);
</script>
</body></html>`,
};

const bakeSale: Sample = {
  name: 'holdout: pre-orders of a bake sale',
  mode: 'social_app',
  holes: ['personal-data'],
  schemas: {
    cake_orders: {
      strict: true,
      fields: {
        cake: { type: 'enum', values: ['Apple', 'Chocolate', 'Cheese'], required: true },
        pieces: { type: 'number', min: 1, max: 12, required: true },
        parentName: { type: 'string', required: true, maxLength: 60 },
        phone: { type: 'string', required: true, pattern: '^[0-9 +/-]{6,20}$' },
        pickup: { type: 'enum', values: ['first break', 'second break'] },
      },
    },
  },
  html: `<!DOCTYPE html>
<html><head><title>Bake sale</title></head><body>
<h1>Bake sale for the animal shelter</h1>
<form id="f">
  <select name="cake"><option>Apple</option><option>Chocolate</option><option>Cheese</option></select>
  <input name="pieces" type="number" min="1" max="12" value="2">
  <input name="parentName" placeholder="Name of a parent"> <input name="phone" type="tel" placeholder="Phone">
  <select name="pickup"><option>first break</option><option>second break</option></select>
  <button>Order</button>
</form>
<p id="sum"></p>
<script type="module">
const form = document.querySelector('#f');
const refresh = async () => {
  await SocialData.ready;
  const orders = await SocialData.find('cake_orders');
  const pieces = orders.reduce((sum, order) => sum + order.data.pieces, 0);
  document.querySelector('#sum').textContent = pieces + ' pieces are ordered.';
};
form.onsubmit = async (event) => {
  event.preventDefault();
  const values = Object.fromEntries(new FormData(form));
  await SocialData.create('cake_orders', { ...values, pieces: Number(values.pieces) });
  form.reset();
  refresh();
};
refresh();
</script></body></html>`,
};

const poll: Sample = {
  name: 'holdout: where the class goes',
  mode: 'social_app',
  holes: ['counter'],
  schemas: {
    destinations: {
      strict: true,
      fields: {
        place: { type: 'string', required: true, minLength: 2, maxLength: 40 },
        votes: { type: 'number', min: 0, required: true },
      },
      rules: { update: 'user' },
    },
  },
  html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Where do we go?</title></head><body>
<main id="app"></main>
<script>
(async () => {
  const app = document.getElementById('app');
  const el = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  async function voteFor(destination) {
    await SocialData.update('destinations', destination.id, { votes: destination.data.votes + 1 });
    localStorage.setItem('voted', 'yes');
    render();
  }
  async function render() {
    const all = await SocialData.find('destinations', { orderBy: 'data.votes' });
    app.replaceChildren(el('h1', 'Where do we go?'));
    for (const destination of all) {
      const button = el('button', destination.data.place + ': ' + destination.data.votes);
      button.disabled = localStorage.getItem('voted') === 'yes';
      button.onclick = () => voteFor(destination);
      app.append(button);
    }
    const add = el('button', 'Suggest a place');
    add.onclick = async () => { await SocialData.create('destinations', { place: prompt('Where?'), votes: 0 }); render(); };
    app.append(add);
  }
  await SocialData.ready;
  render();
})();
</script></body></html>`,
};

const lostAndFound: Sample = {
  name: 'holdout: lost and found',
  mode: 'social_app',
  holes: ['others-changed', 'others-deleted'],
  schemas: {
    lost_things: {
      strict: true,
      fields: {
        thing: { type: 'string', required: true, maxLength: 80 },
        place: { type: 'enum', values: ['gym', 'canteen', 'bus', 'yard'], required: true },
        foundOn: { type: 'date', required: true },
        isBack: { type: 'boolean' },
      },
      rules: { update: 'user', delete: 'user' },
    },
  },
  html: `<!DOCTYPE html>
<html lang="en"><head><meta charset="UTF-8"><title>Lost &amp; found</title></head><body>
<h1>Lost &amp; found</h1><ul id="things"></ul>
<script type="module">
class Board {
  constructor(list) { this.list = list; }
  async start() {
    await SocialData.ready;
    this.me = SocialData.getCurrentUser();
    await this.reload();
  }
  async reload() {
    const things = await SocialData.find('lost_things', { limit: 50 });
    this.list.replaceChildren(...things.map((thing) => this.item(thing)));
  }
  item(thing) {
    const li = document.createElement('li');
    li.append(thing.data.thing + ' (' + thing.data.place + ', ' + thing.data.foundOn + ')');
    if (this.me && thing.createdBy.id === this.me.id) {
      li.append(this.button('It is back', () => SocialData.update('lost_things', thing.id, { isBack: true })));
      li.append(this.button('Remove', () => SocialData.delete('lost_things', thing.id)));
    }
    return li;
  }
  button(text, act) {
    const button = document.createElement('button');
    button.textContent = text;
    button.addEventListener('click', () => act().then(() => this.reload()));
    return button;
  }
  add(thing, place) {
    const foundOn = new Date().toISOString().slice(0, 10);
    return SocialData.create('lost_things', { thing, place, foundOn, isBack: false }).then(() => this.reload());
  }
}
window.board = new Board(document.querySelector('#things'));
window.board.start();
</script></body></html>`,
};

const yearbook: Sample = {
  name: 'holdout: year book of a team',
  mode: 'team_app',
  holes: ['stored-script'],
  html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Year book</title></head><body>
<section class="grid"></section>
<script>
const PersonCard = ({ nickname, quote, dream }) => \`
  <article class="person">
    <h2>\${nickname}</h2>
    <blockquote>\${quote}</blockquote>
    <footer>In ten years: \${dream || 'no idea'}</footer>
  </article>\`;
const grid = document.querySelector('.grid');
TeamData.ready.then(async () => {
  if (!TeamData.isAuthenticated()) return TeamData.promptLogin();
  TeamData.live('persons', { orderBy: 'data.nickname', order: 'asc' }, (persons) => {
    grid.innerHTML = persons.map(({ data }) => PersonCard(data)).join('');
  });
});
const savePerson = async (nickname, quote, dream) => TeamData.create('persons', { nickname, quote, dream });
</script></body></html>`,
};

const internships: Sample = {
  name: 'holdout: applications for work experience',
  mode: 'social_app',
  holes: ['personal-data'],
  html: `<!doctype html><html><head><title>Work experience</title></head><body>
<h1>Two weeks of work experience</h1>
<label>Company <select id="company"><option>Bakery</option><option>Library</option><option>Garage</option></select></label>
<label>Your e-mail <input id="email" type="email"></label>
<label>Phone of your parents <input id="phone" type="tel"></label>
<label>Why? <textarea id="why"></textarea></label>
<button id="apply">Apply</button><p id="free"></p>
<script type="module">
const $ = (id) => document.getElementById(id);
const showFree = async () => {
  const { groups } = await SocialData.count('applications', { groupBy: 'company' });
  $('free').textContent = groups.map((g) => g.value + ': ' + g.count).join(', ');
};
$('apply').addEventListener('click', async () => {
  await SocialData.create('applications', {
    company: $('company').value,
    contact: { email: $('email').value, parentPhone: $('phone').value },
    why: $('why').value,
    appliedAt: new Date().toISOString(),
  });
  await showFree();
});
await SocialData.ready;
await showFree();
</script></body></html>`,
};

const links: Sample = {
  name: 'holdout: links for a project, with any address',
  mode: 'social_app',
  holes: ['stored-script'],
  html: `<!doctype html><html><head><meta charset="utf-8"><title>Links for our project</title></head><body>
<h1>Links for our project</h1><div id="out"></div>
<script>
function h(s) { return String(s).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;'); }
async function draw() {
  var links = await SocialData.find('project_links');
  document.getElementById('out').innerHTML = links.map(function (l) {
    return '<p><a href="' + h(l.data.url) + '">' + h(l.data.title) + '</a></p>';
  }).join('');
}
async function addLink(title, url) { await SocialData.create('project_links', { title: title, url: url }); draw(); }
SocialData.ready.then(draw);
</script></body></html>`,
};

const market: Sample = {
  name: 'holdout: market for used school books',
  mode: 'social_app',
  holes: ['stored-script', 'personal-data'],
  schemas: {
    offers: {
      fields: {
        title: { type: 'string', required: true, maxLength: 120 },
        subject: { type: 'enum', values: ['maths', 'english', 'biology'], required: true },
        isbn: { type: 'string', pattern: '^97[89]-?[0-9]{10}$' },
        price: { type: 'number', min: 0, max: 100 },
        sellerEmail: { type: 'string', required: true, pattern: '^[^@ ]+@[^@ ]+$' },
        description: { type: 'string', maxLength: 1000 },
      },
    },
  },
  html: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Used books</title></head><body>
<h1>Used books</h1><table><tbody id="rows"></tbody></table>
<script>
  const offersTable = document.getElementById('rows');
  async function loadOffers(subject) {
    const where = subject ? { subject } : undefined;
    const offers = await SocialData.find('offers', { where, orderBy: 'data.price', order: 'asc' });
    let rows = '';
    for (const { data } of offers) {
      rows += \`<tr><td>\${data.title}</td><td>\${data.price} €</td><td>\${data.description ?? ''}</td></tr>\`;
    }
    offersTable.innerHTML = rows;
  }
  async function sell(title, subject, isbn, price, sellerEmail, description) {
    await SocialData.create('offers', { title, subject, isbn, price, sellerEmail, description });
    await loadOffers();
  }
  loadOffers();
</script></body></html>`,
};

export const openCollections: Sample[] = [
  ...[guestBook, bakeSale, poll, lostAndFound],
  ...[yearbook, internships, links, market],
];
