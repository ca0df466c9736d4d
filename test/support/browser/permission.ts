import type { Page } from 'playwright-core';
import { waitUntil } from '../server.ts';

/**
 * The SDK's permission dialog. Its shadow root is closed to the page and to the usual locators, so tests find it
 * like assistive technology does, and click with the mouse at its place on the screen.
 */
export async function clickInDialog(tab: Page, name: string): Promise<void> {
  await tab.locator('quire-dialog').waitFor({ state: 'attached' });
  const cdp = await tab.context().newCDPSession(tab);
  let backendNodeId: number | undefined;
  await waitUntil(async () => {
    const { nodes } = await cdp.send('Accessibility.getFullAXTree');
    const node = nodes.find((each) => isControl(each.role?.value) && each.name?.value === name);
    backendNodeId = node?.backendDOMNodeId;
    return backendNodeId !== undefined;
  });
  const { quads } = await cdp.send('DOM.getContentQuads', { backendNodeId: backendNodeId ?? 0 });
  const [x1 = 0, y1 = 0, , , x2 = 0, y2 = 0] = quads[0] ?? [];
  await cdp.detach();
  await tab.mouse.click((x1 + x2) / 2, (y1 + y2) / 2);
}

/** Waits until the text of the dialog contains this. */
export async function dialogSays(tab: Page, text: string): Promise<void> {
  await tab.locator('quire-dialog').waitFor({ state: 'attached' });
  const cdp = await tab.context().newCDPSession(tab);
  await waitUntil(async () => {
    const { nodes } = await cdp.send('Accessibility.getFullAXTree');
    const dialog = nodes.find((each) => each.role?.value === 'dialog');
    if (!dialog) return false;
    return nodes.some(
      (each) => each.role?.value === 'StaticText' && String(each.name?.value ?? '').includes(text),
    );
  });
  await cdp.detach();
}

/** Gives consent like a person on the consent screen: chooses a limit, then allows it. */
export async function allowSpending(consent: Page, limit = '10'): Promise<void> {
  await consent.getByText(limit, { exact: true }).click();
  await consent.getByRole('button', { name: 'Allow' }).click();
}

function isControl(role: unknown): boolean {
  return role === 'button' || role === 'link';
}
