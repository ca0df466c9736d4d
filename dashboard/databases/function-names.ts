import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import { call } from '../api.ts';
import { useLoad } from '../ui/index.ts';

/** The names that the owner gave to functions, by slug. A function without one is called by its slug. */
export function useFunctionNames(): ReadonlyMap<string, string> | undefined {
  const { value, error } = useLoad(readNames, []);
  return value ?? (error && new Map());
}

async function readNames(signal: AbortSignal): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (let offset = 0, total = 1; offset < total; ) {
    const query = { mine: 'true', limit: 100, offset } as const;
    const next = await call(functionEndpoints.listFunctions, { query, signal });
    for (const { slug, displayName } of next.functions) if (displayName) names.set(slug, displayName);
    offset += next.functions.length;
    // If functions are deleted during the loop, `total` is never reached.
    total = next.functions.length === 0 ? 0 : next.total;
  }
  return names;
}
