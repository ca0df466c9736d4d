import type { Endpoint } from '../../../../../../contract/endpoint.ts';
import { TOOLS } from '../definitions.ts';

/** Sentences of the API for callers of tools: they name the tool where API callers read a route. */

const ROUTE = /\b(GET|POST|PUT|PATCH|DELETE) (\/api\/[^\s,;]*[^\s,;:.])/g;
/** The collections of one kind, which tools take as an argument. */
const DATA = /\/api\/pages\/[^\s/]+\/((?:solo|team|social)-data)\b/g;
/** Where people do what no tool does. */
const NO_TOOL = 'the dashboard';

let named: { method: string; pattern: RegExp; name: string }[] | undefined;

/** A sentence with the names of tools in place of routes. */
export function nameTools(said: string): string {
  return said
    .replace(ROUTE, (_, method: string, path: string) => findTool(method, path) ?? NO_TOOL)
    .replace(DATA, 'type=$1');
}

/** The tool that does what a request does. */
function findTool(method: string, path: string): string | undefined {
  named ??= TOOLS.flatMap(({ name, endpoints, work }) => [
    ...(work?.alsoDoes ?? []).map((endpoint) => toNamed(name, endpoint)),
    ...endpoints.map(({ endpoint }) => toNamed(name, endpoint)),
  ]);
  return named.find((each) => each.method === method && each.pattern.test(path))?.name;
}

function toNamed(name: string, { method, path }: Endpoint) {
  const pattern = path.replace(/\*\w+/g, '.+').replace(/:\w+/g, '[^/]+');
  return { method, pattern: new RegExp(`^${pattern}$`), name };
}

/** A result whose warnings name tools. What translations of them need would only repeat them. */
export function withAdvice(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('warnings' in data) || !Array.isArray(data.warnings))
    return data;
  const warnings = data.warnings.map(
    ({ text: _, values: __, ...warning }: { text?: unknown; values?: unknown; message?: unknown }) =>
      typeof warning.message === 'string' ? { ...warning, message: nameTools(warning.message) } : warning,
  );
  return { ...data, warnings };
}
