import type { Sample } from '../samples/sample.ts';

/** Pages of a school class with forms, files or neither, without holes. They were written before the attack was measured with them. */

const worryBox: Sample = {
  name: 'holdout: worry box that counts',
  mode: 'page',
  holes: [],
  html: `<!doctype html><html><head><title>Worry box</title></head><body>
<form data-quire-form="sorrows"><textarea name="sorrow" required></textarea><input name="name"><input name="_gotcha" hidden><button>Drop</button></form>
<p id="n"></p>
<script type="module">
const { total } = await PageFunctions.call('sorrow-count', {});
document.querySelector('#n').textContent = total + ' notes are in the box.';
</script></body></html>`,
  functions: {
    'sorrow-count': `export default {
  async fetch(_request, env) {
    const { total } = await env.FORMS.list('sorrows', { limit: 1 });
    return Response.json({ total });
  },
};`,
  },
};

const tutor: Sample = {
  name: 'holdout: tutor with the service behind it',
  mode: 'page',
  holes: [],
  html: `<!doctype html><html><head><title>Physics tutor</title></head><body><textarea></textarea><pre></pre>
<script type="module">
// A key such as sk-your-key-here is not needed: the service asks the model.
const apiKey = '';
const passwordHint = 'Ask your teacher';
document.querySelector('textarea').onchange = async ({ target }) => {
  const { content } = await PageFeatures.chat({ messages: [{ role: 'user', content: target.value }], maxTokens: 400 });
  document.querySelector('pre').textContent = content || passwordHint + apiKey;
};
</script></body></html>`,
};

const timetable: Sample = {
  name: 'holdout: timetable as a file',
  mode: 'page',
  holes: [],
  html: `<!doctype html><html><head><title>Timetable</title></head><body><pre></pre>
<script type="module">
document.querySelector('pre').textContent = await (await fetch('data/timetable.csv')).text();
</script></body></html>`,
  files: {
    'data/timetable.csv': 'day,lesson,room\nMonday,Maths,204\nTuesday,Sport,Gym',
    'data/teachers.json': '[{"short":"KEL","subject":"Maths"},{"short":"FRE","subject":"Sport"}]',
  },
};

const trainer: Sample = {
  name: 'holdout: multiplication in the browser',
  mode: 'page',
  holes: [],
  html: `<!doctype html><html><head><title>Times tables</title></head><body><h1 id="task"></h1><input id="in" inputmode="numeric"><p id="out"></p>
<script>
let a, b, right = Number(localStorage.getItem('right') || 0);
function next() { a = 1 + Math.floor(Math.random() * 10); b = 1 + Math.floor(Math.random() * 10); document.getElementById('task').textContent = a + ' x ' + b; }
document.getElementById('in').onchange = function () {
  if (Number(this.value) === a * b) localStorage.setItem('right', ++right);
  document.getElementById('out').innerHTML = '<strong>' + right + '</strong> right';
  this.value = '';
  next();
};
next();
</script></body></html>`,
};

export const cleanOthers: Sample[] = [worryBox, tutor, timetable, trainer];
