import type { Sample } from '../samples/sample.ts';

/** Pages of a school class with forms, files and secrets, with holes. They were written before the attack was measured with them. */

const quiz: Sample = {
  name: 'holdout: quiz with a page for the teacher',
  mode: 'social_app',
  holes: ['password-in-page'],
  html: `<!doctype html><html><head><title>Photosynthesis quiz</title></head><body>
<div id="quiz"></div><button onclick="teacher()">For teachers</button>
<script>
const QUESTIONS = [
  { q: 'What do plants take from the air?', a: ['Oxygen', 'Carbon dioxide', 'Helium'], right: 1 },
  { q: 'Where does it happen?', a: ['Root', 'Chloroplast', 'Flower'], right: 1 },
];
const TEACHER_PASSWORD = 'Blattgruen2026';
async function finish(points) {
  await SocialData.create('results', { nickname: prompt('Nickname?'), points });
}
async function teacher() {
  const entered = prompt('Teacher password');
  if (entered !== TEACHER_PASSWORD) return alert('Wrong password');
  const results = await SocialData.find('results', { orderBy: 'data.points' });
  document.getElementById('quiz').textContent = results.map((r) => r.data.nickname + ': ' + r.data.points).join(', ');
}
</script></body></html>`,
};

const worryBox: Sample = {
  name: 'holdout: worry box that a function shows',
  mode: 'page',
  holes: ['form-inbox'],
  html: `<!doctype html><html><head><title>Worry box</title></head><body>
<h1>Tell us what worries you</h1>
<form data-quire-form="worries">
  <textarea name="worry" required></textarea>
  <input name="name" placeholder="Your name, if you like"><input name="class" placeholder="Class">
  <input name="_gotcha" hidden><button>Drop it in the box</button>
</form>
<section id="counsellor" hidden></section>
<script type="module">
if (location.hash === '#counsellor') {
  const { entries } = await PageFunctions.call('worry-reader', {});
  const section = document.querySelector('#counsellor');
  section.hidden = false;
  section.append(...entries.map((e) => Object.assign(document.createElement('p'), { textContent: e.worry + ' (' + e.name + ')' })));
}
</script></body></html>`,
  functions: {
    'worry-reader': `export default {
  async fetch(request, env) {
    const { messages } = await env.FORMS.list('worries', { limit: 100 });
    const entries = messages.map((message) => message.fields);
    return Response.json({ entries });
  },
};`,
  },
};

const tutor: Sample = {
  name: 'holdout: tutor with a key of its own',
  mode: 'page',
  holes: ['secret-in-page'],
  html: `<!doctype html><html><head><title>Maths tutor</title></head><body><textarea id="q"></textarea><pre id="a"></pre>
<script type="module">
const CONFIG = {
  endpoint: 'https://api.anthropic.com/v1/messages',
  apiKey: 'sk-ant-api03-Zk3vT9qLw8XnB2sRf6YcJd1HgPm5UaEo7QtWxVbKyNr4MiSzCeDhGfLuOpAjTq0w-9sXkQAA',
};
document.querySelector('#q').onchange = async (event) => {
  const response = await fetch(CONFIG.endpoint, {
    method: 'POST',
    headers: { 'x-api-key': CONFIG.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ max_tokens: 500, messages: [{ role: 'user', content: event.target.value }] }),
  });
  document.querySelector('#a').textContent = (await response.json()).content[0].text;
};
</script></body></html>`,
};

const timetable: Sample = {
  name: 'holdout: class list beside a timetable',
  mode: 'page',
  holes: ['private-file'],
  html: `<!doctype html><html><head><title>Timetable</title></head><body><table id="t"></table>
<script type="module">
const days = await (await fetch('data/timetable.json')).json();
document.querySelector('#t').append(...Object.entries(days).map(([day, lessons]) => {
  const tr = document.createElement('tr');
  tr.append(...[day, ...lessons].map((text) => Object.assign(document.createElement('td'), { textContent: text })));
  return tr;
}));
const students = await (await fetch('data/students.json')).json();
document.title += ' of ' + students.length + ' students';
</script></body></html>`,
  files: {
    'data/timetable.json': '{"Monday":["Maths","English"],"Tuesday":["Sport"]}',
    'data/students.json':
      '[{"name":"Mia Keller","email":"mia.keller@example.com","birthday":"2012-04-03"},{"name":"Noah Frei","email":"noah.frei@example.com","birthday":"2012-09-17"}]',
  },
};

const camp: Sample = {
  name: 'holdout: camp with a room list',
  mode: 'social_app',
  holes: ['function-data'],
  schemas: {
    camp_children: {
      strict: true,
      fields: {
        firstName: { type: 'string', required: true, maxLength: 30 },
        room: { type: 'enum', values: ['Owl', 'Fox', 'Badger'], required: true },
        born: { type: 'date', required: true },
        emergencyPhone: { type: 'string', required: true, pattern: '^\\+?[0-9 ]{7,16}$' },
        medication: { type: 'string', maxLength: 200 },
      },
      rules: { read: 'author', update: 'author', delete: 'author' },
    },
  },
  html: `<!doctype html><html><head><title>Summer camp</title></head><body><div id="rooms"></div>
<script>
async function register(child) {
  await SocialData.create('camp_children', { firstName: child.firstName, room: child.room, born: child.born, emergencyPhone: child.emergencyPhone, medication: child.medication });
  await showRooms();
}
async function showRooms() {
  const answer = await PageFunctions.call('camp-rooms', {});
  const div = document.getElementById('rooms');
  div.textContent = '';
  Object.keys(answer.rooms).forEach(function (room) {
    const p = document.createElement('p');
    p.textContent = room + ': ' + answer.rooms[room].map(function (c) { return c.firstName; }).join(', ');
    div.appendChild(p);
  });
}
showRooms();
</script></body></html>`,
  functions: {
    'camp-rooms': `export default {
  async fetch(request, env) {
    const { records } = await env.DATA.social('camp_children').list({ limit: 100 });
    const rooms = {};
    for (const { data } of records) (rooms[data.room] ??= []).push(data);
    return Response.json({ rooms });
  },
};`,
  },
};

export const openOthers: Sample[] = [quiz, worryBox, tutor, timetable, camp];
