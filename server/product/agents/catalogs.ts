import { hashSecret } from '../../lib/secrets.ts';
import { isKnown, type Route, route } from '../../platform/http/index.ts';

/** The versions of the formats: https://agentskills.io and the server cards of MCP (SEP-2127). */
const SKILLS_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
const CARD_TYPE = 'application/mcp-server-card+json';

const CARD_PATH = '/mcp/server-card';
const SKILL_PATH = '/.well-known/agent-skills/quire/SKILL.md';

const SKILL = {
  name: 'quire',
  description:
    'Publish web pages with a back end on a Quire server: pages, serverless functions with SQL databases, data of visitors, AI features. Use it to make, change or debug a page or an app on this server.',
};
const ABOUT = 'Publish web pages with a back end: functions, SQL databases and data.';

/** Where programs look for what this service offers to agents: its MCP server and a skill. */
export function catalogRoutes(options: {
  baseUrl: string;
  version: string;
  llms(): Promise<string>;
}): Route[] {
  const { baseUrl, version } = options;
  const { host } = new URL(baseUrl);
  // The description is quoted, because an unquoted colon ends a text in YAML.
  const skill = async () =>
    `---\nname: ${SKILL.name}\ndescription: ${JSON.stringify(SKILL.description)}\n---\n\n${await options.llms()}`;
  const card = {
    $schema: CARD_SCHEMA,
    name: `${hostInReverse(baseUrl)}/quire`,
    version,
    title: 'Quire',
    description: ABOUT,
    websiteUrl: baseUrl,
    remotes: [{ type: 'streamable-http', url: `${baseUrl}/mcp` }],
  };
  const catalog = {
    specVersion: '1.0',
    host: { displayName: 'Quire' },
    entries: [
      {
        identifier: `urn:air:${host}:mcp:quire`,
        displayName: 'Quire',
        description: ABOUT,
        type: CARD_TYPE,
        url: baseUrl + CARD_PATH,
      },
    ],
  };
  const skills = async () => {
    const digest = new Bun.CryptoHasher('sha256').update(await skill()).digest('hex');
    return JSON.stringify({
      $schema: SKILLS_SCHEMA,
      skills: [{ ...SKILL, type: 'skill-md', url: SKILL_PATH, digest: `sha256:${digest}` }],
    });
  };
  const json = 'application/json; charset=utf-8';
  return [
    described('/.well-known/mcp/catalog.json', 'The MCP servers of this service', json, () =>
      JSON.stringify(catalog),
    ),
    described(CARD_PATH, 'What the MCP server is, for programs that look for one', CARD_TYPE, () =>
      JSON.stringify(card),
    ),
    described('/.well-known/agent-skills/index.json', 'The skills that agents can install', json, skills),
    described(
      SKILL_PATH,
      'How an agent uses this service, as a skill',
      'text/markdown; charset=utf-8',
      skill,
    ),
  ];
}

function described(
  path: string,
  summary: string,
  type: string,
  write: () => string | Promise<string>,
): Route {
  return route({
    method: 'GET',
    path,
    access: { kind: 'public' },
    summary,
    async handle({ request }) {
      const response = sendText(request, await write(), type);
      response.headers.set('access-control-allow-origin', '*');
      return response;
    },
  });
}

/** Sends a text that rarely changes. Caches revalidate it every time, so that a change of settings shows at once. */
export function sendText(request: Request, text: string, type: string): Response {
  const etag = `"${hashSecret(text).slice(0, 22)}"`;
  const headers = {
    'content-type': type,
    'cache-control': 'public, no-cache',
    'x-content-type-options': 'nosniff',
    etag,
  };
  return isKnown(request, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(text, { headers });
}

/** The host in reverse order, as names of MCP servers begin: `com.example.quire` for `quire.example.com`. */
function hostInReverse(baseUrl: string): string {
  return new URL(baseUrl).hostname
    .replace(/[^a-z0-9.-]/gi, '')
    .split('.')
    .reverse()
    .join('.');
}
