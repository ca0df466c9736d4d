import { originalFetch } from './page-session.ts';
import type { Self } from './self.ts';

export function createPageFunctions({ base }: Self): Quire.PageFunctions {
  const call = async (slug: string, params: unknown = {}) => {
    const response = await originalFetch(`${base}/api/functions/${encodeURIComponent(slug)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
      credentials: 'omit',
    });
    try {
      return (await response.json()) as unknown;
    } catch {
      throw new Error(`The function ${slug} did not return JSON (status ${response.status}).`);
    }
  };
  return { call, unfurl: (url) => call('unfurl-url', { url }) };
}
