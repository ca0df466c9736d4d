import { randomBytes, randomUUID } from 'node:crypto';
import { AppError } from '../../lib/errors.ts';
import { type Actor, type Handler, releaseBody } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';

/** A copy of an application that is removed again. */
export interface Copy {
  page: PageRow;
  /** What the page calls its functions, and the slugs of the copies. */
  functions: Array<{ name: string; slug: string }>;
  remove(): Promise<void>;
}

interface CopyOptions {
  baseUrl: string;
  api: Handler;
  findPage(id: number): Promise<PageRow | undefined>;
}

/** The visitors of a copy, who are invented, see it under the same conditions as those of the page. */
const KEPT_ACCESS = new Set(['public', 'team']);
const OFF = {
  page_api_ai_enabled: false,
  page_api_image_gen_enabled: false,
  page_api_image_search_enabled: false,
  page_api_image_recognition_enabled: false,
  page_api_spawn_enabled: false,
};

/**
 * Copies a page with its files and schemas, and its functions with empty databases and without secrets. The copies of the
 * functions belong to no page, so that they send no mail and read no data of one. The features of the copy are off.
 */
export async function copyApplication(
  { baseUrl, api, findPage }: CopyOptions,
  page: PageRow,
  owner: Actor,
): Promise<Copy> {
  const send = createSend({ baseUrl, api }, owner);
  const { page: detail } = await send('GET', `/api/pages/${page.id}`);
  const made: string[] = [];
  const functions: Copy['functions'] = [];
  const { page: fork } = await send('POST', `/api/pages/${page.id}/fork`);
  const remove = async () => {
    await send('DELETE', `/api/pages/${fork.id}`);
    for (const slug of made) await send('DELETE', `/api/functions/${slug}`);
  };
  try {
    const mark = randomBytes(6).toString('hex');
    for (const [index, name] of (detail.functions as string[]).entries()) {
      const slug = `attack-${mark}-${index}`;
      const { code, files } = await send('GET', `/api/functions/${name}/code`);
      const body = { slug, code, enableDatabase: true, ...(Object.keys(files).length > 0 && { files }) };
      await send('POST', '/api/functions', body);
      made.push(slug);
      functions.push({ name, slug });
    }
    await send('PATCH', `/api/pages/${fork.id}`, {
      ...OFF,
      name: page.name,
      is_published: true,
      is_unlisted: true,
      html_content: withCopies(detail.html_content, functions),
      ...(KEPT_ACCESS.has(page.access_mode) && { access: { mode: page.access_mode } }),
    });
    await renameInFiles(send, fork.id, functions);
    if (functions.length > 0) await send('PATCH', `/api/pages/${fork.id}`, { functions: [] });
    const copy = await findPage(fork.id);
    if (!copy) throw new Error('the copy of a page is gone');
    return { page: copy, functions, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

type Send = ReturnType<typeof createSend>;

function createSend({ baseUrl, api }: Pick<CopyOptions, 'baseUrl' | 'api'>, owner: Actor) {
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint has its own response
  return async (method: string, path: string, body?: unknown): Promise<any> => {
    const content =
      body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    const request = new Request(baseUrl + path, { method, headers: { 'content-type': type }, ...content });
    try {
      const visit = { address: '127.0.0.1', requestId: randomUUID(), as: { actor: owner } };
      const response = await api(request, visit);
      const text = await response.text();
      if (response.ok)
        return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
      const { error } = JSON.parse(text) as { error: string };
      throw new AppError('CONFLICT', 'The page could not be copied: {error}', { error });
    } finally {
      releaseBody(request);
    }
  };
}

/** A source that calls the copies of the functions, and not those of the page. */
export function withCopies(text: string, functions: Copy['functions']): string {
  return functions.reduce(
    (source, { name, slug }) =>
      source
        .replaceAll(new RegExp(`(["'\`])${name}\\1`, 'g'), (_, quote) => quote + slug + quote)
        .replaceAll(`/api/functions/${name}`, `/api/functions/${slug}`),
    text,
  );
}

async function renameInFiles(send: Send, id: number, functions: Copy['functions']): Promise<void> {
  if (functions.length === 0) return;
  const { files } = await send('GET', `/api/pages/${id}/files`);
  for (const { path } of (files as Array<{ path: string }>).filter((each) =>
    /\.(html?|m?js)$/i.test(each.path),
  )) {
    const address = `/api/pages/${id}/files/${path.split('/').map(encodeURIComponent).join('/')}`;
    const before = await send('GET', address);
    if (typeof before !== 'string') continue;
    const after = withCopies(before, functions);
    if (after !== before) await send('PUT', address, after);
  }
}
