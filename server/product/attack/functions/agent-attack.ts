import type { Actors, Who } from '../actors.ts';
import type { Tried } from '../send.ts';
import { isId, isPersonId } from '../source/invent.ts';
import type { Parameters } from '../source/parameters.ts';
import type { AttackedFunction } from './function-attack.ts';

/** What the MCP server of a page offers to its visitors: functions that the page itself may never call. */
export interface OfferedFunction extends AttackedFunction {
  /** A set of arguments for each value of an enum, which is usually what the function should do. */
  calls: Parameters[];
}

interface Schema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
}

const READS = /^(get|list|look|find|read|show|view|my|mine|search|status|check|fetch)/i;
const MAX_TOOLS = 12;
const MAX_CALLS = 8;

export async function listOffered(
  actors: Actors,
  pageId: number,
  functions: readonly AttackedFunction[],
): Promise<OfferedFunction[]> {
  const path = `/p/${pageId}/mcp`;
  const ask = (who: Who, method: string, params: object) =>
    actors.send(who, 'POST', path, { jsonrpc: '2.0', id: 1, method, params });
  const listed = await ask('nobody', 'tools/list', {});
  const { result } = (listed.json ?? {}) as {
    result?: { tools?: Array<{ name: string; inputSchema: Schema }> };
  };
  return (result?.tools ?? [])
    .filter(({ name }) => name.startsWith('call_'))
    .slice(0, MAX_TOOLS)
    .flatMap(({ name, inputSchema }) => {
      const found = functions.find(({ slug }) => `call_${slug}`.startsWith(name));
      const send = async (who: Who, body: unknown) =>
        toAnswer(await ask(who, 'tools/call', { name, arguments: body }));
      return found ? [{ ...found, calls: listCalls(inputSchema), send }] : [];
    });
}

function listCalls({ properties = {} }: Schema): Parameters[] {
  const entries = Object.entries(properties);
  const fixed = (schema: Schema) => (typeof schema.const === 'string' ? schema.const : undefined);
  const [chosen] = entries.filter(([, { enum: values }]) => Array.isArray(values));
  const values = (chosen?.[1].enum ?? []).filter((value) => typeof value === 'string').slice(0, MAX_CALLS);
  const plain: Parameters = new Map(entries.map(([name, schema]) => [name, fixed(schema)]));
  if (!chosen || values.length === 0) return [plain];
  return values.map((value) => {
    const all = new Map(plain).set(chosen[0], value);
    // What only reads is asked for with ids, and not with what somebody could add.
    return READS.test(value)
      ? new Map([...all].filter(([name, given]) => given !== undefined || isId(name) || isPersonId(name)))
      : all;
  });
}

/** The response of the function, which the server of the page describes. */
function toAnswer(tried: Tried): Tried {
  const { result } = (tried.json ?? {}) as { result?: { content?: Array<{ text?: string }> } };
  const text = (result?.content ?? []).map((each) => each.text ?? '').join('\n');
  const { status, body } = (parseWithin(text) ?? {}) as { status?: unknown; body?: unknown };
  if (typeof status !== 'number') return { ...tried, status: 400, text, json: undefined };
  return { ...tried, status, text: JSON.stringify(body) ?? '', json: body };
}

/** The JSON in a text. */
function parseWithin(text: string): unknown {
  try {
    return JSON.parse(text.slice(Math.max(text.indexOf('{'), 0), text.lastIndexOf('}') + 1));
  } catch {
    return undefined;
  }
}
