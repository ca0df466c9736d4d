import { expect } from 'bun:test';
import type { BrowserContext, Page } from 'playwright-core';
import {
  fetchVisitor,
  loggedInAs,
  type Person,
  type Published,
  type Stage,
} from '../../support/browser/stage.ts';

/**
 * A hostile published page, and its victim: a logged-in visitor who owns pages and has visited one of them
 * before.
 */
export interface Scene {
  attacker: Person;
  victim: Person;
  hostile: Published;
  /** The victim's published page. */
  diary: Published;
  /** The victim's unpublished page. */
  draft: Published;
}

/** Only the victim can read this. */
export const SECRET = 'the key is under the mat';

/** The attempts that a page's script can make. Each resolves to what the script learned from it. */
const TOOLS = `
const within = (promise, ms = 5000) =>
  Promise.race([promise, new Promise((resolve) => setTimeout(resolve, ms, { outcome: 'nothing' }))]);
const event = (target, names) => new Promise((resolve) => {
  for (const name of names) target.addEventListener(name, () => resolve({ outcome: name }), { once: true });
});
const body = (value, type) => value === undefined ? {} : { body: JSON.stringify(value), headers: { 'content-type': type } };
const peek = (read) => { try { return { outcome: 'read', text: String(read()) }; } catch (error) { return { outcome: error.name }; } };

window.attack = {
  async fetch(method, url, value, options = {}) {
    const type = options.mode === 'no-cors' ? 'text/plain' : 'application/json';
    const init = { method, credentials: 'include', ...body(value, type), ...options };
    return fetch(url, init).then(
      async (response) => ({ outcome: response.type, status: response.status, text: await response.text() }),
      (error) => ({ outcome: error.name }));
  },
  xhr(method, url, value) {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.withCredentials = true;
    const ended = new Promise((resolve) => { request.onloadend = () => resolve(
      { outcome: request.status ? 'answered' : 'blocked', status: request.status, text: request.responseText }); });
    if (value !== undefined) request.setRequestHeader('content-type', 'application/json');
    request.send(value === undefined ? null : JSON.stringify(value));
    return ended;
  },
  /**
   * Submits a form into a frame; \`fields\` is sent as it is, or as JSON with the trick of a name that
   * contains =.
   */
  form(url, fields, enctype = 'application/x-www-form-urlencoded', target = 'frame') {
    const form = Object.assign(document.createElement('form'), { method: 'post', action: url, enctype });
    const entries = enctype === 'text/plain'
      ? [[JSON.stringify(fields).slice(0, -1) + (Object.keys(fields).length ? ',' : '') + '"x":"', '"}']] : Object.entries(fields);
    for (const [name, value] of entries) form.append(Object.assign(document.createElement('input'), { name, value }));
    document.body.append(form);
    if (target !== 'frame') { form.target = target; form.submit(); return; }
    const frame = Object.assign(document.createElement('iframe'), { name: 'f' + Math.random() });
    document.body.append(frame);
    form.target = frame.name;
    const loaded = event(frame, ['load']);
    form.submit();
    return within(loaded).then(() => peek(() => frame.contentDocument.body.textContent));
  },
  beacon(url, value, type) {
    try { return { outcome: String(navigator.sendBeacon(url, new Blob([JSON.stringify(value ?? {})], { type }))) }; }
    catch (error) { return { outcome: error.name }; }
  },
  element(tag, url) {
    const attribute = { link: 'href', object: 'data' }[tag] ?? 'src';
    const element = Object.assign(document.createElement(tag), { [attribute]: url, rel: 'stylesheet' });
    const ended = event(element, ['load', 'error']);
    document.body.append(element);
    return within(ended, 1500);
  },
  async frame(url) {
    const frame = Object.assign(document.createElement('iframe'), { src: url });
    const loaded = event(frame, ['load']);
    document.body.append(frame);
    await loaded;
    window.lastFrame = frame;
    return [() => frame.contentDocument.body.textContent, () => frame.contentWindow.location.href,
      () => frame.contentWindow.PageUser, () => frame.contentWindow.document.cookie].map(peek)
      .filter(({ text }) => text !== undefined && text !== 'about:blank');
  },
  popup(url) { window.lastPopup = window.open(url); },
  lookIntoPopup() {
    const popup = window.lastPopup;
    return [() => popup.document.body.textContent, () => popup.location.href, () => popup.PageUser,
      () => popup.origin].map(peek).filter(({ text }) => text !== undefined);
  },
};`;

export const HOSTILE_HTML = `<!doctype html><html><head><title>Win a prize</title></head>
<body><h1>Win a prize</h1><script>${TOOLS}</script></body></html>`;

const DIARY_HTML = '<!doctype html><title>Diary</title><p>Dear diary</p>';

/** Each file uses its own user names, because files share the stage. */
export async function setScene(stage: Stage, file: string): Promise<Scene> {
  const attacker = await stage.register(`mallory-${file}`);
  const victim = await stage.register(`vera-${file}`);
  return {
    attacker,
    victim,
    hostile: await stage.publish(attacker, HOSTILE_HTML, { name: 'Win a prize', page_api_ai_enabled: true }),
    diary: await stage.publish(victim, DIARY_HTML, { name: 'Diary' }),
    draft: await stage.publish(victim, `<p>${SECRET}`, { name: 'Draft', is_published: false }),
  };
}

/** Brings the victim from her own page to the hostile one. */
export async function lure(stage: Stage, scene: Scene): Promise<Page> {
  const tab = await stage.enter(scene.victim);
  await tab.goto(scene.diary.url);
  await tab.goto(scene.hostile.url);
  return tab;
}

/** Lets the hostile page try something, and returns what its script learned. */
export function attempt<Result = Learned>(tab: Page, tool: string, ...args: unknown[]): Promise<Result> {
  const list = args.map((arg) => JSON.stringify(arg) ?? 'undefined').join(', ');
  return tab.evaluate(`attack.${tool}(${list})`);
}

export interface Learned {
  outcome: string;
  status?: number;
  text?: string;
}

/**
 * Brings the victim to the hostile page, lets it attack, and checks that nothing of hers has changed: her pages,
 * tokens and logins, and who the service and the pages think she is.
 */
export async function expectHarmless(
  stage: Stage,
  scene: Scene,
  attack: (tab: Page) => Promise<void>,
): Promise<void> {
  const tab = await lure(stage, scene);
  const before = await belongings(stage, scene, tab.context());
  expect(before).toMatchObject({ total: 2, tokens: [], sessions: expect.any(Array) });
  await attack(tab);
  expect(await belongings(stage, scene, tab.context())).toEqual(before);
  const { username } = scene.victim;
  expect(await knownAs(stage, scene, tab)).toEqual({ service: username, diary: username, hostile: username });
}

/** Who the service and the pages think this browser belongs to. */
export async function knownAs(stage: Stage, scene: Scene, tab: Page) {
  // The tab is on a page. Starting with the pages saves a change of process.
  const hostile = await fetchVisitor(tab, scene.hostile.address);
  const diary = await fetchVisitor(tab, scene.diary.address);
  return { service: await loggedInAs(tab, stage), diary, hostile };
}

export async function belongings(stage: Stage, scene: Scene, context: BrowserContext) {
  const { token } = scene.victim;
  const read = async (path: string) => (await stage.call('GET', path, { token })).body;
  const documents = [];
  for (const { id } of [scene.diary, scene.draft]) {
    const { page, versionCount, messages } = await read(`/api/pages/${id}`);
    documents.push({ html: page.html_content, name: page.name, versionCount, messages });
  }
  const cookies = await context.cookies(stage.baseUrl);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const { sessions } = (await stage.call('GET', '/api/auth/sessions', { cookie })).body;
  return {
    documents,
    total: (await read('/api/pages')).total,
    tokens: (await read('/api/auth/tokens')).tokens,
    sessions: sessions?.map(({ id }: { id: number }) => id),
  };
}
