import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import type { PublishedPage, TestApp, TestUser } from '../app.ts';
import { answerConsent, openConsent, REDIRECT, readRedirect, shownScopes } from '../oauth.ts';
import { type ToolAnswer, toAnswer } from './mcp.ts';

/** The official client at the MCP server of a page. */
export interface PageAgent {
  client: Client;
  transport: StreamableHTTPClientTransport;
  names(): Promise<string[]>;
  tool(name: string, input?: Record<string, unknown>): Promise<ToolAnswer>;
}

const INFO = { name: 'quire-tests', version: '1.0.0' };

export const mcpUrl = (quire: TestApp, { slug }: PublishedPage) => `${quire.baseUrl}/p/${slug}/mcp`;

/** Connects as nobody, with a token, or with a provider of tokens. */
export async function connectToPage(
  quire: TestApp,
  url: string,
  options: { token?: string; authProvider?: OAuthClientProvider; isStateless?: boolean } = {},
): Promise<PageAgent> {
  const { token, authProvider, isStateless } = options;
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: (input, init) =>
      quire.app.fetch(new Request(String(input), init), () => '127.0.0.1') as Promise<Response>,
    ...(authProvider && { authProvider }),
    ...(token && { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  } satisfies StreamableHTTPClientTransportOptions);
  const client = new Client(INFO, isStateless ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {});
  await client.connect(transport);
  return {
    client,
    transport,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    tool: async (name, input = {}) =>
      toAnswer((await client.callTool({ name, arguments: input })) as Record<string, unknown>),
  };
}

/**
 * Keeps what the client stores, and sends a person to the consent screen, who allows these scopes, or those that are
 * ticked.
 */
export class AllowingProvider implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { client_name: 'A client', redirect_uris: [REDIRECT] };
  /** Where the client sent the person. */
  asked: URL | undefined;
  /** The scopes that the screen had ticked. */
  ticked: string[] = [];
  /** What the redirect back to the client says. */
  answer = new URLSearchParams();
  #kept: Record<string, unknown> = {};

  constructor(
    private readonly quire: TestApp,
    private readonly person: TestUser,
    private readonly scopes?: string[],
  ) {}

  clientInformation = () => this.#kept.client as never;
  tokens = () => this.#kept.tokens as never;
  discoveryState = () => this.#kept.discovery as never;
  codeVerifier = () => this.#kept.verifier as string;

  saveClientInformation(client: unknown): void {
    this.#kept.client = client;
  }
  saveTokens(tokens: unknown): void {
    this.#kept.tokens = tokens;
  }
  saveDiscoveryState(state: unknown): void {
    this.#kept.discovery = state;
  }
  saveCodeVerifier(verifier: string): void {
    this.#kept.verifier = verifier;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    this.asked = url;
    const cookie = await this.person.login();
    const screen = await openConsent(this.quire, url.search.slice(1), cookie);
    this.ticked = shownScopes(screen.body).ticked;
    const scope = this.scopes ?? this.ticked;
    const { params } = readRedirect(await answerConsent(this.quire, screen, cookie, { scope }));
    this.answer = new URLSearchParams(params);
  }
}
