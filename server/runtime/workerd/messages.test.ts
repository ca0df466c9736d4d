import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseClusterProblem, parseConnectFailure, parseInternalError } from './messages.ts';
import { findWorkerd } from './runtime.ts';

/** The texts come from the installed workerd, so these tests fail if a new version words them differently. */

/** Runs workerd with a configuration until `isEnough` of its output, and returns the output. */
async function collectOutput(
  config: string,
  files: Record<string, string>,
  isEnough: (output: string) => boolean,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-messages-'));
  for (const [name, text] of Object.entries({ ...files, 'config.capnp': config }))
    writeFileSync(join(folder, name), text);
  // Structured lines go to the standard output, and all others to the standard error.
  const command = ['sh', '-c', 'exec "$0" "$@" 2>&1', findWorkerd(), 'serve', '--experimental'];
  const child = Bun.spawn([...command, join(folder, 'config.capnp')], {
    env: {
      AWS_REGION: 'x',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
    },
    stdout: 'pipe',
    stderr: 'ignore',
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk);
    if (isEnough(output)) break;
  }
  child.kill('SIGKILL');
  await child.exited;
  rmSync(folder, { recursive: true });
  return output;
}

const WORKER = `const worker :Workerd.Worker = (
  compatibilityDate = "2026-10-01",
  modules = [(name = "worker.js", esModule = embed "worker.js")]`;

test.each([
  ['0.0.0.0:7000', 'address-is-wildcard'],
  ['8.8.8.8:7000', 'address-is-public'],
  ['10.255.255.254:7000', 'address-is-elsewhere'],
  ['nobody.invalid:7000', 'address-is-unknown'],
] as const)('recognizes why workerd does not join a cluster at %s', async (address, problem) => {
  const config = `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = .worker), (name = "disk", disk = (path = "/tmp", writable = true))],
      cluster = (bucket = "s3://bucket/databases", address = "${address}", key = "${'0'.repeat(64)}")
    );
    ${WORKER},
      durableObjectNamespaces = [(className = "Database", uniqueKey = "database", enableSql = true)],
      durableObjectStorage = (localDisk = "disk")
    );`;
  const code =
    "import { DurableObject } from 'cloudflare:workers'; export class Database extends DurableObject {}";
  const output = await collectOutput(
    config,
    { 'worker.js': code },
    (text) => parseClusterProblem(text) !== undefined,
  );
  expect(parseClusterProblem(output)).toBe(problem);
});

test.each([
  ['http://10.1.2.3:81', { code: 'not-public', address: '10.1.2.3:81' }],
  ['http://nobody.invalid', { code: 'no-such-name' }],
] as const)('recognizes why workerd does not connect to %s', async (url, failure) => {
  const socket = join(tmpdir(), `quire-messages-${crypto.randomUUID()}`);
  const config = `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["public"]))],
      sockets = [(name = "http", address = "unix:${socket}", http = (), service = "main")],
      logging = (structuredLogging = true)
    );
    ${WORKER});`;
  const code = `export default { async fetch() { await fetch('${url}').catch(() => undefined); return new Response(); } };`;
  let isOver = false;
  const asking = (async () => {
    // Repeats until it listens. It may be killed before it responds.
    while (
      !isOver &&
      !(await fetch('http://worker/', { unix: socket } as RequestInit).catch(() => undefined))
    )
      await Bun.sleep(50);
  })();
  const output = await collectOutput(config, { 'worker.js': code }, (text) => /wdErrId.*\n/.test(text));
  isOver = true;
  await asking;
  const line = output.split('\n').find((text) => text.includes('wdErrId')) ?? '{}';
  const { message } = JSON.parse(line) as { message: string };
  expect(parseConnectFailure(parseInternalError(message)?.reason ?? '')).toEqual(failure);
  rmSync(socket, { force: true });
});
