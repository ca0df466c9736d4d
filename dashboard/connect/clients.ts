import { t } from '../texts/index.ts';

/** How people connect the agents that they know, by the address of the MCP server alone. */

export interface Step {
  text: string;
  /** To copy and paste. */
  code?: string;
}

export interface Client {
  name: string;
  steps: Step[];
  /** True if it runs in its maker's cloud, and so cannot reach this machine or a private network. */
  isRemote?: boolean;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** Assistants on the web, and in a terminal. */
function assistants(url: string): Client[] {
  return [
    {
      name: 'Claude',
      isRemote: true,
      steps: [
        { text: t('In Claude, open Customize, then Connectors.') },
        { text: t('Choose the plus sign, then Add custom connector. Enter a name and the URL above.') },
        { text: t('Choose Add, then Connect. Log in here and choose what Claude can do.') },
      ],
    },
    {
      name: 'Claude Code',
      steps: [
        { text: t('Run this in a terminal:'), code: `claude mcp add --transport http quire ${url}` },
        { text: t('In Claude Code, enter /mcp, choose quire and log in.') },
      ],
    },
    {
      name: 'ChatGPT',
      isRemote: true,
      steps: [
        {
          text: t(
            'In ChatGPT on the web, open Settings, then Apps, then Advanced settings. Turn on Developer mode.',
          ),
        },
        { text: t('Create an app with the URL above as its MCP server, and OAuth as its authentication.') },
        { text: t('Log in here and choose what ChatGPT can do.') },
      ],
    },
  ];
}

/** Editors, and everything else. */
function editors(url: string): Client[] {
  return [
    {
      name: 'Cursor',
      steps: [
        {
          text: t('Add this to ~/.cursor/mcp.json, or to .cursor/mcp.json in a project:'),
          code: json({ mcpServers: { quire: { url } } }),
        },
        { text: t('In the MCP settings of Cursor, choose the server and log in.') },
      ],
    },
    {
      name: 'VS Code',
      steps: [
        {
          text: t('Run this in a terminal:'),
          code: `code --add-mcp '${JSON.stringify({ name: 'quire', type: 'http', url })}'`,
        },
        {
          text: t('Or add this to .vscode/mcp.json in a project:'),
          code: json({ servers: { quire: { type: 'http', url } } }),
        },
        { text: t('Start the server from the list of MCP servers and log in.') },
      ],
    },
    {
      name: t('Other'),
      steps: [
        { text: t('Add an MCP server with the transport “Streamable HTTP” and the URL above.') },
        {
          text: t('If the program asks for an authentication, choose OAuth. It opens this server to log in.'),
        },
        { text: t('If it does not support OAuth, use a token.') },
      ],
    },
  ];
}

export const clientsFor = (url: string): Client[] => [...assistants(url), ...editors(url)];

/** Settings for a program that sends a token. */
export function tokenSettings(url: string, token: string): Array<[name: string, text: string]> {
  const headers = { Authorization: `Bearer ${token}` };
  return [
    [t('Most clients'), json({ mcpServers: { quire: { type: 'http', url, headers } } })],
    ['VS Code', json({ servers: { quire: { type: 'http', url, headers } } })],
    ['Claude Code', `claude mcp add --transport http quire ${url} --header "Authorization: Bearer ${token}"`],
    ['curl', `curl ${new URL(url).origin}/api/pages -H "Authorization: Bearer ${token}"`],
  ];
}
