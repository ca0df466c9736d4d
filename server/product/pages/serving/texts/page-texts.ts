import { pageAddress } from '../../../../../contract/pages/pages.ts';
import type { Delivery } from '../delivery.ts';
import type { CachedPage } from '../page-cache.ts';
import { type SentDocument, VARY } from '../send.ts';
import { type Form, LLMS_NAME } from '../viewers.ts';
import { MAX_MARKDOWN_HTML, toMarkdown } from './markdown.ts';
import { sendText } from './texts.ts';

export const LLMS_PATH = `/${LLMS_NAME}`;

interface PageTextsOptions {
  baseUrl: string;
  delivery: Delivery;
  /** Describes a page for agents, as text. */
  describe(pageId: number): Promise<string>;
}

/** Sends the description of a page for agents, and its content in Markdown. Neither counts as a view. */
export class PageTexts {
  readonly #options: PageTextsOptions;
  /** The Markdown of documents in memory, because anyone can ask for it as often as they like. */
  readonly #markdown = new WeakMap<SentDocument, Promise<string>>();

  constructor(options: PageTextsOptions) {
    this.#options = options;
  }

  /** Sends a text. Undefined if the form is not a text, or if there is no document at this path. */
  async send(page: CachedPage, form: Form, rest: string, request: Request): Promise<Response | undefined> {
    if (form === 'description')
      return sendText(page, request, await this.#options.describe(page.id), { type: 'text/plain' });
    return form === 'markdown' ? this.#sendMarkdown(page, rest, request) : undefined;
  }

  /** The text of the page's own document, or of an HTML file. */
  async #sendMarkdown(page: CachedPage, rest: string, request: Request): Promise<Response | undefined> {
    const found = await this.#options.delivery.documentAt(page, rest, request);
    if (!found) return undefined;
    const text = await this.#toMarkdown(found.document);
    const more = `More for agents: ${pageAddress(this.#options.baseUrl, page)}${LLMS_PATH}`;
    return sendText(page, request, `${text}\n\n---\n\n${more}\n`, { type: 'text/markdown', vary: VARY });
  }

  #toMarkdown(document: SentDocument): Promise<string> {
    const known = this.#markdown.get(document);
    if (known) return known;
    // A character has at most three bytes, and one more character shows whether there is more.
    const start = document.plain.body.slice(0, 3 * MAX_MARKDOWN_HTML + 1);
    const made = new Response(start).text().then(toMarkdown);
    this.#markdown.set(document, made);
    return made;
  }
}
