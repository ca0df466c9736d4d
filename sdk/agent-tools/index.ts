import { findModelContext } from './model-context.ts';

/** Gives the tools of the page's MCP server to the browser's agent. Loaded only in browsers that have one. */

interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: object;
  annotations: { readOnlyHint: boolean };
}

interface RpcResponse {
  result?: { tools: Tool[] };
  error?: string | { message: string };
}

const url = document.currentScript?.dataset.url ?? '';

/** Sends a message as the visitor, like every other call of the page. */
async function ask(method: string, params: object): Promise<RpcResponse['result']> {
  const response = await window.fetch(url, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as RpcResponse;
  if (result) return result;
  throw new Error(typeof error === 'string' ? error : error?.message);
}

async function registerTools(): Promise<void> {
  const context = findModelContext();
  const list = await ask('tools/list', {});
  for (const { name, title, description, inputSchema, annotations } of list?.tools ?? []) {
    try {
      context?.registerTool({
        name,
        title,
        description,
        inputSchema,
        annotations: { readOnlyHint: annotations.readOnlyHint, untrustedContentHint: true },
        execute: (input) => ask('tools/call', { name, arguments: input }),
      });
    } catch {
      // The author has a tool of this name, which is probably better.
    }
  }
}

registerTools().catch(() => {
  // The page works without these tools.
});
