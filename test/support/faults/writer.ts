import { randomBytes, randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { PASSWORD } from '../http/call.ts';
import type { JournalLine } from './journal.ts';

/**
 * A process that writes to a server as fast as it can, over several connections, until the server is gone. Its
 * standard output is a journal: what it is about to write, and what the server acknowledged, each before the next.
 */

const PAGE_WRITERS = 4;
const CHANGES_PER_PAGE = 4;
const MAX_HTML_BYTES = 32 * 1024;

const [port, token] = process.argv.slice(2);

try {
  await Promise.all([...Array.from({ length: PAGE_WRITERS }, writePages), writeUsers()]);
} catch (error) {
  if (!isGone(error)) throw error;
}
process.exit(0);

async function writePages(): Promise<never> {
  for (;;) {
    const key = randomUUID();
    const html = randomHtml();
    note({ state: 'trying', kind: 'version', key, version: 1, text: html });
    const { page } = await send('POST', '/api/pages', { name: key, html_content: html });
    note({ state: 'done', kind: 'version', key, version: 1, text: html, pageId: page.id });
    for (let version = 2; version < 2 + CHANGES_PER_PAGE; version++) {
      await changeHtml(key, page.id, version);
      await writeSpec(key, page.id);
    }
  }
}

async function changeHtml(key: string, pageId: number, version: number): Promise<void> {
  const text = randomHtml();
  note({ state: 'trying', kind: 'version', key, version, text, pageId });
  await send('PATCH', `/api/pages/${pageId}`, { html_content: text, base_version: version - 1 });
  note({ state: 'done', kind: 'version', key, version, text, pageId });
}

async function writeSpec(key: string, pageId: number): Promise<void> {
  const text = `# ${randomUUID()}`;
  note({ state: 'trying', kind: 'spec', key, text, pageId });
  await send('PUT', `/api/pages/${pageId}/agent-spec`, { spec: text });
  note({ state: 'done', kind: 'spec', key, text, pageId });
}

async function writeUsers(): Promise<never> {
  for (;;) {
    const username = `u${randomBytes(8).toString('hex')}`;
    const body = { username, email: `${username}@example.com`, password: PASSWORD };
    const { accessToken } = await send('POST', '/api/auth/register', body);
    note({ state: 'done', kind: 'user', key: username, text: accessToken });
  }
}

async function send(method: string, path: string, body: object) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

function note(line: JournalLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function randomHtml(): string {
  const size = Math.floor(Math.random() * MAX_HTML_BYTES);
  return `<!doctype html><p>${randomBytes(size / 2).toString('hex')}`;
}

/** True for errors that a killed server causes. */
function isGone(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code);
  return /^(ECONNRESET|ECONNREFUSED|EPIPE|ConnectionClosed|ConnectionRefused|UND_ERR_SOCKET)$/.test(code);
}
