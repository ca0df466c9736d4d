import type { Page } from 'playwright-core';

/**
 * Finds out whether axe would find a text with too little contrast, without asking it about every text. That takes
 * axe longer than all other rules together, and most texts look like another one.
 *
 * The contrast of a text depends only on how it looks: its own style and what its ancestors paint behind it. So axe
 * checks one text of each look, and no look twice, whatever the screen, the size of the window and the color scheme.
 * It always checks texts that can have something else behind them: those that are above a box which is not around
 * them, or that are not completely within one that is.
 */
export async function hasLowContrast(page: Page): Promise<boolean> {
  const looks = (await page.evaluate(COLLECT)) as string[] | null;
  if (!looks) return true;
  const unknown = looks.flatMap((look, index) => (good.has(look) ? [] : [index]));
  const outcome = (await page.evaluate(`(${CHECK})(${JSON.stringify(unknown)})`)) as Outcome;
  for (const index of outcome.good) good.add(looks[index] ?? '');
  return outcome.isLow;
}

interface Outcome {
  isLow: boolean;
  /** The looks that need not be checked again. */
  good: number[];
}

/** The looks that axe has checked in this process. */
const good = new Set<string>();

/** Sorts the texts by their look and returns the looks. Returns null if axe has to look at everything. */
const COLLECT = `(() => {
  const all = [...document.querySelectorAll('*')];
  if (all.some((element) => element.shadowRoot)) return null;
  const REPLACED = 'img, svg, canvas, video, iframe, object, embed';
  const FIELDS = 'select, textarea, input:not([type=checkbox], [type=radio], [type=range], [type=color], [type=hidden])';
  // These need no contrast.
  const DISABLED = ':is(button, input, select, textarea):disabled, [aria-disabled=true]';
  const styles = new Map(all.map((element) => [element, getComputedStyle(element)]));
  const isPainted = (element) => {
    const { backgroundColor, backgroundImage } = styles.get(element);
    return backgroundColor !== 'rgba(0, 0, 0, 0)' || backgroundImage !== 'none' || element.matches(REPLACED);
  };
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  // How texts for screen readers are hidden from everyone else.
  const isTiny = (element) => element !== null
    && ((element.offsetHeight <= 1 && styles.get(element).overflow === 'hidden') || isTiny(element.parentElement));
  const isOpaque = (element) => /^rgb\\(/.test(styles.get(element).backgroundColor) && styles.get(element).opacity === '1';
  const modals = [...document.querySelectorAll('dialog:modal')];
  const isInert = (element) => modals.length > 0 && !modals.some((modal) => modal.contains(element));
  // A dialog is above everything else, which needs no contrast.
  const isBelow = (element) => isInert(element) && modals.every(isOpaque);
  const boxes = all.filter((element) => isPainted(element) && isShown(element) && !isBelow(element))
    .map((element) => ({ element, rect: element.getBoundingClientRect() }));

  // What each element and its ancestors paint, down to the first that hides what is behind it.
  const behind = new Map([[null, '']]);
  const isBlended = new Map([[null, false]]);
  for (const element of all) {
    const { backgroundColor, backgroundImage, backgroundClip, opacity, filter, backdropFilter, mixBlendMode } = styles.get(element);
    const [paint, blend] = [[backgroundColor, backgroundImage, backgroundClip].join(), [opacity, filter, backdropFilter, mixBlendMode].join()];
    isBlended.set(element, blend !== '1,none,none,normal' || isBlended.get(element.parentElement));
    const hides = isOpaque(element) && backgroundImage === 'none' && backgroundClip === 'border-box' && !isBlended.get(element);
    const isPlain = paint === 'rgba(0, 0, 0, 0),none,border-box' && blend === '1,none,none,normal';
    behind.set(element, (isPlain ? '' : paint + ',' + blend + '|') + (hides ? '' : behind.get(element.parentElement)));
  }

  const textsOf = (element) => [...element.childNodes].filter((node) => node.nodeType === 3 && node.nodeValue.trim());
  const rectsOf = (element) => textsOf(element).flatMap((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()];
  });
  const overlaps = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const contains = (a, b) => b.left >= a.left - 1 && b.right <= a.right + 1 && b.top >= a.top - 1 && b.bottom <= a.bottom + 1;
  // Whether a box that overlaps a text covers it, or is covered by what is behind the text.
  const isApart = (element, rect, box) => {
    const x = (Math.max(rect.left, box.rect.left) + Math.min(rect.right, box.rect.right)) / 2;
    const y = (Math.max(rect.top, box.rect.top) + Math.min(rect.bottom, box.rect.bottom)) / 2;
    const stack = document.elementsFromPoint(x, y);
    const [text, other] = [stack.indexOf(element), stack.indexOf(box.element)];
    if (text < 0 || other < 0) return false;
    if (other < text) return isOpaque(box.element);
    return stack.slice(text, other).some((each) => each.contains(element) && isOpaque(each));
  };
  const isSimple = (element, rects) => boxes.every((box) => {
    if (box.element === element || box.element === document.documentElement || box.element === document.body) return true;
    if (box.element.contains(element)) return rects.every((rect) => contains(box.rect, rect));
    return rects.every((rect) => !overlaps(box.rect, rect) || isApart(element, rect, box));
  });

  // Large texts need less contrast: 18 points, or 14 if they are bold, rounded as axe does.
  const isLarge = ({ fontSize, fontWeight }) => Math.ceil(parseFloat(fontSize) * 72) / 96 >= (fontWeight >= 700 ? 14 : 18);

  const groups = new Map();
  const others = [];
  for (const element of all) {
    const isField = element.matches(FIELDS);
    if (!isField && (textsOf(element).length === 0 || element.localName === 'option')) continue;
    if (!isShown(element) || isTiny(element) || isInert(element) || element.closest(DISABLED)) continue;
    const rects = isField ? [element.getBoundingClientRect()] : rectsOf(element);
    if (!isSimple(element, rects)) { others.push(element); continue; }
    const style = styles.get(element);
    const own = ['color', 'textShadow', 'webkitTextStroke', 'webkitTextFillColor'].map((name) => style[name]);
    const look = own.join() + (isLarge(style) ? ',large|' : '|') + behind.get(element);
    groups.set(look, [...(groups.get(look) ?? []), element]);
  }
  window.textsByLook = { groups: [...groups.values()], others };
  return [...groups.keys()];
})()`;

/**
 * Checks one text of each of these looks, and all of the look if axe does not decide about that one. Texts on images
 * it cannot judge, and would not be able to the next time.
 */
const CHECK = `async (looks) => {
  const { groups, others } = window.textsByLook;
  delete window.textsByLook;
  const decided = new Set();
  let isLow = false;
  const isOnImage = ({ any }) => ['bgGradient', 'bgImage'].includes(any[0]?.data?.messageKey);
  const check = async (include) => {
    if (include.length === 0) return;
    const resultTypes = ['violations', 'passes', 'incomplete'];
    const options = { runOnly: ['color-contrast'], resultTypes, selectors: false, elementRef: true, iframes: false };
    const { passes, violations, incomplete } = await axe.run({ include }, options);
    const nodes = [...passes.flatMap(({ nodes }) => nodes), ...incomplete.flatMap(({ nodes }) => nodes.filter(isOnImage))];
    for (const { element } of nodes) decided.add(element);
    isLow ||= violations.length > 0;
  };
  const isGood = (look) => groups[look].some((element) => decided.has(element));
  await check([...others, ...looks.map((look) => groups[look][0])]);
  await check(looks.filter((look) => !isGood(look)).flatMap((look) => groups[look].slice(1)));
  return { isLow, good: isLow ? [] : looks.filter(isGood) };
}`;
