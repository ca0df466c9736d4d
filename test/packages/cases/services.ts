import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluate, type PackageCase, use } from '../package-case.ts';

/** The block of code in a document that has this text. */
function documented(name: string, text: string): string {
  const document = readFileSync(join(import.meta.dir, '../../../docs', name), 'utf8');
  const blocks = [...document.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const found = blocks.find((code) => code.includes(text));
  if (found === undefined) throw new Error(`docs/${name} has no code with ${text}`);
  return found.replace(/^import .*drizzle.*\n/m, '');
}

const KYSELY = documented('databases.md', 'class Dialect');

/** Clients of databases and services. */
export const SERVICES: PackageCase[] = [
  use(
    'pg',
    `import pg from 'npm:pg@8';`,
    `const client = new pg.Client({ connectionString: input.postgres });
    await client.connect();
    const { rows } = await client.query('SELECT $1::int + 1 AS sum', [41]);
    await client.end();
    return Response.json(rows);`,
    [{ sum: 42 }],
  ),
  use(
    'postgres',
    `import postgres from 'npm:postgres@3';`,
    `const sql = postgres(input.postgres, { max: 1 });
    const rows = await sql\`SELECT \${'Ada'}::text AS name\`;
    await sql.end();
    return Response.json(rows);`,
    [{ name: 'Ada' }],
  ),
  use(
    'ioredis',
    `import Redis from 'npm:ioredis@5';`,
    `const redis = new Redis(input.redis, { lazyConnect: true });
    await redis.connect();
    await redis.set('name', 'Ada');
    const name = await redis.get('name');
    redis.disconnect();
    return Response.json(name);`,
    'Ada',
  ),
  evaluate(
    'mongodb',
    `import { BSON, MongoClient, ObjectId } from 'npm:mongodb@6';`,
    `[BSON.deserialize(BSON.serialize({ a: [1, 'x'] })), new ObjectId('0123456789abcdef01234567').toHexString(),
      new MongoClient('mongodb://localhost').options.dbName]`,
    [{ a: [1, 'x'] }, '0123456789abcdef01234567', 'test'],
  ),
  {
    ...use(
      'drizzle-orm with D1',
      `import { drizzle } from 'npm:drizzle-orm@0.44/d1';
import { integer, sqliteTable, text } from 'npm:drizzle-orm@0.44/sqlite-core';
import { eq } from 'npm:drizzle-orm@0.44';
const users = sqliteTable('users', { id: integer('id').primaryKey(), name: text('name') });`,
      `await env.DB.exec('CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, name TEXT)');
    const db = drizzle(env.DB);
    await db.insert(users).values({ name: input.name });
    return Response.json(await db.select().from(users).where(eq(users.name, 'Ada')));`,
      [{ id: 1, name: 'Ada' }],
    ),
    hasDatabase: true,
  },
  {
    ...use(
      'kysely in a transaction',
      KYSELY,
      `await env.DB.exec('CREATE TABLE IF NOT EXISTS people (id INTEGER PRIMARY KEY, name TEXT)');
    const db = new Kysely({ dialect: new Dialect(env.DB) });
    const add = (to, name) => to.insertInto('people').values({ name }).returning('id').executeTakeFirst();
    const kept = await db.transaction().execute((trx) => add(trx, input.name));
    const error = await db.transaction().execute(async (trx) => {
      await add(trx, 'Bob');
      throw new Error('undone');
    }).catch(({ message }) => message);
    await env.DB.transaction((tx) => add(new Kysely({ dialect: new Dialect(tx) }), 'Cy'));
    return Response.json({ kept, error, people: await db.selectFrom('people').select('name').execute() });`,
      { kept: { id: 1 }, error: 'undone', people: [{ name: 'Ada' }, { name: 'Cy' }] },
    ),
    hasDatabase: true,
  },
  {
    ...use(
      'drizzle-orm in a transaction, which its issue 2463 is about',
      `import { drizzle } from 'npm:drizzle-orm@0.44/d1';
import { integer, sqliteTable, text } from 'npm:drizzle-orm@0.44/sqlite-core';
${documented('databases.md', 'function connect(')}
const users = sqliteTable('users', { id: integer('id').primaryKey(), name: text('name') });`,
      `await env.DB.exec('CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, name TEXT)');
    const db = connect(env.DB);
    await db.transaction(async (tx) => {
      await tx.insert(users).values({ name: input.name });
      await tx.transaction(async (inner) => {
        await inner.insert(users).values({ name: 'Bob' });
        throw new Error('undone');
      }).catch(() => undefined);
    });
    const error = await db.transaction(async (tx) => {
      await tx.insert(users).values({ name: 'Cy' });
      throw new Error('undone too');
    }).catch(({ message }) => message);
    return Response.json({ error, users: await db.select().from(users) });`,
      { error: 'undone too', users: [{ id: 1, name: 'Ada' }] },
    ),
    hasDatabase: true,
  },
  use(
    'drizzle-orm with pg',
    `import { drizzle } from 'npm:drizzle-orm@0.44/node-postgres';
import { sql } from 'npm:drizzle-orm@0.44';
import pg from 'npm:pg@8';`,
    `const client = new pg.Client(input.postgres);
    await client.connect();
    const { rows } = await drizzle(client).execute(sql\`SELECT \${40}::int + 2 AS sum\`);
    await client.end();
    return Response.json(rows);`,
    [{ sum: 42 }],
  ),
  {
    ...use(
      'kysely with D1',
      `import { Kysely } from 'npm:kysely@0.28';
import { D1Dialect } from 'npm:kysely-d1@0.4';`,
      `await env.DB.exec('CREATE TABLE IF NOT EXISTS notes (text TEXT)');
    const db = new Kysely({ dialect: new D1Dialect({ database: env.DB }) });
    await db.insertInto('notes').values({ text: input.name }).execute();
    return Response.json(await db.selectFrom('notes').selectAll().execute());`,
      [{ text: 'Ada' }],
    ),
    hasDatabase: true,
  },
  {
    name: 'better-auth',
    code: `import { betterAuth } from 'npm:better-auth@1.6';
import { memoryAdapter } from 'npm:better-auth@1.6/adapters/memory';
const database = { user: [], session: [], account: [], verification: [] };
const auth = betterAuth({
  database: memoryAdapter(database), secret: 'a secret for this test, long enough', baseURL: 'http://localhost',
  emailAndPassword: { enabled: true }, telemetry: { enabled: false },
});
export default {
  async fetch() {
    const { user } = await auth.api.signUpEmail({ body: { email: 'ada@example.com', password: 'correct horse', name: 'Ada' } });
    return Response.json([user.name, database.user.length]);
  },
};`,
    expected: ['Ada', 1],
  },
  use(
    'nodemailer',
    `import nodemailer from 'npm:nodemailer@7';`,
    `const transport = nodemailer.createTransport({ streamTransport: true, buffer: true });
    const { message } = await transport.sendMail({ from: 'a@example.com', to: 'b@example.com', subject: 'Hi', text: 'Hello Ada' });
    return Response.json(/^Subject: Hi\\r?$/m.test(message.toString()) && message.toString().includes('Hello Ada'));`,
    true,
  ),
  use(
    'winston',
    `import winston from 'npm:winston@3'; import { Writable } from 'node:stream';`,
    `const lines = [];
    const stream = new Writable({ write(chunk, _, done) { lines.push(JSON.parse(chunk)); done(); } });
    const log = winston.createLogger({ transports: [new winston.transports.Stream({ stream })] });
    log.info('hello', { name: 'Ada' });
    await new Promise((done) => { stream.on('finish', done); log.on('finish', () => stream.end()); log.end(); });
    return Response.json(lines);`,
    [{ level: 'info', message: 'hello', name: 'Ada' }],
  ),
  evaluate(
    '@slack/web-api',
    `import { WebClient } from 'npm:@slack/web-api@7';`,
    `(await new WebClient('token', { slackApiUrl: input.server + '/slack/' }).chat.postMessage({ channel: 'c', text: 'Hi' })).path`,
    '/slack/chat.postMessage',
  ),
  evaluate(
    'twilio',
    `import twilio from 'npm:twilio@5';`,
    `[new twilio.twiml.VoiceResponse().say('Hi').toString() !== '', typeof twilio('AC0', 'token').messages.create]`,
    [true, 'function'],
  ),
  evaluate(
    'discord.js',
    `import { EmbedBuilder, PermissionsBitField } from 'npm:discord.js@14';`,
    `[new EmbedBuilder().setTitle('Hi').toJSON(), new PermissionsBitField(['ViewChannel']).has('ViewChannel')]`,
    [{ title: 'Hi' }, true],
  ),
  evaluate(
    'stripe',
    `import Stripe from 'npm:stripe@19';`,
    `(await new Stripe('key', { host: new URL(input.server).hostname, port: new URL(input.server).port, protocol: 'http' }).customers.create({ name: 'Ada' })).path`,
    '/v1/customers',
  ),
  evaluate(
    'openai',
    `import OpenAI from 'npm:openai@6';`,
    `(await new OpenAI({ apiKey: 'key', baseURL: input.server + '/v1' }).models.retrieve('m')).path`,
    '/v1/models/m',
  ),
  evaluate(
    '@anthropic-ai/sdk',
    `import Anthropic from 'npm:@anthropic-ai/sdk@0.70';`,
    `(await new Anthropic({ apiKey: 'key', baseURL: input.server }).messages.create({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })).path`,
    '/v1/messages',
  ),
];
