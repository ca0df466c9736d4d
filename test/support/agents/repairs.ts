import { expect } from 'bun:test';
import type { Repair } from '../../../contract/repairs/repairs.ts';
import type { PublishedPage, TestApp, TestUser } from '../app.ts';
import { waitUntil } from '../server.ts';

/** What a scripted model needs to know of the copy that it repairs. */

/** A page whose button fails as long as the list has no items. */
export const BROKEN =
  '<!doctype html><html lang="en"><title>List</title><body><h1>List</h1><label>Name <input></label><button onclick="first()">First item</button><p id="out"></p><script>\nconst items = [];\nfunction first() { out.textContent = items[0].name; }\n</script></body></html>';
export const MESSAGE = "Uncaught TypeError: Cannot read properties of undefined (reading 'name')";

export const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36';

/** The change that repairs it. */
export const FIX = {
  name: 'edit_file',
  input: { path: 'index.html', find: 'items[0].name', replace: "items[0]?.name ?? 'nothing'" },
};

/** Reports the error as the browser of a visitor does, with what they did. Returns its id. */
export async function reportError(
  { quire, owner }: { quire: Pick<TestApp, 'call'>; owner: Pick<TestUser, 'call'> },
  { id, url }: PublishedPage,
  more: Record<string, unknown> = {},
): Promise<string> {
  const { status } = await quire.call('POST', `/api/pages/${id}/errors`, {
    headers: { 'user-agent': CHROME },
    body: {
      message: MESSAGE,
      source: url,
      line: 3,
      column: 45,
      visit: {
        url,
        width: 800,
        steps: [
          { type: { name: 'Name', text: 'Grace Hopper 1906' } },
          { click: { role: 'button', name: 'First item' } },
        ],
      },
      ...more,
    },
  });
  expect(status).toBe(204);
  const { body } = await owner.call('GET', `/api/pages/${id}/errors`);
  return body.errors[0].fingerprint;
}

/** Waits for the end of a repair. */
export async function untilEnded(
  owner: Pick<TestUser, 'call'>,
  pageId: number,
  repair: string,
): Promise<Repair> {
  let last: Repair | undefined;
  await waitUntil(async () => {
    last = (await owner.call('GET', `/api/pages/${pageId}/repairs/${repair}`)).body as Repair;
    return last.state === 'ended';
  }, 240_000);
  return last as Repair;
}
