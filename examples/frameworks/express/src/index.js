import { httpServerHandler } from 'cloudflare:node';
import { env } from 'cloudflare:workers';
import express from 'express';

/** A to-do list with Express: routes, a middleware for errors, and the function's database. */

const app = express();
app.use(express.json());

app.get('/tasks', async (_request, response) => {
  const { results } = await env.DB.prepare('SELECT * FROM tasks ORDER BY id').all();
  response.json(results.map((task) => ({ ...task, done: task.done === 1 })));
});

app.post('/tasks', async (request, response) => {
  const { title } = request.body;
  if (typeof title !== 'string' || title.trim() === '') throw new RangeError('A task needs a title.');
  const task = await env.DB.prepare('INSERT INTO tasks (title) VALUES (?) RETURNING id').bind(title).first();
  response.status(201).location(`/tasks/${task.id}`).json({ id: task.id, title, done: false });
});

app.put('/tasks/:id', async (request, response) => {
  const change = env.DB.prepare('UPDATE tasks SET done = ? WHERE id = ?');
  const { meta } = await change.bind(request.body.done === true ? 1 : 0, request.params.id).run();
  response.sendStatus(meta.changes === 0 ? 404 : 204);
});

// Express knows a middleware for errors by its four parameters.
app.use((error, _request, response, _next) => {
  const isTheirs = error instanceof RangeError || error.status === 400;
  if (!isTheirs) console.error(error);
  response.status(isTheirs ? 400 : 500).json({ error: isTheirs ? error.message : 'Something went wrong.' });
});

// The port is only a name within the function.
app.listen(8080);
export default httpServerHandler({ port: 8080 });
