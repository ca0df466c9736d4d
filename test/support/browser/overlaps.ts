import { expect } from 'bun:test';
import type { Page } from 'playwright-core';

const WIDTHS = Array.from({ length: 65 }, (_, index) => 320 + index * 20);

/**
 * Checks that nothing on the screen covers something else, sticks out of the window, or breaks out of a bar of one
 * line, from small phones to large windows.
 */
export async function expectNoOverlaps(tab: Page): Promise<void> {
  await tab.getByRole('heading', { level: 1 }).waitFor();
  await tab.locator('.skeleton, .skeleton-block').first().waitFor({ state: 'detached' });
  const findings: Record<string, number[]> = {};
  for (const width of WIDTHS) {
    if (Object.keys(findings).length > 5) break;
    await tab.setViewportSize({ width, height: 800 });
    for (const finding of await lookUntilSettled(tab))
      findings[finding] = [...(findings[finding] ?? []), width];
  }
  const url = tab.url();
  expect({ url, findings }).toEqual({ url, findings: {} });
}

/** What observes its own size adapts within a few frames. What it covers after a second, it covers. */
async function lookUntilSettled(tab: Page): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    const findings = (await tab.evaluate(LOOK)) as string[];
    if (findings.length === 0 || tries === 10) return findings;
    await tab.waitForTimeout(100);
  }
}

/** Runs in the page. Looks at the left end, the middle and the right end of what people press, type in or read in a bar. */
const LOOK = `(() => {
  const LOOKED_AT = 'a[href], button, input:not([type=hidden]), select, textarea, summary, h1, h2, .screen-bar .badge, .screen-bar [role=status]';
  const name = (element) => {
    const words = (element.getAttribute('aria-label') || element.textContent || '').trim().replace(/\\s+/g, ' ');
    return element.tagName.toLowerCase() + [...element.classList].map((each) => '.' + each).join('') + ' "' + words.slice(0, 40) + '"';
  };
  /** What is below an open dialog is meant to be covered. */
  const screen = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document;
  /** The part of an element that its ancestors, up to one of them, do not cut off. */
  const partWithin = (element, outermost) => {
    // A heading is as wide as its section, its words are not.
    const words = document.createRange();
    words.selectNodeContents(element);
    // A link that goes on in the next line is looked at in its first.
    let { left, right, top, bottom } = element.getClientRects()[0] ?? element.getBoundingClientRect();
    if (element.matches('h1, h2')) right = Math.min(right, words.getBoundingClientRect().right);
    let isFixed = getComputedStyle(element).position === 'fixed';
    for (let above = element.parentElement; above && above !== outermost && !isFixed; above = above.parentElement) {
      const style = getComputedStyle(above);
      if (style.overflow !== 'visible') {
        const box = above.getBoundingClientRect();
        left = Math.max(left, box.left);
        right = Math.min(right, box.right);
        top = Math.max(top, box.top);
        bottom = Math.min(bottom, box.bottom);
      }
      isFixed = style.position === 'fixed';
    }
    return { left, right, top, bottom };
  };
  /** The part that the window does not cut off either. */
  const visiblePart = (element) => {
    const { left, right, top, bottom } = partWithin(element);
    return {
      left: Math.max(left, 0),
      right: Math.min(right, innerWidth),
      top: Math.max(top, 0),
      bottom: Math.min(bottom, innerHeight),
    };
  };
  /** The directions in which an element, or what contains it, stays where it is while the screen or a list scrolls. */
  const pinned = (element) => {
    const found = new Set();
    for (let each = element; each && each !== screen; each = each.parentElement) {
      const { position, top, bottom, left, right } = getComputedStyle(each);
      if (position === 'fixed') return new Set(['window', 'down']);
      if (position !== 'sticky') continue;
      if (top !== 'auto' || bottom !== 'auto') found.add('down');
      if (left !== 'auto' || right !== 'auto') found.add('across');
    }
    return found;
  };
  /** What stays covers what scrolls below it, such as a bar the first column of a list. */
  const scrollsBelow = (element, hit) => {
    const held = pinned(element);
    return !held.has('window') && [...pinned(hit)].some((each) => each !== 'window' && !held.has(each));
  };
  const findings = [];
  if (document.documentElement.scrollWidth > innerWidth) findings.push('the screen is wider than the window');
  for (const bar of document.querySelectorAll('.screen-bar'))
    for (const element of bar.querySelectorAll('*')) {
      if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('[popover], .for-readers')) continue;
      const [inner, outer] = [visiblePart(element), bar.getBoundingClientRect()];
      const isTooHigh = inner.bottom > outer.bottom + 1 || inner.top < outer.top - 1;
      if (inner.right - inner.left > 1 && (isTooHigh || partWithin(element, bar).right > outer.right + 1))
        findings.push(name(element) + ' sticks out of its bar');
    }
  for (const element of screen.querySelectorAll(LOOKED_AT)) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (getComputedStyle(element).pointerEvents === 'none') continue;
    const { left, right, top, bottom } = visiblePart(element);
    if (right - left < 4 || bottom - top < 4) continue;
    const middle = (top + bottom) / 2;
    for (const x of [left + 2, (left + right) / 2, right - 2]) {
      const hit = document.elementFromPoint(x, middle);
      if (!hit || element.contains(hit) || hit.contains(element)) continue;
      // A label belongs to its field.
      if (hit.closest('label')?.contains(element) || element.closest('label')?.contains(hit)) continue;
      if (scrollsBelow(element, hit)) continue;
      findings.push(name(element) + ' is covered by ' + name(hit));
      break;
    }
  }
  return findings;
})()`;
