/** Shows results while somebody types into the search of the documentation. Without this script, Enter shows a page of them. */

interface Found {
  href: string;
  title: string;
  heading: string;
  excerpt: { text: string; isMatch: boolean }[];
}

const WAIT_MS = 120;

function start(form: HTMLFormElement, input: HTMLInputElement, list: HTMLElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;
  let active = -1;
  const options = () => [...list.querySelectorAll<HTMLAnchorElement>('[role=option]')];

  const close = () => {
    asking?.abort();
    clearTimeout(timer);
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    choose(-1);
  };
  const choose = (next: number) => {
    const all = options();
    active = all.length === 0 ? -1 : Math.max(-1, Math.min(next, all.length - 1));
    for (const [at, option] of all.entries()) option.setAttribute('aria-selected', String(at === active));
    const chosen = all[active];
    if (chosen) input.setAttribute('aria-activedescendant', chosen.id);
    else input.removeAttribute('aria-activedescendant');
    chosen?.scrollIntoView({ block: 'nearest' });
  };
  const show = (found: Found[]) => {
    list.replaceChildren(...(found.length > 0 ? found.map(toOption) : [noResults(list)]));
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    choose(-1);
  };
  const ask = async () => {
    asking?.abort();
    asking = new AbortController();
    const query = input.value.trim();
    if (query === '') return close();
    try {
      const url = `/docs/results.json?q=${encodeURIComponent(query)}`;
      const response = await fetch(url, { signal: asking.signal });
      if (response.ok) show(((await response.json()) as { results: Found[] }).results);
    } catch {
      // A newer request has begun, or there is no connection: Enter still works.
    }
  };

  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), WAIT_MS);
  });
  input.addEventListener('focus', () => {
    if (input.value.trim() !== '') void ask();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    if (list.hidden) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(active + (event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter' && active >= 0) {
      event.preventDefault();
      options()[active]?.click();
    }
  });
  list.addEventListener('click', (event) => {
    // A result on the same page only changes the fragment.
    if ((event.target as Element).closest('a')) close();
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!form.contains(relatedTarget as Node | null)) close();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).closest('input, textarea, select, [contenteditable]');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

function toOption({ href, title, heading, excerpt }: Found, index: number): HTMLElement {
  const option = make('a', '');
  option.id = `found-${index}`;
  option.setAttribute('role', 'option');
  option.setAttribute('href', href);
  option.tabIndex = -1;
  const name = make('strong', heading || title);
  const text = make('span', '');
  text.append(...excerpt.map((piece) => (piece.isMatch ? make('mark', piece.text) : piece.text)));
  option.append(name, ...(heading ? [make('small', title)] : []), text);
  return option;
}

function noResults(list: HTMLElement): HTMLElement {
  const line = make('p', list.dataset.none ?? '');
  line.setAttribute('role', 'status');
  return line;
}

function make(tag: string, text: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

const form = document.querySelector<HTMLFormElement>('form.find');
const input = form?.querySelector('input');
const list = form?.querySelector<HTMLElement>('.found');
if (form && input && list) start(form, input, list);
