import type { Message } from './message.ts';

const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion';

/** The parameter that the `Mcp-Name` header repeats, by method. */
const NAMES: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Headers that a message needs over HTTP. The stateless revisions repeat parts of the message in them. */
export function buildHeaders(
  { method, params }: Message,
  agreed: string | undefined,
): Record<string, string> {
  const meta = params?._meta as Record<string, unknown> | undefined;
  const stated = meta?.[VERSION_FIELD];
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  if (typeof stated !== 'string' || method === undefined) {
    return agreed === undefined ? headers : { ...headers, 'mcp-protocol-version': agreed };
  }
  const name = params?.[NAMES[method] ?? ''];
  return {
    ...headers,
    'mcp-protocol-version': encode(stated),
    'mcp-method': encode(method),
    ...(typeof name === 'string' && { 'mcp-name': encode(name) }),
  };
}

/** A header can only hold visible ASCII. The protocol wraps everything else. */
function encode(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?');
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
