import { expect } from 'bun:test';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import type { TestUser } from '../app.ts';
import { type FunctionApp, functionApp, handler } from '../functions/app.ts';
import { enterPage } from '../pages/sessions.ts';

/** A service with an owner who makes branches. */
export interface BranchApp extends FunctionApp {
  /** Makes a branch of a page, and waits until it is ready. */
  branch(pageId: number, name: string, fields?: Record<string, unknown>, as?: TestUser): Promise<Branch>;
  /** Calls a function from a page on its own host, as its script does when the owner has it open. */
  callFrom(pageId: number, name: string, body?: unknown): Promise<{ status: number; body: unknown }>;
}

export { handler };

export async function branchApp(settings: Record<string, string> = {}): Promise<BranchApp> {
  const app = await functionApp(settings);
  const { quire, owner } = app;
  let login: string | undefined;
  return {
    ...app,
    async branch(pageId, name, fields = {}, as = owner) {
      const made = await as.call('POST', `/api/pages/${pageId}/branches`, {
        body: { name, data: 'all', ...fields },
      });
      expect([made.status, made.body.name ?? made.body]).toEqual([201, name]);
      let branch = made.body as Branch;
      while (branch.state !== 'ready') {
        await new Promise(setImmediate);
        branch = (await as.call('GET', `/api/pages/${pageId}/branches/${name}`)).body as Branch;
      }
      return branch;
    },
    async callFrom(pageId, name, body = {}) {
      const url = `http://p${pageId}.pages.localhost:${new URL(quire.baseUrl).port}/api/functions/${name}`;
      login ??= await owner.login();
      const { page } = (await owner.call('GET', `/api/pages/${pageId}`)).body;
      const cookie = await enterPage(quire, page, login);
      const response = await quire.request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
    },
  };
}
