import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, startEngine } from '../support/engines/engine.ts';
import { type FunctionServer, startFunctionServer } from '../support/functions/server.ts';
import { call } from '../support/http/client.ts';
import { takePorts } from '../support/ports.ts';

const SECRET = 'only nginx itself may read this';
/** Responds with the headers that the call names. */
const ANSWERS = `export default { async fetch(request) {
  return new Response('from the function', { headers: await request.json() });
} };`;

let folder: string;
let quire: FunctionServer;
let nginx: Engine;
let port: number;
let places: Array<[place: string, path: string, host: string]>;

/** A site with files that nginx sends only if the server behind it says so. */
const configuration = () => `
daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {}
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://127.0.0.1:${quire.port}; proxy_set_header Host $http_host; }
    location /internal/ { internal; alias ${folder}/; }
    location /steered { proxy_pass http://127.0.0.1:${port + 1}; }
  }
  server {
    listen 127.0.0.1:${port + 1};
    location / { add_header X-Accel-Redirect /internal/secret.txt; return 200 "from behind"; }
  }
}`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-nginx-'));
  writeFileSync(join(folder, 'secret.txt'), SECRET);
  port = takePorts(2);
  quire = await startFunctionServer();
  writeFileSync(join(folder, 'nginx.conf'), configuration());
  const program = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` });
  if (!program) throw new Error('nginx is missing: apt-get install nginx-light');
  nginx = await startEngine({
    name: 'nginx',
    command: [program, '-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    isReady: () => fetch(`http://127.0.0.1:${port}/healthz`).then(({ ok }) => ok),
  });
  const slug = await quire.deploy(ANSWERS);
  const { workerUrl } = (await call(quire, 'GET', `/api/functions/${slug}`)).body;
  places = [
    ['at the API', `/api/functions/${slug}`, `localhost:${quire.port}`],
    ['at workerUrl', '/', new URL(workerUrl).host],
  ];
}, 120_000);
afterAll(async () => {
  await nginx.stop();
  await quire.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('behind nginx', () => {
  test('X-Accel-Redirect works: a server that sends it gets an internal file', async () => {
    expect(await (await fetch(`http://127.0.0.1:${port}/steered`)).text()).toBe(SECRET);
    expect((await fetch(`http://127.0.0.1:${port}/internal/secret.txt`)).status).toBe(404);
  });

  test.each(['X-Accel-Redirect', 'x-accel-redirect', 'X-Sendfile', 'X-Reproxy-URL'])(
    'a function cannot use %s',
    async (name) => {
      for (const [place, path, host] of places) {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method: 'POST',
          headers: { host },
          body: JSON.stringify({ [name]: '/internal/secret.txt' }),
        });
        expect([place, response.status, await response.text()]).toEqual([place, 200, 'from the function']);
      }
    },
  );
});
