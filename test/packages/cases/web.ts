import { evaluate, type PackageCase, use } from '../package-case.ts';

/** Applications, routers and clients. */
export const WEB: PackageCase[] = [
  {
    name: 'express',
    code: `import express from 'npm:express@5';
import { httpServerHandler } from 'cloudflare:node';
const app = express();
app.use(express.json());
app.post('/', (request, response) => response.json({ hello: request.body.name }));
app.listen(8080);
export default httpServerHandler({ port: 8080 });`,
    expected: { hello: 'Ada' },
  },
  {
    name: 'koa',
    code: `import Koa from 'npm:koa@3';
import { httpServerHandler } from 'cloudflare:node';
const app = new Koa();
app.use((context) => { context.body = { method: context.method }; });
app.listen(8080);
export default httpServerHandler({ port: 8080 });`,
    expected: { method: 'POST' },
  },
  {
    name: 'hono',
    code: `import { Hono } from 'npm:hono@4';
import { html } from 'npm:hono@4/html';
const app = new Hono();
app.post('/', async (c) => c.html(html\`<p>\${(await c.req.json()).name} & co</p>\`));
export default app;`,
    expected: '<p>Ada & co</p>',
  },
  {
    name: 'hono with JSX',
    code: `/** @jsxImportSource npm:hono@4/jsx */
import { Hono } from 'npm:hono@4';
const app = new Hono();
app.post('/', async (c) => c.html(<b>{(await c.req.json()).name + ' & co'}</b>));
export default app;`,
    expected: '<b>Ada &amp; co</b>',
  },
  {
    name: 'hono with its cache',
    code: `import { Hono } from 'npm:hono@4';
import { cache } from 'npm:hono@4/cache';
let made = 0;
const app = new Hono();
app.get('/made', cache({ cacheName: 'own', cacheControl: 'max-age=60', wait: true }), (c) => c.json(++made));
app.post('/', async (c) => {
  const responses = [];
  for (let i = 0; i < 3; i++) responses.push(await (await app.request('https://x.test/made', {}, c.env, c.executionCtx)).json());
  return c.json(responses);
});
export default app;`,
    expected: [1, 1, 1],
  },
  {
    name: 'itty-router',
    code: `import { AutoRouter } from 'npm:itty-router@5';
const router = AutoRouter();
router.post('/', async (request) => ({ hello: (await request.json()).name }));
export default { fetch: router.fetch };`,
    expected: { hello: 'Ada' },
  },
  {
    name: 'graphql-yoga',
    code: `import { createSchema, createYoga } from 'npm:graphql-yoga@5';
const schema = createSchema({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'Ada' } } });
const yoga = createYoga({ schema, graphqlEndpoint: '/' });
export default {
  async fetch(request) {
    const asked = new Request(request.url, {
      ok: true,
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query: '{ hello }' }) });
    return Response.json(await (await yoga.fetch(asked)).json());
  },
};`,
    expected: { data: { hello: 'Ada' } },
  },
  use(
    'graphql',
    `import { buildSchema, graphql } from 'npm:graphql@16';
const schema = buildSchema('type Query { sum(a: Int!, b: Int!): Int }');`,
    `return Response.json((await graphql({ schema, source: '{ sum(a: 2, b: 3) }', rootValue: { sum: ({ a, b }) => a + b } })).data);`,
    { sum: 5 },
  ),
  evaluate(
    'axios',
    `import axios from 'npm:axios@1';`,
    `(await axios.post(input.server + '/x', { a: 1 })).data`,
    {
      ok: true,
      method: 'POST',
      path: '/x',
      body: { a: 1 },
    },
  ),
  evaluate(
    'ky',
    `import ky from 'npm:ky@1';`,
    `await ky.put(input.server + '/y', { json: { b: 2 } }).json()`,
    {
      ok: true,
      method: 'PUT',
      path: '/y',
      body: { b: 2 },
    },
  ),
  evaluate(
    'ofetch',
    `import { ofetch } from 'npm:ofetch@1';`,
    `await ofetch('/z', { baseURL: input.server })`,
    {
      ok: true,
      method: 'GET',
      path: '/z',
      body: null,
    },
  ),
  use(
    'ws',
    `import WebSocket from 'npm:isomorphic-ws@5'; import 'npm:ws@8';`,
    `return Response.json(typeof WebSocket);`,
    'function',
  ),
  evaluate(
    'cookie',
    `import { parse, serialize } from 'npm:cookie@1';`,
    `[parse('a=1; b=2'), serialize('c', 'd e')]`,
    [{ a: '1', b: '2' }, 'c=d%20e'],
  ),
  evaluate(
    'qs',
    `import qs from 'npm:qs@6';`,
    `[qs.parse('a[b]=1&c[]=2'), qs.stringify({ a: { b: [1] } }, { encode: false })]`,
    [{ a: { b: '1' }, c: ['2'] }, 'a[b][0]=1'],
  ),
  evaluate(
    'mime-types',
    `import mime from 'npm:mime-types@3';`,
    `[mime.lookup('a.html'), mime.extension('image/png')]`,
    ['text/html', 'png'],
  ),
];
