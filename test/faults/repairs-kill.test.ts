import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BROKEN, FIX, reportError, untilEnded } from '../support/agents/repairs.ts';
import { startToolVendor, type ToolVendor } from '../support/agents/tool-vendor.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** A repair whose server is killed while the model works on the branch. */

const LONG_MS = 300_000;

let vendor: ToolVendor;
let server: TestServer | undefined;
const dataFolder = mkdtempSync(join(tmpdir(), 'quire-repairs-kill-'));
beforeAll(async () => {
  vendor = await startToolVendor();
});
afterAll(async () => {
  await server?.kill();
  await vendor.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

const start = async () => {
  server = await startServer({
    dataFolder,
    settings: {
      QUIRE_AI_PROVIDER: 'openai-compatible',
      QUIRE_AI_URL: vendor.url,
      QUIRE_AI_MODEL: 'model-a',
      QUIRE_CREDITS_NEW_USER: '1000',
    },
  });
  return server;
};

test(
  'a repair whose server was killed is lost, its branch is removed, and the next one works',
  async () => {
    const first = await start();
    const { token } = await register(first, 'repairs-killed');
    const client = {
      call: (method: string, path: string, options: object = {}) =>
        call(server as TestServer, method, path, { token, ...options }),
    };
    const quire = {
      call: (method: string, path: string, options: object = {}) =>
        call(server as TestServer, method, path, options),
    };
    const { body } = await client.call('POST', '/api/pages', {
      body: { name: 'List', html_content: BROKEN },
    });
    const { page } = body;
    await client.call('PATCH', `/api/pages/${page.id}`, { body: { repair: true } });
    const error = await reportError({ quire, owner: client } as never, { ...page, url: body.url });
    vendor.play([{ text: 'I think', ends: 'silence' }]);
    const asked = vendor.nextRequest();
    const at = `/api/pages/${page.id}/errors/${error}/repair`;
    const { body: lost } = await client.call('POST', at, { body: {} });
    await asked;
    await first.kill();

    await start();
    const ended = await untilEnded(client as never, page.id, lost.id);
    expect(ended).toMatchObject({ outcome: 'lost', branch: null });
    expect((await client.call('GET', `/api/pages/${page.id}/branches`)).body.branches).toEqual([]);
    vendor.play([{ calls: [FIX] }, { text: 'Done.' }]);
    const { body: next } = await client.call('POST', at, { body: {} });
    expect(await untilEnded(client as never, page.id, next.id)).toMatchObject({ outcome: 'repaired' });
  },
  LONG_MS,
);
