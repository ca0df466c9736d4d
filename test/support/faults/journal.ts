import { expect } from 'bun:test';
import { call } from '../http/client.ts';

/** One line of the writer's journal. */
export interface JournalLine {
  state: 'trying' | 'done';
  kind: 'version' | 'spec' | 'user';
  /** The page's name, or the username. */
  key: string;
  /** The document, the spec, or the access token. */
  text: string;
  version?: number;
  pageId?: number;
}

/**
 * What a server must have of a page: what it acknowledged, and at most one write that it did not respond to.
 */
interface PageHistory {
  pageId: number;
  versions: string[];
  spec: string | null;
  tryingVersion?: string | undefined;
  trySpec?: string | undefined;
}

export interface Journal {
  pages: PageHistory[];
  users: Array<{ username: string; token: string }>;
  /** How many writes were acknowledged. */
  count: number;
}

export function readJournal(text: string): Journal {
  const pages = new Map<string, PageHistory>();
  const users: Journal['users'] = [];
  let count = 0;
  for (const line of text.split('\n').filter(Boolean)) {
    const entry = JSON.parse(line) as JournalLine;
    if (entry.state === 'done') count++;
    if (entry.kind === 'user') users.push({ username: entry.key, token: entry.text });
    else note(pages, entry);
  }
  return { pages: [...pages.values()], users, count };
}

function note(pages: Map<string, PageHistory>, entry: JournalLine): void {
  // A page without an acknowledged creation has no known id.
  if (entry.pageId === undefined) return;
  const page = pages.get(entry.key) ?? { pageId: entry.pageId, versions: [], spec: null };
  pages.set(entry.key, page);
  if (entry.kind === 'version') {
    page.tryingVersion = entry.state === 'trying' ? entry.text : undefined;
    if (entry.state === 'done') page.versions.push(entry.text);
  } else {
    page.trySpec = entry.state === 'trying' ? entry.text : undefined;
    if (entry.state === 'done') page.spec = entry.text;
  }
}

/** Reads everything in the journal back through the API. */
export async function expectAllThere(
  server: { port: number },
  journal: Journal,
  token: string,
): Promise<void> {
  await inTurns(journal.pages, (page) => expectPage(server, page, token));
  await inTurns(journal.users, async ({ username, token: own }) => {
    const { status, body } = await call(server, 'GET', '/api/auth/me', { token: own });
    expect({ status, username: body.user?.username }).toEqual({ status: 200, username });
  });
}

async function expectPage(server: { port: number }, page: PageHistory, token: string): Promise<void> {
  const path = `/api/pages/${page.pageId}`;
  const { status, body } = await call(server, 'GET', path, { token });
  expect(status).toBe(200);
  const expected = [...page.versions];
  if (body.versionCount > expected.length && page.tryingVersion) expected.push(page.tryingVersion);
  expect(body.versionCount).toBe(expected.length);
  expect(body.page.html_content === expected.at(-1)).toBeTrue();
  for (const [index, html] of expected.entries()) {
    const version = await call(server, 'GET', `${path}/versions/${index + 1}`, { token });
    expect(version.body.html_content === html).toBeTrue();
  }
  const { spec } = (await call(server, 'GET', `${path}/agent-spec`)).body;
  expect([page.spec, ...(page.trySpec ? [page.trySpec] : [])]).toContain(spec);
}

/** Eight at a time: fast enough, and few enough for two cores. */
async function inTurns<T>(items: T[], check: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += 8) await Promise.all(items.slice(at, at + 8).map(check));
}
