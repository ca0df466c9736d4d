import type { TestApp, TestUser } from '../support/app.ts';
import type { Sample } from './samples/sample.ts';

/** Slugs of functions are taken once. */
function withOwnSlugs(sample: Sample, index: number): Sample {
  const slugs = Object.keys(sample.functions ?? {});
  const own = (text: string) => slugs.reduce((all, slug) => all.replaceAll(slug, `${slug}-${index}`), text);
  const functions = Object.entries(sample.functions ?? {}).map(([slug, code]) => [own(slug), code]);
  const offered = Object.entries(sample.agentFunctions ?? {}).map(([slug, input]) => [own(slug), input]);
  return {
    ...{ ...sample, html: own(sample.html) },
    ...{ functions: Object.fromEntries(functions), agentFunctions: Object.fromEntries(offered) },
  };
}

/** Publishes a sample with its schemas, functions and files. Returns the id of the page. */
export async function publishSample(
  quire: Pick<TestApp, 'request'>,
  owner: Pick<TestUser, 'call' | 'publish' | 'token'>,
  given: Sample,
  index: number,
): Promise<number> {
  const sample = withOwnSlugs(given, index);
  const need = (response: { status: number; body: unknown }) => {
    if (response.status >= 300) throw new Error(`${sample.name}: ${JSON.stringify(response.body)}`);
  };
  for (const [slug, code] of Object.entries(sample.functions ?? {}))
    need(await owner.call('POST', '/api/functions', { body: { slug, code, enableDatabase: true } }));
  const page = await owner.publish({
    name: sample.name,
    html_content: sample.html,
    storage_mode: sample.mode,
  });
  const agent_functions = Object.entries(sample.agentFunctions ?? {}).map(([slug, inputSchema]) => ({
    ...{ slug, description: 'Does what the page is for.', inputSchema },
  }));
  if (agent_functions.length > 0) {
    const functions = agent_functions.map(({ slug }) => slug);
    need(await owner.call('PATCH', `/api/pages/${page.id}`, { body: { functions, agent_functions } }));
  }
  const kind = `${sample.mode.split('_')[0]}-data`;
  for (const [collection, schema] of Object.entries(sample.schemas ?? {})) {
    const path = `/api/pages/${page.id}/${kind}/${collection}/schema`;
    need(await owner.call('PUT', path, { body: { schema } }));
  }
  for (const [path, content] of Object.entries(sample.files ?? {}))
    await quire.request(`/api/pages/${page.id}/files/${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${owner.token}` },
      body: content,
    });
  return page.id;
}
