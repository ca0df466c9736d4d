import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, UsageError } from './usage.ts';

const FOLDER = join(import.meta.dir, '../../examples');
const DATA_TYPES: Record<string, string> = {
  solo_app: 'solo-data',
  team_app: 'team-data',
  social_app: 'social-data',
};

/** What a `page.json` in the folder of examples says. */
interface Example {
  name: string;
  description: string;
  storage_mode: string;
  /** The switches of visitor features, by their names in the API. */
  features?: Record<`page_api_${string}_enabled`, boolean>;
  schemas?: Record<string, unknown>;
  agent_spec?: string;
  function?: { slug: string; displayName: string; description: string; enableDatabase: boolean };
}

type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;
interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several endpoints, looked into where they are read
  body: any;
}

/** `quire examples <base_url> <token>`: publishes the example pages, or brings them up to date. */
export async function examples(args: string[]): Promise<void> {
  const [baseUrl, token] = args;
  if (!baseUrl || !token || !URL.canParse(baseUrl)) throw new UsageError('quire examples <base_url> <token>');
  const { origin } = new URL(baseUrl);
  const call = createCall(origin, token);
  const entries = await readdir(FOLDER, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  for (const folder of folders.sort()) {
    const { verb, slug } = await publish(call, join(FOLDER, folder));
    console.log(`${verb.padEnd(10)} ${origin}/p/${slug}`);
  }
}

async function publish(call: Call, folder: string): Promise<{ verb: string; slug: string }> {
  const example = (await Bun.file(join(folder, 'page.json')).json()) as Example;
  const html_content = await Bun.file(join(folder, 'index.html')).text();
  // The page calls it as soon as it is there.
  if (example.function)
    await deploy(call, example.function, await Bun.file(join(folder, 'function.js')).text());

  const { name, description, storage_mode } = example;
  const fields = { name, description, storage_mode, html_content };
  const known = await findOwn(call, name);
  const page = known ?? (await call('POST', '/api/pages', fields)).body.page;
  if (known) await call('PATCH', `/api/pages/${known.id}`, fields);
  // Not all of the switches can be set on a page that is being made.
  if (example.features) await call('PATCH', `/api/pages/${page.id}`, example.features);
  for (const [collection, schema] of Object.entries(example.schemas ?? {})) {
    await call('PUT', `/api/pages/${page.id}/${DATA_TYPES[storage_mode]}/${collection}/schema`, { schema });
  }
  if (example.agent_spec)
    await call('PUT', `/api/pages/${page.id}/agent-spec`, {
      spec: example.agent_spec.replaceAll('{{PAGE_ID}}', page.id),
    });
  return { verb: known ? 'updated' : 'published', slug: page.slug };
}

/** The page of an earlier run. Its slug may have got a number, when somebody else had a page of that name. */
async function findOwn(call: Call, name: string): Promise<{ id: number; slug: string } | undefined> {
  const stem = name.toLowerCase().replace(/[^a-z]+/g, '-');
  const { body } = await call('GET', `/api/pages?limit=100&q=${encodeURIComponent(name)}`);
  return body.pages.find(
    (page: { name: string; slug: string }) => page.name === name && page.slug.replace(/-\d+$/, '') === stem,
  );
}

async function deploy(call: Call, { slug, ...fields }: NonNullable<Example['function']>, code: string) {
  const { enableDatabase, ...texts } = fields;
  const updated = await call('PATCH', `/api/functions/${slug}`, { ...texts, code });
  if (updated.status === 404) await call('POST', '/api/functions', { slug, ...fields, code });
}

/** Calls the API; a refusal other than 404 of a PATCH ends the command with the service's own words. */
function createCall(origin: string, token: string): Call {
  return async (method, path, body) => {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new CommandError(`There is no service at ${origin}.`);
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    const answer = { status: response.status, body: isJson ? JSON.parse(text) : {} };
    if (response.ok || (method === 'PATCH' && response.status === 404)) return answer;
    throw new CommandError(
      `${method} ${path} failed: ${answer.body.error ?? `status ${response.status}, is this Quire?`}`,
    );
  };
}
