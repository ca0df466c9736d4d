import { originalFetch } from './page-session.ts';
import type { Self } from './self.ts';

/** Calls functions of the service. */
export interface PageFunctions {
  /** Calls a function and resolves to its JSON answer, whatever the status. */
  call(slug: string, params?: unknown): Promise<unknown>;
  /** What a link shows: title, description, picture. */
  unfurl(url: string): Promise<unknown>;
}

export function createPageFunctions({ base }: Self): PageFunctions {
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
      throw new Error(`The function ${slug} gave no JSON answer (status ${response.status}).`);
    }
  };
  return { call, unfurl: (url) => call('unfurl-url', { url }) };
}
