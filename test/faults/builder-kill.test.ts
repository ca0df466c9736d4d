import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BuilderEvent } from '../../contract/agents/builder.ts';
import { parseEvents } from '../support/agents/builder.ts';
import { startToolVendor, type ToolVendor } from '../support/agents/tool-vendor.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** The builder, if its server is killed in the middle of a run, and if the model says nothing. */

let vendor: ToolVendor;
let server: TestServer | undefined;
const dataFolder = mkdtempSync(join(tmpdir(), 'quire-builder-kill-'));
beforeAll(async () => {
  vendor = await startToolVendor();
});
afterEach(async () => {
  await server?.kill();
});
afterAll(async () => {
  await vendor.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

const start = async () => {
  const settings = {
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendor.url,
    QUIRE_AI_MODEL: 'model-a',
    QUIRE_CREDITS_NEW_USER: '1000',
    QUIRE_CHROMIUM: 'off',
  };
  server = await startServer({ dataFolder, settings });
  return server;
};
const html = (words: string) =>
  `<!doctype html><html lang="en"><title>${words}</title><p>${words}</p></html>`;
const save = (words: string) => ({ name: 'save_draft', input: { html_content: html(words) } });

function open({ port }: TestServer, token: string, path: string, body?: object): Promise<Response> {
  const headers = {
    host: `localhost:${port}`,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  };
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  return fetch(`http://127.0.0.1:${port}/api/builder${path}`, { headers, ...sent });
}

/** Reads a stream until it has an event of this kind. */
async function readUntil<Type extends BuilderEvent['type']>(response: Response, type: Type) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ; ) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    text += value ?? '';
    const found = parseEvents(text).find((event) => event.type === type);
    if (found) {
      await reader?.cancel();
      return found as Extract<BuilderEvent, { type: Type }>;
    }
    if (done) throw new Error(`There is no event ${type}: ${text}`);
  }
}

test('a run whose server was killed is lost, and continues with its draft', async () => {
  const first = await start();
  const { token } = await register(first, 'builder-killed');
  vendor.play((turn) => (turn === 0 ? { calls: [save('Half')] } : { text: 'I think', ends: 'silence' }));
  const started = await open(first, token, '', { prompt: 'A page about bees' });
  const { run } = await readUntil(started, 'run');
  const { id } = run?.page ?? { id: 0 };
  await waitUntil(async () => vendor.seen.length === 2);
  await first.kill();

  const second = await start();
  const { run: lost } = await readUntil(await open(second, token, `/${id}/events`), 'run');
  expect(lost).toMatchObject({ state: 'lost', prompt: 'A page about bees' });
  expect((await call(second, 'GET', '/api/builder', { token })).body.underWay).toEqual([]);
  const { drafts } = (await call(second, 'GET', `/api/pages/${id}/drafts`, { token })).body;
  expect(drafts).toHaveLength(1);
  const readDraft = async () =>
    JSON.stringify((await call(second, 'GET', `/api/pages/${id}/drafts/${drafts[0].id}`, { token })).body);
  expect(await readDraft()).toContain('Half');

  vendor.play([{ calls: [save('Whole')] }, { text: 'Made.' }]);
  const again = await open(second, token, `/${id}`, {
    prompt: 'Continue where you stopped.',
    draft: drafts[0].id,
  });
  const done = await readUntil(again, 'done');
  expect(done).toMatchObject({ outcome: 'finished', draft: drafts[0].id });
  // The model learns what was asked for before.
  const seen = JSON.stringify(vendor.seen.at(-1)?.body.messages);
  for (const words of ['A page about bees', 'Continue where you stopped.'])
    expect([words, seen.includes(words)]).toEqual([words, true]);
  expect(await readDraft()).toContain('Whole');
}, 240_000);

test('a model that says nothing ends the run with a reason, and the next one can begin', async () => {
  const running = await start();
  const { token } = await register(running, 'builder-silent');
  vendor.play(() => ({ pace: () => new Promise(() => undefined) }));
  const started = await open(running, token, '', { prompt: 'A page about silence' });
  const events = parseEvents(await started.text());
  expect(events.at(-1)).toMatchObject({ type: 'error', error: 'provider_timeout' });
  const id = events.find((event) => event.type === 'run')?.run?.page.id;
  expect((await call(running, 'GET', '/api/builder', { token })).body.underWay).toEqual([]);
  vendor.play([{ calls: [save('Sound')] }, { text: 'Made.' }]);
  const next = await open(running, token, id ? `/${id}` : '', { prompt: 'A page about sound' });
  expect(await readUntil(next, 'done')).toMatchObject({ outcome: 'finished' });
}, 240_000);
