/**
 * Runs in the page. Looks at the left end, the middle and the right end of what people press, type in or read in a bar.
 * To look at the whole screen, it scrolls it, and then each list of it, from one end to the other.
 */
export const lookForOverlaps = (isWhole: boolean) => `(() => {
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
  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    getComputedStyle(element).pointerEvents !== 'none';
  /** What covers an element at one of three places, if anything does. */
  const findCover = (element, { left, right, top, bottom }) => {
    const middle = (top + bottom) / 2;
    for (const x of [left + 2, (left + right) / 2, right - 2]) {
      const hit = document.elementFromPoint(x, middle);
      if (!hit || element.contains(hit) || hit.contains(element)) continue;
      // A label belongs to its field.
      if (hit.closest('label')?.contains(element) || element.closest('label')?.contains(hit)) continue;
      return hit;
    }
  };
  const findings = new Set();
  /** What something that stays covers, until it is seen where it scrolls out from below that. */
  const below = new Map();
  /** What was seen with nothing above it, and of that what was seen as a whole. */
  const free = new Set();
  const seen = new Set();
  const look = (elements) => {
    for (const element of elements) {
      if (seen.has(element)) continue;
      const box = element.getBoundingClientRect();
      if (box.bottom < 0 || box.top > innerHeight) continue;
      const part = visiblePart(element);
      if (part.right - part.left < 4 || part.bottom - part.top < 4) continue;
      const hit = findCover(element, part);
      if (hit && !scrollsBelow(element, hit)) {
        seen.add(element);
        findings.add(name(element) + ' is covered by ' + name(hit));
      } else if (hit) {
        // Beside a first column that stays, a phone shows only a part of each other column.
        if (!free.has(element) && !pinned(hit).has('across')) below.set(element, hit);
      } else {
        free.add(element);
        below.delete(element);
        const isWhole = box.left >= part.left && (box.right <= part.right || element.matches('h1, h2'));
        if (isWhole && box.top >= 0 && box.bottom <= innerHeight) seen.add(element);
      }
    }
  };
  /** Each width looks at other parts of a very long screen. */
  const MAX_STOPS = 12;
  let isPartial = false;
  /** Little is left beside a first column that stays. */
  const ACROSS = 100;
  /** Everything is as a whole in one of the windows, unless it is higher than the part that two of them share. */
  const stops = (from, whole, part, step) => {
    const found = [];
    for (let at = 0; at < whole - part; at += step) found.push(at);
    const parts = step === ACROSS ? 1 : Math.ceil(found.length / MAX_STOPS);
    if (parts > 1) isPartial = true;
    return [...found.filter((_, index) => index % parts === (innerWidth / 20) % parts), Math.max(0, whole - part)].filter(
      (at) => at !== from,
    );
  };
  const scrollThrough = (area, elements, share) => {
    const { scrollTop, scrollLeft, scrollHeight, scrollWidth, clientHeight, clientWidth } = area;
    const { overflowX, overflowY } = getComputedStyle(area);
    const scrolls = (overflow) => area === document.scrollingElement || /auto|scroll/.test(overflow);
    const go = (left, top) => {
      area.scrollTo({ left, top, behavior: 'instant' });
      look(elements);
    };
    if (scrolls(overflowY)) for (const top of stops(scrollTop, scrollHeight, clientHeight, Math.max(clientHeight * share, 50))) go(scrollLeft, top);
    if (scrolls(overflowX)) for (const left of stops(scrollLeft, scrollWidth, clientWidth, ACROSS)) go(left, scrollTop);
    area.scrollTo({ left: scrollLeft, top: scrollTop, behavior: 'instant' });
  };
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.body.querySelectorAll('*')].filter((each) => partWithin(each).right > innerWidth + 1);
    findings.add('wider than the window: ' + (wide.length > 0 ? name(wide.at(-1)) : 'the screen'));
  }
  for (const bar of document.querySelectorAll('.screen-bar'))
    for (const element of bar.querySelectorAll('*')) {
      if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('[popover], .for-readers')) continue;
      const [inner, outer] = [visiblePart(element), bar.getBoundingClientRect()];
      const isTooHigh = inner.bottom > outer.bottom + 1 || inner.top < outer.top - 1;
      if (inner.right - inner.left > 1 && (isTooHigh || partWithin(element, bar).right > outer.right + 1))
        findings.add(name(element) + ' sticks out of its bar');
    }
  // Browsers draw these only when they come near the window, in a later frame.
  const drawWhole = (element) => {
    if (element.checkVisibility({ contentVisibilityAuto: true })) return;
    for (let each = element; each; each = each.parentElement)
      if (getComputedStyle(each).contentVisibility === 'auto') {
        each.style.contentVisibility = 'visible';
        each.style.contain = 'content';
      }
  };
  const shown = [...screen.querySelectorAll(LOOKED_AT)].filter(isShown);
  for (const element of shown) drawWhole(element);
  look(shown);
  if (!${isWhole}) return [...findings];
  scrollThrough(document.scrollingElement, shown, 3 / 4);
  // Editors draw only the lines that are in the window, a moment after they were scrolled.
  const lists = [...screen.querySelectorAll('*'), ...(screen === document ? [] : [screen])].filter(
    (each) =>
      (each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth + 1) &&
      each.matches(':not(html, body, textarea, input, .cm-scroller)') &&
      /auto|scroll/.test(getComputedStyle(each).overflow) &&
      isShown(each),
  );
  const { scrollX, scrollY } = window;
  for (const list of lists) {
    list.scrollIntoView({ block: 'center', behavior: 'instant' });
    scrollThrough(list, shown.filter((element) => list.contains(element)), 1 / 3);
  }
  scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
  if (!isPartial) for (const [element, hit] of below) findings.add(name(element) + ' stays below ' + name(hit));
  return [...findings];
})()`;
