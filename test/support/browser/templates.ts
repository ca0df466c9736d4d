import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable, overflow, overflows, watchComplaints } from './accessibility.ts';
import type { Person, Stage } from './stage.ts';

/** Markup that must be shown as text wherever a visitor writes it. */
export const MARKUP = '<img src=x onerror="document.title = 1">';

/** As long as a name can be: from right to left, with markup, an escaped character, emoji and a word without a place to break. */
const LONG = `مرحبا ${MARKUP} <b>&" &amp; 👩‍👩‍👧 ${'Donaudampfschiff'.repeat(9)}`.slice(0, 200);

/** The mark of samples. */
const MARKS: Record<string, RegExp> = {
  en: /^(Sample|With sample votes)$/,
  de: /^(Beispiel|Mit Beispielstimmen)$/,
};

const PHONE = { width: 390, height: 844 };

// biome-ignore lint/suspicious/noExplicitAny: the functions of templates have no types.
export type Answer = any;

/** Makes pages from templates and opens them on a phone. Collects what the browser reports about them. */
export class TemplatePages {
  readonly #stage: Stage;
  readonly #owner: Person;
  readonly #complaints: string[] = [];

  constructor(stage: Stage, owner: Person) {
    this.#stage = stage;
    this.#owner = owner;
  }

  async make(key: string, name: string, language = 'en'): Promise<{ id: number; url: string }> {
    const { token } = this.#owner;
    const body = { name, language };
    const answer = await this.#stage.call('POST', `/api/templates/${key}/pages`, { token, body });
    // A server that is too busy to compile a function says when to come back.
    if (answer.status === 503) {
      await Bun.sleep(answer.body.retryAfter * 1000);
      return this.make(key, name, language);
    }
    if (answer.status !== 201) throw new Error(`${key}: ${JSON.stringify(answer.body)}`);
    return { id: answer.body.page.id, url: `${this.#stage.baseUrl}/p/${answer.body.page.slug}` };
  }

  async open(url: string, person?: Person): Promise<Page> {
    const tab = await this.#stage.enter(person);
    await tab.setViewportSize(PHONE);
    const seen = watchComplaints(tab);
    // A refused request is expected: the page says why.
    tab.on('close', () => this.#complaints.push(...seen.filter((text) => !text.includes('status of 40'))));
    await tab.goto(url);
    return tab;
  }

  /** Makes a page in each language with a long name, and checks what a stranger sees. Its samples are marked, also for its owner. */
  async expectRight(key: string): Promise<void> {
    for (const language of ['de', 'en']) {
      const { id, url } = await this.make(key, LONG, language);
      const tab = await this.open(url);
      await tab.locator('h1', { hasText: 'Donaudampf' }).waitFor();
      expect(await tab.locator('h1').textContent()).toBe(LONG);
      expect(await tab.getAttribute('html', 'lang')).toBe(language);
      expect(await tab.title()).toBe(LONG);
      const { token } = this.#owner;
      const { body } = await this.#stage.call('GET', `/api/pages/${id}/samples`, { token });
      const mark = (where: Page) => where.getByText(MARKS[language] ?? '').filter({ visible: true });
      if (body.has_samples)
        for (const each of [tab, await this.open(url, this.#owner)]) await mark(each).first().waitFor();
      if (language === 'de') continue;
      await expectReadable(tab);
      expect(await overflows(tab)).toEqual([]);
      await tab.setViewportSize({ width: 320, height: 640 });
      expect(await overflow(tab)).toBe(0);
    }
  }

  /** Calls the newest function whose slug starts like this, as a program does. */
  async callFunction(start: string, body: object): Promise<{ status: number; body: Answer }> {
    const { token } = this.#owner;
    const { functions } = (await this.#stage.call('GET', '/api/functions', { token })).body;
    const own = (functions as Array<{ slug: string; id: number }>).filter(({ slug }) =>
      slug.startsWith(start),
    );
    const slug = own.sort((a, b) => a.id - b.id).at(-1)?.slug;
    return this.#stage.call('POST', `/api/functions/${slug}`, { body });
  }

  /** Checks that the browser had nothing to report. The tabs must be closed. */
  expectQuiet(): void {
    expect(this.#complaints.splice(0)).toEqual([]);
  }
}

export const button = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true });
