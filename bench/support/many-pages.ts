import { startServer } from '../../test/support/server.ts';
import { makeZip } from '../../test/support/zip.ts';

/** No account can have more. */
const PAGES_PER_ACCOUNT = 50;
const DOCUMENT = '<!doctype html><title>One of many</title>';

/** Fills a data folder with pages that have this many files each, all different, as their owners would. */
export async function createPages(dataFolder: string, pages: number, files: number): Promise<void> {
  const server = await startServer({ dataFolder });
  try {
    let token = '';
    for (let page = 0; page < pages; page++) {
      if (page % PAGES_PER_ACCOUNT === 0) token = await register(server.port, page);
      const { id } = await createPage(server.port, token, page);
      if (files > 0) await putFiles(server.port, token, id, page, files);
    }
  } finally {
    await server.stop();
  }
}

async function register(port: number, number: number): Promise<string> {
  const name = `owner${number}`;
  const account = { username: name, email: `${name}@example.com`, password: 'correct horse battery' };
  const { accessToken } = await send<{ accessToken: string }>(
    port,
    'POST',
    '/api/auth/register',
    '',
    account,
  );
  return accessToken;
}

async function createPage(port: number, token: string, number: number): Promise<{ id: number }> {
  const fields = { name: `Page ${number}`, html_content: DOCUMENT };
  return (await send<{ page: { id: number } }>(port, 'POST', '/api/pages', token, fields)).page;
}

async function putFiles(port: number, token: string, id: number, page: number, files: number): Promise<void> {
  const parts = Array.from({ length: files }, (_, at) => ({
    name: `styles/${at}.css`,
    content: `.page-${page} .rule-${at} { color: teal }`,
  }));
  const archive = makeZip([{ name: 'index.html', content: DOCUMENT }, ...parts]);
  await send(port, 'PUT', `/api/pages/${id}/files`, token, archive);
}

async function send<T>(
  port: number,
  method: string,
  path: string,
  token: string,
  body: object | Buffer,
): Promise<T> {
  const isArchive = body instanceof Buffer;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      'content-type': isArchive ? 'application/zip' : 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: isArchive ? new Uint8Array(body) : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
