/** Shows results while somebody types into the search of the documentation. Without it, Enter shows a page of them. */

interface Found {
  href: string;
  title: string;
  heading: string;
  excerpt: { text: string; isMatch: boolean }[];
}

const WAIT_MS = 120;

/** The list of results below the field. */
class Results {
  #active = -1;

  constructor(
    private readonly input: HTMLInputElement,
    private readonly list: HTMLElement,
  ) {}

  get isOpen() {
    return !this.list.hidden;
  }

  show(found: Found[]): void {
    this.list.replaceChildren(...(found.length > 0 ? found.map(toOption) : [noResults(this.list)]));
    this.#open(true);
  }

  close(): void {
    this.#open(false);
  }

  /** Chooses the result that is so many further down. */
  move(by: number): void {
    this.#choose(this.#active + by);
  }

  /** Opens the chosen result, if there is one. */
  follow(): boolean {
    const chosen = this.#options()[this.#active];
    chosen?.click();
    return chosen !== undefined;
  }

  #open(isOpen: boolean): void {
    this.list.hidden = !isOpen;
    this.input.setAttribute('aria-expanded', String(isOpen));
    this.#choose(-1);
  }

  #choose(next: number): void {
    const all = this.#options();
    this.#active = all.length === 0 ? -1 : Math.max(-1, Math.min(next, all.length - 1));
    for (const [at, option] of all.entries())
      option.setAttribute('aria-selected', String(at === this.#active));
    const chosen = all[this.#active];
    if (chosen) this.input.setAttribute('aria-activedescendant', chosen.id);
    else this.input.removeAttribute('aria-activedescendant');
    chosen?.scrollIntoView({ block: 'nearest' });
  }

  #options = () => [...this.list.querySelectorAll<HTMLAnchorElement>('[role=option]')];
}

function start(form: HTMLFormElement, input: HTMLInputElement, list: HTMLElement): void {
  const results = new Results(input, list);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;
  const close = () => {
    asking?.abort();
    clearTimeout(timer);
    results.close();
  };
  const ask = async () => {
    asking?.abort();
    asking = new AbortController();
    const query = input.value.trim();
    if (query === '') return close();
    try {
      const url = `/docs/results.json?q=${encodeURIComponent(query)}`;
      const response = await fetch(url, { signal: asking.signal });
      if (response.ok) results.show(((await response.json()) as { results: Found[] }).results);
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
    if (!results.isOpen) return;
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) results.move(by);
    if (by !== 0 || (event.key === 'Enter' && results.follow())) event.preventDefault();
  });
  list.addEventListener('click', (event) => {
    // A result on the same page only changes the fragment.
    if ((event.target as Element).closest('a')) close();
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!form.contains(relatedTarget as Node | null)) close();
  });
}

/** A slash leads to the field, as on many sites. */
function focusWithSlash(input: HTMLInputElement): void {
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
if (form && input && list) {
  start(form, input, list);
  focusWithSlash(input);
}
