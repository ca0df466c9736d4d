import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort, waitUntil } from '../../test/support/server.ts';
import type { Bench } from './bench.ts';
import { findChild } from './process.ts';

/** Other servers that send one file. */

/** The content to send, and the path where nginx finds it. */
export interface Content {
  path: string;
  bytes: Uint8Array;
  headers: Record<string, string>;
}

export interface StaticServer {
  port: number;
  /** The process that answers. */
  pid: number;
}

/** nginx as for a busy site: one worker, no access log, the file kept open, connections never closed. */
export async function startNginx(bench: Bench, content: Content): Promise<StaticServer> {
  const port = await freePort();
  const { 'content-type': type, etag: _, ...others } = content.headers;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const file = writeContent(bench, content);
  const settings = join(bench.folder, `nginx-${port}.conf`);
  writeFileSync(
    settings,
    `
    daemon off;
    worker_processes 1;
    pid ${bench.folder}/nginx-${port}.pid;
    error_log stderr warn;
    events { worker_connections 1024; }
    http {
      access_log off;
      sendfile on;
      tcp_nopush on;
      open_file_cache max=100;
      keepalive_requests 1000000000;
      ${temporary.map((name) => `${name}_temp_path ${bench.folder}/${name};`).join('\n')}
      types {}
      default_type "${type}";
      ${Object.entries(others)
        .map(([name, value]) => `add_header ${name} "${value.replaceAll('"', '\\"')}";`)
        .join('\n')}
      server {
        listen 127.0.0.1:${port};
        root ${file.slice(0, -content.path.length)};
      }
    }`,
  );
  const child = Bun.spawn(['nginx', '-e', 'stderr', '-c', settings], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await untilItAnswers(bench, child, `http://127.0.0.1:${port}${content.path}`);
  return { port, pid: findChild(child.pid) };
}

/** The minimum that a program on Bun does. */
export async function startBareBun(bench: Bench, content: Content): Promise<StaticServer> {
  const port = await freePort();
  const program = join(import.meta.dir, 'bare-bun.ts');
  const child = Bun.spawn(
    [process.execPath, program, String(port), writeContent(bench, content), JSON.stringify(content.headers)],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  await untilItAnswers(bench, child, `http://127.0.0.1:${port}${content.path}`);
  return { port, pid: child.pid };
}

async function untilItAnswers(bench: Bench, child: Bun.Subprocess, url: string): Promise<void> {
  bench.atEnd(() => {
    child.kill();
    return child.exited;
  });
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`${child.pid} exited with ${child.exitCode}`);
    return fetch(url).then(
      () => true,
      () => false,
    );
  });
}

function writeContent(bench: Bench, { path, bytes }: Content): string {
  const file = join(bench.folder, 'content', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  // If root starts nginx, it reads the file as another user.
  chmodSync(bench.folder, 0o755);
  return file;
}
