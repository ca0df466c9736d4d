/** The names that functions, their secrets and their modules can have, and what functions have in `env`. */

export const FUNCTION_SLUG = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
export const MAX_FUNCTION_SLUG = 100;
export const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,99}$/;
/** The name of the database in `env`, so no secret can have it. */
export const DATABASE_NAME = 'DB';

/** The owner of built-in functions. */
export const PLATFORM = 'system';

export const isFunctionSlug = (slug: string) => FUNCTION_SLUG.test(slug) && slug.length <= MAX_FUNCTION_SLUG;

export const isSecretName = (name: string) => SECRET_NAME.test(name) && name !== DATABASE_NAME;

/** The path of the main module, as other files import it and errors name it. */
export const MAIN_MODULE = 'function.ts';

export const MAX_FUNCTION_FILES = 200;
export const MAX_FUNCTION_PATH = 200;

/** Relative paths of modules that the compiler reads. It imports other files as text. */
const FUNCTION_PATH =
  /^(?!.*(?:^|\/)node_modules\/)(?:[\w@-][\w.@-]*\/)*[\w@-][\w.@-]*\.(?:[cm]?[jt]s|[jt]sx|jsonc?|toml|txt|css|html|md|sql|svg|wasm)$/;

export function isFunctionPath(path: string): boolean {
  return path.length <= MAX_FUNCTION_PATH && path !== MAIN_MODULE && FUNCTION_PATH.test(path);
}

/** What a function has in `env` besides its secrets. A secret with the same name wins. */
export interface Binding {
  name: string;
  /** Only functions with a database have it, or only functions that belong to a page can use it. */
  needs?: 'database' | 'page';
  /** Its type, for editors. `PageData` is declared with the records of the page. */
  type: string;
}

const CALL = '{ id: string; name: string; input: Record<string, unknown> }';
const COST =
  'usage: { inputTokens: number; outputTokens: number; totalTokens: number }; credits: { deducted: number; remaining: number }';
const CHAT =
  '{ system_prompt?: string; messages?: object[]; model?: string; maxTokens?: number; tools?: object[]; response_format?: object }';
const EVENTS = [
  "{ type: 'delta'; content: string }",
  `{ type: 'tool_call' } & ${CALL}`,
  `{ type: 'done'; data?: Record<string, unknown>; ${COST} }`,
];
const AI = `{
    chat(options: ${CHAT} & { stream: true }): AsyncGenerator<${EVENTS.map((event) => `(${event})`).join(' | ')}, void, undefined>;
    chat(options: ${CHAT}): Promise<{ content: string; data?: Record<string, unknown>; tool_calls?: Array<${CALL}>; ${COST} }>;
    embed(texts: string[] | string): Promise<{ embeddings: number[][]; usage: { totalTokens: number }; credits: { deducted: number; remaining: number } }>;
  }`;

export const BINDINGS: readonly Binding[] = [
  { name: DATABASE_NAME, needs: 'database', type: 'D1Database' },
  {
    name: 'LIVE',
    type: '{ publish(pageId: number, channel: string, message: unknown): Promise<void> }',
  },
  {
    name: 'MAIL',
    needs: 'page',
    type: '{ send(letter: { to?: string; subject: string; text: string; html?: string }): Promise<void> }',
  },
  { name: 'DATA', needs: 'page', type: 'PageData & { as(request: Request): PageData }' },
  {
    name: 'FORMS',
    needs: 'page',
    type: '{ list(name: string, query?: { limit?: number; offset?: number }): Promise<{ messages: Array<{ id: number; fields: Record<string, unknown>; createdAt: string }>; total: number }> }',
  },
  {
    name: 'TEAM',
    needs: 'page',
    type: "{ list(): Promise<Array<{ username: string; role: 'owner' | 'admin' | 'member' | 'viewer' }>> }",
  },
  {
    name: 'FUNCTIONS',
    needs: 'page',
    type: '{ call(slug: string, body?: unknown): Promise<unknown> }',
  },
  { name: 'AI', type: AI },
  {
    name: 'QUEUE',
    type: '{ send(message: unknown, options?: { delaySeconds?: number; key?: string }): Promise<void>; sendBatch(messages: Iterable<{ body: unknown; delaySeconds?: number; key?: string }>, options?: { delaySeconds?: number }): Promise<void> }',
  },
];
