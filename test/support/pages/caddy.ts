import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { type Engine, startEngine } from '../engines/engine.ts';
import { takePorts } from '../ports.ts';

/** Caddy with the sample for operators, and pebble, which issues its certificates. */

export interface CaddyPorts {
  http: number;
  https: number;
}

interface CaddyOptions {
  folder: string;
  ports: CaddyPorts;
  /** The port of the server behind it. */
  upstream: number;
  pebble: Pebble;
}

export interface Pebble extends Engine {
  directory: string;
  /** The certificate of its own server. */
  certificate: string;
  /** The root of the certificates that it issues. */
  root: string;
  /** A flag that makes Chromium trust those certificates, and no others. */
  browserFlag: string;
}

const SAMPLE = join(import.meta.dir, '../../../deploy/Caddyfile');

/** An authority that looks up names with this DNS server and finds Caddy at these ports. */
export async function startPebble(options: {
  folder: string;
  dns: string;
  ports: CaddyPorts;
}): Promise<Pebble> {
  const { folder, dns, ports } = options;
  const [port, management] = [takePorts(1), takePorts(1)];
  const [key, certificate] = [join(folder, 'pebble.key'), join(folder, 'pebble.pem')];
  makeCertificate(key, certificate);
  const config = join(folder, 'pebble.json');
  const settings = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate,
    privateKey: key,
    httpPort: ports.http,
    tlsPort: ports.https,
  };
  writeFileSync(config, JSON.stringify({ pebble: settings }));
  const ca = readFileSync(certificate, 'utf8');
  const read = (path: string) => fetch(path, { tls: { ca } });
  const engine = await startEngine({
    name: 'pebble',
    command: [find('pebble'), '-config', config, '-dnsserver', dns, '-strict', 'false'],
    env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' },
    isReady: () => read(`https://127.0.0.1:${management}/roots/0`).then(({ ok }) => ok),
  });
  const readCertificate = async (name: string) =>
    (await read(`https://127.0.0.1:${management}/${name}/0`)).text();
  const root = await readCertificate('roots');
  return {
    ...engine,
    directory: `https://127.0.0.1:${port}/dir`,
    certificate,
    root,
    browserFlag: `--ignore-certificate-errors-spki-list=${keyHash(await readCertificate('intermediates'))}`,
  };
}

export async function startCaddy({ folder, ports, upstream, pebble }: CaddyOptions): Promise<Engine> {
  const file = join(folder, 'Caddyfile');
  const ours = [
    'admin off',
    `http_port ${ports.http}`,
    `https_port ${ports.https}`,
    `acme_ca ${pebble.directory}`,
    `acme_ca_root ${pebble.certificate}`,
    'skip_install_trust',
    'default_bind 127.0.0.1',
    `storage file_system ${join(folder, 'caddy')}`,
  ];
  const sample = readFileSync(SAMPLE, 'utf8');
  const text = sample
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${upstream}`)
    .replace(/^\{$/m, `{\n\t${ours.join('\n\t')}`);
  writeFileSync(file, text);
  return startEngine({
    name: 'caddy',
    command: [find('caddy'), 'run', '--config', file, '--adapter', 'caddyfile'],
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    isReady: () => fetch(`http://127.0.0.1:${ports.http}/`, { redirect: 'manual' }).then(() => true),
  });
}

export interface HttpsAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Sends a request to a name at this port of the machine, and trusts only certificates with this root. */
export function askHttps(
  name: string,
  port: number,
  options: { root: string; path?: string; headers?: Record<string, string> },
): Promise<HttpsAnswer> {
  const { root, path = '/', headers } = options;
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        host: '127.0.0.1',
        port,
        path,
        servername: name,
        ca: root,
        headers: { host: `${name}:${port}`, ...headers },
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      },
    );
    asking.on('error', reject);
    asking.end();
  });
}

function find(name: string): string {
  const program = Bun.which(name);
  if (!program) throw new Error(`${name} is missing: apt-get install ${name}`);
  return program;
}

/** The hash of a certificate's public key. */
function keyHash(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(key).digest('base64');
}

function makeCertificate(key: string, certificate: string): void {
  const command = `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=pebble -addext subjectAltName=IP:127.0.0.1 -keyout ${key} -out ${certificate}`;
  const { success, stderr } = Bun.spawnSync(command.split(' '));
  if (!success) throw new Error(`openssl failed: ${stderr}`);
}
