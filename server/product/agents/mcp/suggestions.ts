import { DOCUMENTS } from './documents.ts';
import type { Offer } from './protocol/index.ts';
import type { CallTool, Tool, ToolCaller } from './tools/index.ts';

const MOST = 20;

/** Where the values of an argument come from: a tool that lists them, and the name of its list. */
const SOURCES: Record<string, { tool: string; list: string; input: Record<string, unknown> }> = {
  page: { tool: 'list_pages', list: 'pages', input: {} },
  function: { tool: 'list_functions', list: 'functions', input: { mine: true } },
};

/** Suggests slugs of the caller's pages and functions, and names of documents. */
export function createSuggestions({
  tools,
  callTool,
}: {
  tools: Map<string, Tool>;
  callTool: CallTool;
}): NonNullable<Offer<ToolCaller>['complete']> {
  return async ({ argument: { name, value } }, { caller, signal }) => {
    if (name === 'name') return Object.keys(DOCUMENTS).filter((document) => document.startsWith(value));
    const source = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
    const tool = source && tools.get(source.tool);
    if (!tool) return [];
    const input = { ...source.input, limit: MOST, ...(value !== '' && { q: value }) };
    const { structured } = await callTool(tool, input, {
      caller,
      signal,
      progress: undefined,
      tokens: Number.POSITIVE_INFINITY,
    });
    const { [source.list]: found = [] } = (structured.data ?? {}) as Record<string, { slug: string }[]>;
    return found.map(({ slug }) => slug);
  };
}
