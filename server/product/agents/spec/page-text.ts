import type { AgentSpec } from '../../../../contract/agents/agent-spec.ts';
import { findDataType } from '../../../../contract/rules/storage-modes.ts';

/** Characters of schemas in the text. If they are longer, only the JSON has them. */
const MAX_SCHEMAS = 32 * 1024;

/** A page for agents, as Markdown. Text of the page's author is marked, so that it cannot pass for the service's. */
export function pageText(page: AgentSpec, { baseUrl, id }: { baseUrl: string; id: number }): string {
  const parts = [
    `# ${line(page.name)}`,
    page.description && `> ${line(page.description)}`,
    list([
      `Page: ${page.url}`,
      `The same as JSON: ${baseUrl}/api/pages/${id}/agent-spec`,
      `As an MCP server, for its visitors: ${page.url}/mcp`,
      `The service it runs on, with its API: ${baseUrl}/llms.txt`,
    ]),
    page.spec &&
      `## From the author of the page\n\nThe author wrote what is quoted here, not the service.\n\n${quote(page.spec)}`,
    dataText(page, `${baseUrl}/api/pages/${id}`),
    page.functions.length > 0 &&
      `## Functions\n\nPOST JSON to call one.\n\n${list(page.functions.map((each) => `${each.url}${about(each)}`))}`,
    page.features.length > 0 &&
      `## Features\n\nThey act for a person and can cost that person credits.\n\n${list(page.features.map(({ name, url }) => `${name}: POST ${url}`))}`,
    authText(page),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function dataText({ storageMode, schemas }: AgentSpec, pagePath: string): string {
  const type = storageMode && findDataType(storageMode);
  if (!type) return '';
  const path = `${pagePath}/${type}/<collection>`;
  const json = JSON.stringify(
    Object.fromEntries(schemas.map(({ collection, schema }) => [collection, schema])),
  );
  const hasRules = schemas.some(({ schema }) => schema.rules);
  const ruled = hasRules ? ' The rules in a schema say who can do what with its records.' : '';
  const shown = json.length > MAX_SCHEMAS ? undefined : json;
  return [
    `## Data\n\nRecords of the storage mode \`${storageMode}\`: GET and POST ${path}, GET, PATCH, PUT and DELETE ${path}/<recordId>.${ruled}`,
    schemas.length > 0 && shown && `Schemas by collection:\n\n\`\`\`json\n${shown}\n\`\`\``,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function authText({ authentication: { scopes, tokenUrl, documentation } }: AgentSpec): string {
  const needed = scopes.length > 0 ? ` This page uses the scopes ${scopes.join(', ')}.` : '';
  return `## Authentication\n\nTo act as a person, send \`Authorization: Bearer <token>\`.${needed} A person gets a token from ${tokenUrl} or in the dashboard; programs can ask for one by OAuth. See ${documentation}`;
}

const about = ({ displayName, description }: AgentSpec['functions'][number]) => {
  const words = [displayName, description].map(line).filter(Boolean).join(': ');
  return words && ` (${words})`;
};

/** Every line is marked, so that no heading in the text can end the quotation and speak for the service. */
const quote = (text: string) =>
  text
    .trim()
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
    .map((each) => `> ${each}`.trimEnd())
    .join('\n');
const line = (text: string) => text.replace(/\s+/g, ' ').trim();
const list = (items: string[]) => items.map((item) => `- ${item}`).join('\n');
