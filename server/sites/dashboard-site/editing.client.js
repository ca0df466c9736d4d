/**
 * Runs inside the preview's frame, and lets a person point at what they want to change. The dashboard decides what
 * happens then, and is the only one that knows the source. It trusts nothing of this: the document can replace all of it.
 */

/** Characters of a text that are sent. Also in messages.ts of the visual editor. */
const MAX_TEXT = 20_000;

// biome-ignore lint/correctness/noUnusedVariables: preview.client.js calls it, in the same function
function createEditing(port, fill, native) {
  const MARK = 'data-quire-at';
  const SPACES = /^([\t\n\f\r ]*)([\s\S]*?)([\t\n\f\r ]*)$/;
  // Scripts of the page can replace `call` and the getters of events, and would see the port in them.
  const post = (message) => native.apply(native.post, port, [message]);

  let mode = 'off';
  /** The texts of each element as they are in the source. */
  let texts = {};
  let words = {};
  let hovered;
  let chosen;
  let typing;

  const readNumber = (element) => {
    const mark = element?.getAttribute?.(MARK);
    return mark ? Number(mark) : element && element === document.body ? -1 : undefined;
  };
  const isText = (node) => node?.nodeType === 3 && node.data.trim() !== '';
  const isInSource = (node) => texts[readNumber(node.parentElement)]?.includes(node.data) === true;
  const listBoxes = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()];
  };
  const measure = ({ node, element }) => {
    if (!node) return element.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };

  const findText = (x, y, element) => {
    const place = document.caretPositionFromPoint?.(x, y)?.offsetNode;
    const node = place ?? document.caretRangeFromPoint?.(x, y)?.startContainer;
    const isNear = ({ left, right, top, bottom }) =>
      x >= left - 4 && x <= right + 4 && y >= top - 4 && y <= bottom + 4;
    if (isText(node) && element.contains(node) && listBoxes(node).some(isNear)) return node;
    // Beside its lines, a paragraph is still the paragraph.
    const own = [...element.childNodes].filter(isText);
    if (own.length === 0) return undefined;
    return isText(node) && element.contains(node) ? node : own[0];
  };

  const toTarget = (kind, element, node) => {
    const isKnown = node ? isInSource(node) : readNumber(element) !== undefined;
    if (!isKnown && kind !== 'box') return { kind: 'script', element, node };
    return { kind, element, node };
  };

  const findTarget = (x, y, element) => {
    const picture = element.closest('img');
    if (picture) return toTarget('picture', picture);
    const field = element.closest('input, textarea');
    if (field) return toTarget('field', field);
    const node = findText(x, y, element);
    const link = (node?.parentElement ?? element).closest('a[href]');
    if (node) return toTarget(link ? 'link' : 'text', node.parentElement, node);
    return link ? toTarget('link', link) : toTarget('box', element);
  };

  /** The nearest element with a background of its own, which is what a person sees behind it. */
  const findBackground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const { backgroundColor, backgroundImage } = getComputedStyle(each);
      if (backgroundImage !== 'none') return { background: '', of: undefined };
      if (!/rgba\(.*, 0\)|transparent/.test(backgroundColor))
        return { background: backgroundColor, of: readNumber(each) };
    }
    const isLight = /^(normal|light|only light)$/.test(
      getComputedStyle(document.documentElement).colorScheme,
    );
    return { background: isLight ? 'rgb(255, 255, 255)' : '', of: undefined };
  };

  const describe = (target, how) => {
    const { kind, element, node } = target;
    const marked = element.closest(`[${MARK}]`) ?? document.body;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const { background, of } = findBackground(element);
    const link = element.closest('a[href]');
    return {
      kind,
      id: kind === 'script' ? (readNumber(marked) ?? -1) : (readNumber(element) ?? readNumber(marked) ?? -1),
      index: node ? [...element.childNodes].indexOf(node) : -1,
      text: (node?.data ?? '').slice(0, MAX_TEXT),
      link: readNumber(link) ?? -1,
      rect: toBox(measure(target)),
      color,
      background,
      backgroundOf: of ?? -1,
      fontSize: Number.parseFloat(fontSize) || 16,
      isBold: Number(fontWeight) >= 700,
      isPre: isPre(element),
      ...how,
    };
  };
  /** Each line break counts. */
  const isPre = (element) => /^(pre|break)/.test(getComputedStyle(element).whiteSpace);
  const toBox = ({ x, y, width, height }) => ({ x, y, width, height });

  const drawing = createDrawing(measure, () => ({
    hovered: mode === 'edit' && !typing ? hovered : undefined,
    chosen: mode === 'edit' ? (typing ? { element: typing.holder, kind: typing.kind } : chosen) : undefined,
    words,
    isTyping: Boolean(typing),
  }));

  const typist = createTypist(post, {
    onEnd: (before, after) => {
      const list = texts[typing.id] ?? [];
      texts[typing.id] = list.map((each) => (each === before ? after : each));
      typing = undefined;
      drawing.draw();
    },
    onGrow: () => {
      drawing.draw();
      report();
    },
  });

  const choose = (target, how, point) => {
    typist.end('done');
    chosen = target;
    const canType =
      target.node &&
      target.kind !== 'script' &&
      target.element.namespaceURI === 'http://www.w3.org/1999/xhtml' &&
      !target.element.closest('select, option') &&
      !(target.kind === 'link' && how.isTouch);
    post({ pick: describe(target, { ...how, canType: Boolean(canType) }) });
    if (canType) {
      const id = readNumber(target.element);
      const [, before, core, after] = SPACES.exec(target.node.data);
      typing = typist.start({ ...target, id, before, core, after, isPre: isPre(target.element) }, point);
      report();
    }
    drawing.draw();
  };

  const report = () => {
    if (chosen) post({ rect: toBox(measure(typing ? { element: typing.holder } : chosen)) });
  };

  const listTargets = () =>
    [...document.querySelectorAll(`[${MARK}], body`)].flatMap((element) => {
      if (element.checkVisibility && !element.checkVisibility({ visibilityProperty: true })) return [];
      if (element.matches('img')) return [toTarget('picture', element)];
      if (element.matches('input:not([type=hidden]), textarea')) return [toTarget('field', element)];
      if (element.matches('script, style, select, option')) return [];
      const found = [...element.childNodes].filter(isText).map((node) => {
        return toTarget(element.closest('a[href]') ? 'link' : 'text', element, node);
      });
      return found.length === 0 && element.matches('a[href]') ? [toTarget('link', element)] : found;
    });

  const move = (step) => {
    typist.end('done');
    const all = listTargets();
    const at = all.findIndex(({ element, node }) => element === chosen?.element && node === chosen?.node);
    const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step];
    chosen = next;
    next?.element.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    drawing.draw();
    post({ at: next ? { kind: next.kind, text: (next.node?.data ?? '').trim().slice(0, 200) } : null });
  };

  /** What the dashboard says. It knows what is in the source now. */
  const apply = {
    texts: (value) => {
      texts = value;
    },
    words: (value) => {
      words = value;
    },
    mode: (value) => {
      typist.end('done');
      mode = value;
      hovered = undefined;
      chosen = undefined;
      drawing.draw();
    },
    stop: (how) => typist.end(how),
    unchoose: () => {
      typist.end('done');
      chosen = undefined;
      drawing.draw();
    },
    move,
    open: () => chosen && choose(chosen, { isKey: true, isTouch: false }),
    scroll: (by) => scrollBy({ top: by * innerHeight, behavior: 'instant' }),
    ping: (number) => post({ pong: number }),
    text: ({ id, before, after }) => {
      for (const element of document.querySelectorAll(`[${MARK}="${id}"]`)) {
        const node = [...element.childNodes].find(
          (each) => isText(each) && each.data.trim() === before.trim(),
        );
        if (!node) continue;
        const [, start, , end] = SPACES.exec(node.data);
        const old = node.data;
        node.data = start + after + end;
        texts[id] = (texts[id] ?? []).map((each) => (each === old ? node.data : each));
      }
      drawing.draw();
      report();
    },
    attribute: ({ id, name, value }) => {
      for (const element of document.querySelectorAll(`[${MARK}="${id}"]`)) element.setAttribute(name, value);
    },
    style: ({ id, property, value }) => {
      const found = id === -1 ? [document.body] : document.querySelectorAll(`[${MARK}="${id}"]`);
      for (const element of found) element.style.setProperty(property, value);
    },
    css: ({ id, text }) => {
      for (const element of document.querySelectorAll(`style[${MARK}="${id}"]`))
        element.textContent = fill(text);
    },
  };

  const listen = createListeners({
    isOn: () => mode === 'edit',
    isTyped: (target) => Boolean(typing?.holder.contains(target)),
    hover: (x, y, element) => {
      hovered = element ? findTarget(x, y, element) : undefined;
      drawing.draw();
    },
    pick: (x, y, element, isTouch) => {
      hovered = undefined;
      choose(findTarget(x, y, element), { isTouch, isKey: false }, { x, y });
    },
    moved: (isResized) => {
      // A card may have taken a part of the window.
      if (isResized) (typing?.holder ?? chosen?.element)?.scrollIntoView({ block: 'nearest' });
      drawing.draw();
      report();
    },
  });
  port.onmessage = (event) => {
    const data = native.apply(native.readData, event, []);
    for (const [name, value] of Object.entries(data ?? {})) apply[name]?.(value);
  };
  return listen;
}

/** Draws the outlines of what is under the pointer and of what is chosen, above everything else. */
function createDrawing(measure, read) {
  const host = document.createElement('quire-outlines');
  const root = host.attachShadow({ mode: 'closed' });
  host.style.cssText =
    'all:initial!important;position:fixed!important;inset:0!important;width:100%!important;height:100%!important;z-index:2147483647!important;pointer-events:none!important;overflow:hidden!important;display:block!important';
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    div { position: absolute; box-sizing: border-box; border-radius: 5px; display: none; }
    .hovered { outline: 2px solid #2f6fed; outline-offset: 3px; background: rgb(47 111 237 / 6%); }
    .hovered.script { outline: 2px dashed #8a8577; background: none; }
    .chosen { outline: 2px solid #2f6fed; outline-offset: 4px; box-shadow: 0 0 0 6px rgb(47 111 237 / 16%); }
    .chosen.box { outline-style: dotted; box-shadow: none; }
    span { position: absolute; left: -5px; bottom: calc(100% + 5px); padding: 2px 7px; border-radius: 5px;
      background: #2f6fed; color: #ffffff; font: 600 11px/1.4 system-ui, sans-serif; white-space: nowrap; }
    .under span { bottom: auto; top: calc(100% + 5px); }
    .script span { background: #5c574b; }`);
  root.adoptedStyleSheets = [sheet];
  const [over, on] = ['hovered', 'chosen'].map((name) => {
    const box = document.createElement('div');
    const label = document.createElement('span');
    box.append(label);
    root.append(box);
    return { name, box, label };
  });
  const place = ({ name, box, label }, target, words) => {
    const isShown = target?.element.isConnected && !(name === 'hovered' && target.kind === 'box');
    box.style.display = isShown ? 'block' : 'none';
    if (!isShown) return;
    const { x, y, width, height } = measure(target);
    Object.assign(box.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
    box.className = `${name} ${target.kind} ${y < 26 ? 'under' : ''}`;
    label.textContent = words[target.kind] ?? '';
    label.style.display = name === 'hovered' && label.textContent ? 'block' : 'none';
  };
  return {
    draw() {
      const { hovered, chosen, words } = read();
      if (host.parentNode !== document.documentElement) document.documentElement?.append(host);
      const isSame = hovered && chosen && hovered.element === chosen.element && hovered.node === chosen.node;
      place(over, isSame ? undefined : hovered, words);
      place(on, chosen, words);
    },
  };
}

/** Lets a person type into one text. Only that text can change. */
function createTypist(post, { onEnd, onGrow }) {
  const STYLE = [
    'display:inline;margin:0;padding:0;border:0;outline:0;background:none;white-space:inherit;position:static',
    'float:none;cursor:text;user-select:text;-webkit-user-select:text;animation:none;opacity:1;',
  ]
    .join(';')
    .replaceAll(';', '!important;');
  let now;

  const write = (text) => document.execCommand('insertText', false, text);
  const press = (event) => {
    event.stopImmediatePropagation();
    if (!event.isTrusted) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.key === 'Enter' && event.shiftKey && now.isPre) {
      event.preventDefault();
      write('\n');
    } else if (event.isComposing) {
      // The keys belong to the input method.
    } else if (event.key === 'Enter' || event.key === 'Tab') {
      event.preventDefault();
      end('done');
    } else if (event.key === 'Escape') {
      event.preventDefault();
      end('cancelled');
    } else if (isCommand && event.key.toLowerCase() === 's') {
      event.preventDefault();
      end('save');
    } else if (event.key === ' ' && now.element.closest('button, summary')) {
      // A button would be pressed instead.
      event.preventDefault();
      write(' ');
    } else if (isCommand && /^[biu]$/i.test(event.key)) event.preventDefault();
  };
  const paste = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.isTrusted) return;
    const text = (event.clipboardData ?? event.dataTransfer)?.getData('text/plain') ?? '';
    write(now.isPre ? text : text.replace(/\s*\n\s*/g, ' ').trim());
  };
  const input = (event) => {
    event.stopImmediatePropagation();
    if (!event.isTrusted) return;
    post({ text: now.holder.textContent.slice(0, MAX_TEXT) });
    onGrow();
  };
  const keep = (event) => {
    event.stopImmediatePropagation();
    if (event.type === 'keyup' && event.key === ' ') event.preventDefault();
  };
  const leave = () => end('done');

  const start = (target, point) => {
    const holder = document.createElement('quire-typing');
    holder.contentEditable = 'true';
    holder.contentEditable = 'plaintext-only';
    holder.style.cssText = STYLE;
    holder.spellcheck = false;
    // In a text that is typed, browsers show all white space.
    holder.textContent = target.isPre ? target.core : target.core.replace(/[\t\n\f\r ]+/g, ' ');
    now = { ...target, holder, shown: holder.textContent };
    target.node.replaceWith(target.before, holder, target.after);
    const listeners = { keydown: press, paste, drop: paste, input, blur: leave };
    for (const [type, listener] of Object.entries(listeners)) holder.addEventListener(type, listener);
    for (const type of ['keyup', 'keypress', 'beforeinput']) holder.addEventListener(type, keep);
    holder.focus({ preventScroll: true });
    putCursor(holder, point);
    now.watching = setInterval(() => !holder.isConnected && end('done'), 300);
    return now;
  };

  const putCursor = (holder, point) => {
    const range = document.createRange();
    range.selectNodeContents(holder);
    const selection = getSelection();
    const place = point && document.caretPositionFromPoint?.(point.x, point.y);
    if (place && holder.contains(place.offsetNode)) range.setStart(place.offsetNode, place.offset);
    if (point) range.collapse(Boolean(place && holder.contains(place.offsetNode)));
    selection.removeAllRanges();
    selection.addRange(range);
  };

  /** Puts the text back as one node, which scripts of the page may know. */
  const end = (how) => {
    if (!now) return;
    const { holder, node, before, after, watching, shown } = now;
    now = undefined;
    clearInterval(watching);
    const old = node.data;
    const text = how === 'cancelled' ? shown : holder.textContent;
    if (text !== shown) node.data = before + text + after;
    if (holder.isConnected) {
      if (holder.previousSibling?.data === before) holder.previousSibling.remove();
      if (holder.nextSibling?.data === after) holder.nextSibling.remove();
      holder.replaceWith(node);
    }
    post({ end: how, text: text.slice(0, MAX_TEXT) });
    onEnd(old, node.data);
  };
  return { start, end };
}

/** Takes the pointer from the page while it is edited. Adding a listener again has no effect while it is there. */
function createListeners({ isOn, isTyped, hover, pick, moved }) {
  const { addEventListener, requestAnimationFrame } = window;
  let isWaiting = false;
  const hold = (event) => {
    // A script of the page is not the person.
    if (!isOn() || !event.isTrusted) return;
    event.stopImmediatePropagation();
    if (isTyped(event.target)) return;
    // Scrolling by touch stays possible: it is only prevented at its start.
    if (!event.type.startsWith('touch') && event.type !== 'pointerdown' && event.cancelable)
      event.preventDefault();
    if (event.type === 'pointerdown') window.focus();
    if (event.type === 'click' && event.target instanceof Element)
      pick(event.clientX, event.clientY, event.target, event.pointerType === 'touch');
  };
  const point = (event) => {
    if (!isOn()) return;
    event.stopImmediatePropagation();
    if (!event.type.startsWith('pointer') || event.pointerType === 'touch' || isWaiting) return;
    isWaiting = true;
    const { clientX, clientY, target } = event;
    requestAnimationFrame(() => {
      isWaiting = false;
      if (isOn()) hover(clientX, clientY, target instanceof Element ? target : undefined);
    });
  };
  const leave = () => isOn() && hover(0, 0, undefined);
  const shift = ({ type }) => isOn() && requestAnimationFrame(() => moved(type === 'resize'));
  const KEYS = ['keydown', 'keyup', 'keypress'];
  const keys = (event) => {
    if (isOn() && !isTyped(event.target)) event.stopImmediatePropagation();
  };
  return () => {
    for (const type of [
      'pointerdown',
      'pointerup',
      'mousedown',
      'mouseup',
      'click',
      'dblclick',
      'auxclick',
      'submit',
    ])
      addEventListener(type, hold, true);
    for (const type of ['touchstart', 'touchend'])
      addEventListener(type, hold, { capture: true, passive: true });
    for (const type of ['pointermove', 'mousemove', 'pointerover', 'mouseover'])
      addEventListener(type, point, true);
    for (const type of KEYS) addEventListener(type, keys, true);
    document.addEventListener('mouseleave', leave);
    addEventListener('scroll', shift, { capture: true, passive: true });
    addEventListener('resize', shift);
  };
}
