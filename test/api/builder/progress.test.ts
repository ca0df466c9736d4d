import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { BuilderEvent, BuilderRun } from '../../../contract/agents/builder.ts';
import { addToRun } from '../../../contract/agents/builder-run.ts';
import {
  MAX_GROWING_HTML,
  MAX_RUN_ENTRIES,
  MAX_RUN_TEXT,
  MAX_WATCHERS,
} from '../../../contract/rules/builder-limits.ts';
import { EventParser } from '../../../contract/rules/event-stream.ts';
import { type BuilderApp, openRun, runBuilder, startBuilderApp } from '../../support/agents/builder.ts';
import type { TestUser } from '../../support/app.ts';
import { waitUntil } from '../../support/server.ts';

/** What happens in a run can be watched from anywhere, by the person who started it. */

let service: BuilderApp;
let ada: TestUser;
beforeAll(async () => {
  service = await startBuilderApp({ QUIRE_CHROMIUM: 'off' });
  ada = await service.quire.user();
});
afterAll(() => service.stop());
beforeEach(() => {
  service.vendor.seen.length = 0;
});

const page = (words: string) => `<!doctype html><html lang="en"><title>Bees</title><p>${words}</p></html>`;
const save = (html_content: string) => ({ name: 'save_draft', input: { html_content } });

/** Waits at a part of a response until it is opened. */
function gate(at: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, pace: (part: number) => (part < at ? undefined : promise) };
}

/** Watches the runs on a page. */
async function watch(pageId: number, user: Pick<TestUser, 'token'> = ada) {
  const leaving = new AbortController();
  const response = await service.quire.request(`/api/builder/${pageId}/events`, {
    headers: { authorization: `Bearer ${user.token}` },
    signal: leaving.signal,
  });
  let run: BuilderRun | null | undefined;
  const events: BuilderEvent[] = [];
  const parser = new EventParser(({ data }) => {
    if (data === undefined) return;
    const event = JSON.parse(data) as BuilderEvent;
    events.push(event);
    if (event.type === 'run') run = event.run;
    else if (run) run = addToRun(run, event);
  });
  const read = async () => {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) parser.push(text);
  };
  if (response.status === 200) read().catch(() => undefined);
  return {
    status: response.status,
    events,
    run: () => run,
    until: (isSo: (run: BuilderRun) => boolean) => waitUntil(async () => run != null && isSo(run)),
    leave: () => leaving.abort(),
  };
}

describe('a run', () => {
  test('shows everything so far to each window, and goes on in all of them', async () => {
    const html = page('Honey '.repeat(300));
    const { open, pace } = gate(0.6);
    service.vendor.play([{ text: 'I write it.', calls: [save(html)], pace }, { text: 'Made.' }]);
    const started = await openRun(service.quire, ada, { prompt: 'A page about bees' });
    const reader = started.body?.pipeThrough(new TextDecoderStream()).getReader();
    let id = 0;
    for (let text = ''; id === 0; id = Number(/"page":\{"id":(\d+)/.exec(text)?.[1] ?? 0))
      text += (await reader?.read())?.value ?? '';
    // Nobody reads what the run answers any more.
    await reader?.cancel();

    const first = await watch(id);
    await first.until((run) => (run.html?.length ?? 0) > 500);
    const second = await watch(id);
    await second.until((run) => (run.html?.length ?? 0) > 500);
    expect(second.run()).toMatchObject({
      state: 'running',
      prompt: 'A page about bees',
      entries: [{ text: 'I write it.' }, { name: 'save_draft', state: 'writing' }],
    });
    expect(html.startsWith(second.run()?.html ?? 'nothing')).toBe(true);
    expect(second.run()?.html?.length).toBeLessThan(html.length);
    const { body: status } = await ada.call('GET', '/api/builder');
    expect(status.underWay).toEqual([{ id, name: 'A page about bees' }]);

    open();
    for (const watched of [first, second]) {
      await watched.until((run) => run.state === 'done');
      expect(watched.run()).toMatchObject({ page: { name: 'Bees', slug: 'bees' }, html: null });
      expect(watched.run()?.end?.outcome).toBe('finished');
    }
    // A window that is opened later sees the same, and all of them see the next run.
    const late = await watch(id);
    await late.until((run) => run.state === 'done');
    const { ms: _, ...known } = first.run() ?? { ms: 0 };
    expect(late.run()).toMatchObject(known);
    service.vendor.play([{ text: 'What colour?' }]);
    await runBuilder(service.quire, ada, { prompt: 'Another colour' }, id);
    for (const watched of [first, second, late])
      await watched.until((run) => run.prompt === 'Another colour' && run.state === 'done');
    for (const watched of [first, second, late]) watched.leave();
  });

  test('is the only one of many that begin on a page at once', async () => {
    const { id } = await ada.publish();
    for (let round = 0; round < 5; round++) {
      service.vendor.play([{ text: 'Which colour?' }]);
      const asked = Array.from({ length: 6 }, (_, at) =>
        openRun(service.quire, ada, { prompt: `Colour ${at}` }, id),
      );
      const answers = await Promise.all(asked);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
      await Promise.all(answers.map((answer) => answer.text()));
    }
  });

  test('of somebody else is not found', async () => {
    const { id } = await ada.publish();
    service.vendor.play([{ text: 'My secret plan.' }]);
    await runBuilder(service.quire, ada, { prompt: 'Say something' }, id);
    const other = await service.quire.user();
    expect((await watch(id, other)).status).toBe(404);
    expect((await watch(999_999, other)).status).toBe(404);
    expect((await watch(id, { token: 'nonsense' })).status).toBe(401);
  });

  test('is watched in as many windows as the limit says, and not in more', async () => {
    const { id } = await ada.publish();
    const windows = await Promise.all(Array.from({ length: MAX_WATCHERS }, () => watch(id)));
    expect(windows.map(({ status }) => status)).toEqual(Array(MAX_WATCHERS).fill(200));
    expect((await watch(id)).status).toBe(429);
    windows[0]?.leave();
    await waitUntil(async () => {
      const again = await watch(id);
      again.leave();
      return again.status === 200;
    });
    for (const window of windows) window.leave();
  });

  test('ends when the login behind it ends', async () => {
    const person = await service.quire.user();
    const { id } = await person.publish();
    const limited = await person.call('POST', '/api/auth/tokens', {
      body: { name: 'builder', scopes: ['pages:read', 'pages:write', 'features'], creditLimit: 100 },
    });
    const { open, pace } = gate(0);
    service.vendor.play((turn) => ({
      calls: [{ name: 'read_file', input: {} }],
      ...(turn === 1 && { pace }),
    }));
    const asked = openRun(service.quire, { token: limited.body.token }, { prompt: 'Read' }, id);
    await waitUntil(async () => service.vendor.seen.length === 2);
    const { body } = await person.call('GET', '/api/auth/tokens');
    const { id: tokenId } = body.tokens.find(({ name }: { name: string }) => name === 'builder');
    expect((await person.call('DELETE', `/api/auth/tokens/${tokenId}`)).status).toBeLessThan(300);
    open();
    await (await asked).text();
    const watched = await watch(id, person);
    await watched.until((run) => run.end?.outcome === 'stopped');
    expect(service.vendor.seen).toHaveLength(2);
    watched.leave();
  });

  test.each([
    [401, 'no', 'provider_key'],
    [402, 'no', 'provider_money'],
    [429, 'insufficient_quota', 'provider_money'],
    [429, 'slow down', 'provider_busy'],
    [500, 'no', 'provider_error'],
  ])(
    'whose provider answers %d (%s) says %s, without the words of the provider',
    async (status, problem, error) => {
      const own = await startBuilderApp({ QUIRE_CHROMIUM: 'off' });
      try {
        const person = await own.quire.user();
        own.vendor.play([{ status, error: { message: `${problem} sk-secret` } }]);
        const run = await runBuilder(own.quire, person, { prompt: 'A page' });
        expect(run.error?.error).toBe(error);
        expect(JSON.stringify(run.events)).not.toContain('sk-secret');
      } finally {
        await own.stop();
      }
    },
  );
});

describe('the name of a new page', () => {
  const build = async (title: string, prompt = 'A page') => {
    service.vendor.play([{ calls: [save(page('').replace('Bees', title))] }, { text: 'Made.' }]);
    const { all, done } = await runBuilder(service.quire, ada, { prompt });
    const named = all('page').at(-1)?.page;
    return { id: named?.id ?? 0, name: named?.name ?? '', slug: named?.slug ?? '', draft: done?.draft };
  };

  test('is the title of the document, and so is its address, if it is free', async () => {
    expect(await build('Tea &amp; cake')).toMatchObject({ name: 'Tea & cake', slug: 'tea-cake' });
    expect(await build('Tea &amp; cake')).toMatchObject({ name: 'Tea & cake', slug: 'tea-cake-2' });
    const long = await build(`${'word '.repeat(100)}`);
    expect(long.name.length).toBeLessThanOrEqual(60);
    expect(long.name.endsWith('word')).toBe(true);
    expect((await build('مرحبا بالعالم', 'Hello in Arabic')).slug).toBe('hello-in-arabic');
    expect((await build('🐝', 'An emoji')).name).toBe('🐝');
  });

  test('is there when the run is over, so that the address of the title answers as soon as it is published', async () => {
    const { id, draft } = await build('Open on Sundays');
    await ada.call('POST', `/api/pages/${id}/drafts/${draft}/publish`, { body: {} });
    const { body } = await ada.call('PATCH', `/api/pages/${id}`, { body: { is_published: true } });
    expect(new URL(body.url).pathname).toBe('/p/open-on-sundays');
    expect((await service.quire.request('/p/open-on-sundays')).status).toBe(200);
  });

  test('follows the title until somebody chooses another, or the page is published', async () => {
    const { id } = await build('First title');
    const rename = async (title: string) => {
      service.vendor.play([{ calls: [save(page('').replace('Bees', title))] }, { text: 'Made.' }]);
      await runBuilder(service.quire, ada, { prompt: 'Another title' }, id);
      return (await ada.call('GET', `/api/pages/${id}`)).body.page.name;
    };
    expect(await rename('Second title')).toBe('Second title');
    await ada.call('PATCH', `/api/pages/${id}`, { body: { name: 'Mine' } });
    expect(await rename('Third title')).toBe('Mine');

    const other = await build('Title of a page');
    await ada.call('PATCH', `/api/pages/${other.id}`, { body: { is_published: true } });
    service.vendor.play([{ calls: [save(page(''))] }, { text: 'Made.' }]);
    await runBuilder(service.quire, ada, { prompt: 'Another title' }, other.id);
    expect((await ada.call('GET', `/api/pages/${other.id}`)).body.page.name).toBe('Title of a page');
  });
});

describe('what a run keeps', () => {
  const empty: BuilderRun = {
    id: 'r',
    state: 'running',
    page: { id: 1, name: 'Bees', slug: 'bees' },
    isNamedByTitle: true,
    prompt: 'Bees',
    message: null,
    startedAt: new Date(0).toISOString(),
    ms: 0,
    entries: [],
    html: null,
    draft: null,
    functions: [],
    reason: null,
    end: null,
    failure: null,
  };
  const add = (...events: BuilderEvent[]) => events.reduce(addToRun, empty);

  test('of a document that grows is up to the limit, and nothing past it', () => {
    const html = (length: number, isFirst = true): BuilderEvent => ({
      type: 'html',
      content: 'x'.repeat(length),
      isFirst,
    });
    expect(add(html(MAX_GROWING_HTML)).html).toHaveLength(MAX_GROWING_HTML);
    expect(add(html(MAX_GROWING_HTML), html(1, false)).html).toBeNull();
    expect(add(html(MAX_GROWING_HTML), html(1, false), html(5, false)).html).toBeNull();
    expect(add(html(MAX_GROWING_HTML), html(1, false), html(5)).html).toHaveLength(5);
  });

  test('of texts and steps is limited', () => {
    const text: BuilderEvent = { type: 'text', content: 'x'.repeat(MAX_RUN_TEXT) };
    expect(add(text, text).entries).toEqual([{ kind: 'text', text: text.content }]);
    const steps = Array.from({ length: MAX_RUN_ENTRIES + 1 }, (_, id): BuilderEvent => {
      return { type: 'tool', id, name: 'read_file', state: 'writing', summary: '', ms: id };
    });
    expect(add(...steps).entries).toHaveLength(MAX_RUN_ENTRIES);
    // A model that talks between its steps does not get more.
    const half: BuilderEvent = { type: 'text', content: 'x'.repeat(MAX_RUN_TEXT / 2) };
    const talked = add(...steps.slice(0, 4).flatMap((step) => [half, step])).entries;
    const letters = talked.map((entry) => (entry.kind === 'text' ? entry.text.length : 0));
    expect(letters.reduce((sum, each) => sum + each)).toBe(MAX_RUN_TEXT);
    expect(talked.filter(({ kind }) => kind === 'step')).toHaveLength(4);
  });

  test('says that steps which were under way did not work when the run fails', () => {
    const run = add(
      { type: 'tool', id: 1, name: 'save_draft', state: 'writing', summary: '', ms: 5 },
      { type: 'html', content: '<h1>', isFirst: true },
      { type: 'error', error: 'provider_error', message: 'No.', draft: null },
    );
    expect(run).toMatchObject({ state: 'failed', html: '<h1>', entries: [{ state: 'failed', endedMs: 5 }] });
  });
});
