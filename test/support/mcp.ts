import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { freshDatabase } from './postgres.ts';
import { startServer, type TestServer } from './server.ts';

/** A server in its own process, and the official client of the Model Context Protocol. */

/** The result of a tool. */
export interface ToolAnswer {
  isError: boolean;
  /** The lines of the text. The last one is the data. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of any shape
  structured: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of any shape
  data: any;
}

export interface Agent {
  client: Client;
  tool(name: string, input?: Record<string, unknown>): Promise<ToolAnswer>;
}

/** Connects with this token. */
export async function connectAgent(server: { baseUrl: string }, token: string): Promise<Agent> {
  const client = new Client({ name: 'quire-tests', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp`), { requestInit }));
  return {
    client,
    async tool(name, input = {}) {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: input });
      const [block] = content as { type: string; text: string }[];
      const structured = structuredContent as { data?: unknown };
      return { isError: isError === true, text: block?.text ?? '', structured, data: structured.data };
    },
  };
}

/** Starts a server on the engine of this test run. */
export async function startServerOnEngine(settings: Record<string, string> = {}): Promise<TestServer> {
  const { QUIRE_TEST_ENGINE: engine = 'sqlite', QUIRE_TEST_POSTGRES_URL: url } = process.env;
  if (engine === 'sqlite') return startServer({ settings });
  if (!url) throw new Error('QUIRE_TEST_POSTGRES_URL is needed to test on PostgreSQL; npm test sets it');
  const database = await freshDatabase(url);
  const server = await startServer({ settings: { ...settings, DATABASE_URL: database.url } });
  return {
    ...server,
    async stop() {
      const code = await server.stop();
      await database.drop();
      return code;
    },
  };
}
