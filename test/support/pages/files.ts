import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type PublishedPage, type TestApp, type TestResponse, type TestUser, testApp } from '../app.ts';

/** A service with an owner, to send files of pages to. */

export type Content = string | Uint8Array;

export const sha256 = (content: Content) => createHash('sha256').update(content).digest('hex');

export async function filesApp(settings: Record<string, string> = {}) {
  const quire = await testApp(settings);
  const [owner, stranger] = await Promise.all([quire.user('owner'), quire.user('stranger')]);
  return { quire, owner, stranger, ...createFiles(quire, owner) };
}

export type FilesApp = Awaited<ReturnType<typeof filesApp>>;

function createFiles(quire: TestApp, owner: TestUser) {
  function request(
    method: string,
    path: string,
    options: { body?: unknown; type?: string; as?: TestUser } = {},
  ) {
    const { body, type, as = owner } = options;
    return quire.request(path, {
      method,
      headers: { authorization: `Bearer ${as.token}`, ...(type !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: body as string }),
    });
  }
  async function call(...of: Parameters<typeof request>): Promise<TestResponse> {
    const response = await request(...of);
    return { status: response.status, body: await response.json(), headers: response.headers };
  }
  const toPath = (page: PublishedPage) => `/api/pages/${page.id}/files`;
  return {
    request,
    call,
    toPath,
    /** Replaces all files by a form. */
    replace: (page: PublishedPage, files: Record<string, Content>, keep?: unknown, query = '') =>
      call('PUT', toPath(page) + query, { body: form(files, keep) }),
    sendZip: (page: PublishedPage, zip: Uint8Array, query = '') =>
      call('PUT', toPath(page) + query, { body: zip, type: 'application/zip' }),
    /** Sends a form as it is written. */
    sendForm: (page: PublishedPage, body: Content) =>
      call('PUT', toPath(page), { body, type: 'multipart/form-data; boundary=B' }),
    put: (page: PublishedPage, path: string, body: Content, query = '') =>
      call('PUT', `${toPath(page)}/${path}${query}`, { body }),
    remove: (page: PublishedPage, path: string, query = '') =>
      call('DELETE', `${toPath(page)}/${path}${query}`),
    async list(page: PublishedPage, query = ''): Promise<string[]> {
      const { body } = await call('GET', toPath(page) + query);
      return body.files.map(({ path }: { path: string }) => path);
    },
    /** The bytes of a file as text, or the status. */
    async read(page: PublishedPage, path: string, query = ''): Promise<string | number> {
      const response = await request('GET', `${toPath(page)}/${path}${query}`);
      return response.status === 200 ? response.text() : response.status;
    },
    async fetchVersion(page: PublishedPage): Promise<number> {
      return (await call('GET', `/api/pages/${page.id}`)).body.versionCount;
    },
    /** Blobs of files on the disk, and what uploads have left there. */
    stored: (): string[] => [
      ...filesBelow(join(quire.dataFolder, 'blobs', 'files')),
      ...filesBelow(join(quire.dataFolder, 'uploads')),
      ...readdirSync(join(quire.dataFolder, 'blobs')).filter((name) => name.startsWith('.')),
    ],
  };
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  );
}

export function form(files: Record<string, Content>, keep?: unknown): FormData {
  const data = new FormData();
  for (const [path, content] of Object.entries(files)) data.append(path, new Blob([content as string]));
  if (keep !== undefined) data.append('keep', typeof keep === 'string' ? keep : JSON.stringify(keep));
  return data;
}
