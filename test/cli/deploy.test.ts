import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { readConfig } from '../../server/platform/config/config.ts';
import { describeSettings } from '../../server/platform/config/settings.ts';
import { type Compose, listComposeFaults, readComposeFile } from '../support/cli/container-files.ts';
import { freePort, waitUntil } from '../support/server.ts';

/** The sample files for operators. */
const SAMPLES = join(import.meta.dir, '../../deploy');
const files = readdirSync(SAMPLES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(SAMPLES, join(entry.parentPath, entry.name)));
const read = (name: string) => readFileSync(join(SAMPLES, name), 'utf8');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-deploy-'));
  const making = Bun.spawnSync([
    ...[
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '1',
      '-subj',
      '/CN=quire.example.com',
    ],
    ...['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')],
  ]);
  expect(making.exitCode).toBe(0);
  const both = ['fullchain.pem', 'privkey.pem'].map((name) => readFileSync(join(folder, name), 'utf8'));
  writeFileSync(join(folder, 'quire.pem'), both.join(''));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program that may be in /usr/sbin, which is not in every PATH. */
function run(name: string, ...args: string[]): { exitCode: number; output: string } {
  const program = Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` });
  if (!program) throw new Error(`${name} is missing: npm test installs it`);
  const { exitCode, stdout, stderr } = Bun.spawnSync([program, ...args]);
  return { exitCode, output: `${stdout}${stderr}` };
}

describe('every sample', () => {
  // The description of the chart speaks for its other files.
  const described = files.filter((name) => !name.startsWith('chart/') || name === 'chart/Chart.yaml');

  test.each(described)('%s says in its first lines how it was tested', (name) => {
    const begin = read(name).split('\n').slice(0, 4).join(' ');
    // JSON has no comments.
    expect(begin).toMatch(name.endsWith('.json') ? /"description": ".*\btested\b/i : /^# .*\btested\b/i);
  });

  test.each(files)('%s names only settings that exist', (name) => {
    const known = describeSettings().flatMap(({ settings }) => settings.map((setting) => setting.name));
    const named = read(name).match(/\b(QUIRE_[A-Z0-9_]+|S3_[A-Z_]+|DATABASE_URL|REDIS_URL)\b/g) ?? [];
    expect([...new Set(named)].filter((setting) => !known.includes(setting))).toEqual([]);
  });

  test('is on the list, and the list is complete', () => {
    expect(files.sort()).toEqual([
      'Caddyfile',
      'Dockerfile',
      'Dockerfile.dockerignore',
      'chart/Chart.yaml',
      'chart/templates/NOTES.txt',
      'chart/templates/_helpers.tpl',
      'chart/templates/configmap.yaml',
      'chart/templates/deployment.yaml',
      'chart/templates/ingress.yaml',
      'chart/templates/networkpolicy.yaml',
      'chart/templates/poddisruptionbudget.yaml',
      'chart/templates/secret.yaml',
      'chart/templates/service.yaml',
      'chart/values.schema.json',
      'chart/values.yaml',
      'compose/one-machine.yaml',
      'compose/three-nodes.yaml',
      'grafana/quire.json',
      'haproxy.cfg',
      'nginx.conf',
      'prometheus/alerts.yml',
      'quire.service',
      'quire@.service',
    ]);
  });
});

test('no document or sample reads the settings with a shell, which would run what is in a value', () => {
  const project = join(SAMPLES, '..');
  const paths = ['README.md', ...['docs', 'deploy'].flatMap((name) => list(project, name))];
  const found = paths.filter((path) =>
    /set -a|(^|[;(&|] *)(\.|source) \/etc\/|\$\(cat [^)]*\.env|export \$\(/m.test(
      readFileSync(join(project, path), 'utf8'),
    ),
  );
  expect(found).toEqual([]);
});

function list(project: string, folder: string): string[] {
  return [...new Bun.Glob(`${folder}/**/*`).scanSync({ cwd: project })].filter(
    (path) => !path.endsWith('.png'),
  );
}

test.each(['Caddyfile', 'nginx.conf', 'haproxy.cfg'])('%s makes browsers use HTTPS for a year', (name) => {
  const sample = read(name);
  expect(sample).toMatch(
    /^\s*(header|add_header|http-response set-header) Strict-Transport-Security "?max-age=31536000"?/m,
  );
});

test('the image has the browser that page checks look for', () => {
  const sample = read('Dockerfile');
  const [, packages = ''] = /--no-install-recommends ([^&]+)/.exec(sample) ?? [];
  expect(packages.split(/[\s\\]+/)).toEqual(
    expect.arrayContaining(['bubblewrap', 'chromium-headless-shell', 'fonts-dejavu-core']),
  );
});

describe('the systemd units', () => {
  const units = files.filter((name) => name.endsWith('.service'));

  test.each(units)('%s exposes little of the machine', (name) => {
    const { exitCode, output } = run(
      ...(['systemd-analyze', 'security', '--offline=true', '--threshold=25'] as const),
      join(SAMPLES, name),
    );
    expect({ exitCode, output: exitCode === 0 ? '' : output }).toEqual({ exitCode: 0, output: '' });
  });

  test('quire.service is the one in the documentation', () => {
    const page = readFileSync(join(SAMPLES, '../docs/running.md'), 'utf8');
    const unit = read('quire.service').slice(read('quire.service').indexOf('[Unit]'));
    expect(page).toContain(`\`\`\`ini\n${unit.trimEnd()}\n\`\`\``);
  });
});

test('haproxy accepts its sample without a warning', () => {
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, read('haproxy.cfg').replace('/etc/haproxy/quire.pem', join(folder, 'quire.pem')));
  const { exitCode, output } = run('haproxy', '-c', '-f', file);
  expect(output).not.toMatch(/ALERT|WARNING/);
  expect(exitCode).toBe(0);
});

test('nginx accepts its sample', async () => {
  const [plain, secure] = [await freePort(), await freePort()];
  const site = read('nginx.conf')
    .replaceAll('/etc/ssl/quire', folder)
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443 ', `listen 127.0.0.1:${secure} `);
  const file = join(folder, 'nginx.conf');
  const around = `pid ${folder}/pid; error_log stderr; events {} http { access_log off; `;
  writeFileSync(file, `${around}\n${site}\n}\n`);
  const { exitCode, output } = run('nginx', '-t', '-e', 'stderr', '-p', folder, '-c', file);
  expect(output).toContain('test is successful');
  expect(exitCode).toBe(0);
});

describe('the Compose files', () => {
  const names = ['compose/one-machine.yaml', 'compose/three-nodes.yaml'];
  const load = (name: string) => readComposeFile(name.replace('compose/', ''));
  const nodesIn = ({ services }: Compose) =>
    Object.entries(services).filter(([, service]) => service.image.startsWith('quire:'));

  test.each(names)('%s has settings with which a server starts', (name) => {
    const nodes = nodesIn(load(name));
    expect(nodes).toHaveLength(name.includes('three') ? 3 : 1);
    for (const [, { environment, networks }] of nodes) {
      const config = readConfig({ ...environment });
      expect(config.baseUrl).toBe('https://quire.example.com');
      if (config.cluster) expect(config.cluster.address).toBe(`${networks.quire.ipv4_address}:7000`);
    }
    expect(new Set(nodes.map(([, { networks }]) => networks.quire.ipv4_address)).size).toBe(nodes.length);
  });

  test.each(names)('%s is what the Compose Specification describes', (name) => {
    const file = load(name);
    expect(listComposeFaults(file)).toEqual([]);
    const [service = ''] = Object.keys(file.services);
    const wrong = { ...file, services: { ...file.services, [service]: { imagee: 'quire' } } };
    expect(listComposeFaults(wrong).join()).toContain('imagee');
  });

  test.each(names)('%s names only what there is', (name) => {
    const { services, volumes, networks } = load(name);
    for (const [service, { depends_on, volumes: mounts = [], networks: joined }] of Object.entries(
      services,
    )) {
      const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on ?? {});
      expect([service, Object.keys(services)]).toEqual([service, expect.arrayContaining(needed)]);
      for (const [needs, { condition }] of Object.entries(
        Array.isArray(depends_on) ? {} : (depends_on ?? {}),
      ))
        if (condition === 'service_healthy' && services[needs]?.image.startsWith('quire:') === false)
          expect([needs, services[needs]?.healthcheck]).toEqual([needs, expect.anything()]);
      expect(Object.keys(networks)).toEqual(expect.arrayContaining(Object.keys(joined)));
      for (const mount of mounts) {
        const [from = '', to = ''] = mount.split(':');
        expect(to).toStartWith('/');
        if (!from.startsWith('.')) expect(Object.keys(volumes)).toContain(from);
        // The certificate is the operator's own.
        else if (from !== './quire.pem') expect(files).toContain(join('compose', from));
      }
    }
  });

  test.each(names)('%s names every variable that has to be set in its comment', (name) => {
    const [comment = ''] = read(name).split(/^(?:services|x-node):/m);
    const needed = [...read(name).matchAll(/\$\{([A-Z_]+):\?/g)].map(([, key]) => key ?? '');
    expect(needed.length).toBeGreaterThan(3);
    expect(needed.filter((key) => !comment.includes(key))).toEqual([]);
  });

  test.each(names)('%s trusts the proxy in it, and lets Quire change nothing but its data', (name) => {
    const compose = load(name);
    const proxy = compose.services.caddy ?? compose.services.haproxy;
    for (const [, node] of nodesIn(compose)) {
      expect(node.environment?.QUIRE_TRUSTED_PROXIES).toBe(proxy?.networks.quire.ipv4_address ?? '');
      expect({ isReadOnly: node.read_only, dropped: node.cap_drop }).toEqual({
        isReadOnly: true,
        dropped: ['ALL'],
      });
    }
  });

  test('the nodes have the addresses in haproxy.cfg', () => {
    const addresses = nodesIn(load('compose/three-nodes.yaml')).map(([name, { networks }]) => [
      name,
      `${networks.quire.ipv4_address}:3000`,
    ]);
    const [, nodes = ''] = /^backend nodes$([\s\S]*?)^backend/m.exec(read('haproxy.cfg')) ?? [];
    const servers = [...nodes.matchAll(/^\s+server (\S+) (\S+)$/gm)].map(([, name = '', address = '']) => [
      name,
      address,
    ]);
    expect(addresses).toEqual(servers);
  });

  test('Redis starts with its command, and its health check notices whether it responds', async () => {
    const { command = [], healthcheck } = load('compose/three-nodes.yaml').services.redis ?? {};
    const [kind, check = ''] = (healthcheck as { test: string[] }).test;
    expect(kind).toBe('CMD-SHELL');
    const port = await freePort();
    const isHealthy = async () =>
      Bun.spawnSync(['sh', '-c', check.replace('redis-cli', `redis-cli -p ${port}`)]).success;
    expect(await isHealthy()).toBe(false);
    const redis = Bun.spawn([...command, '--port', String(port), '--dir', folder], { stdout: 'ignore' });
    try {
      await waitUntil(isHealthy);
      expect(Bun.spawnSync(['redis-cli', '-p', String(port), 'ping']).stdout.toString()).toContain('NOAUTH');
    } finally {
      redis.kill();
      await redis.exited;
    }
  });

  test('Caddy finds the server and the authority writes to the address that is set', () => {
    const caddy = load('compose/one-machine.yaml').services.caddy;
    const program = Bun.which('caddy') ?? 'caddy';
    const { stdout } = Bun.spawnSync(
      [program, 'adapt', '--adapter', 'caddyfile', '--config', join(SAMPLES, 'Caddyfile')],
      { env: { ...process.env, ...caddy?.environment } },
    );
    expect(stdout.toString()).toContain('"dial":"172.30.0.2:3000"');
    expect(stdout.toString()).toContain('"ask":"http://172.30.0.2:3000/api/tls/allow"');
    expect(stdout.toString()).toContain('"email":"admin@example.com"');
  });
});
