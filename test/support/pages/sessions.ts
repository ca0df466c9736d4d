import type { PublishedPage, TestApp } from '../app.ts';

/** How tests become visitors of a page. */

const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

/** Opens a page on its own host or domain as a logged-in person. Returns the cookie of that host. */
export async function enterPage(
  quire: Pick<TestApp, 'request'>,
  page: Pick<PublishedPage, 'slug'>,
  login: string,
): Promise<string> {
  const go = async (url: string, cookie = '') => {
    const { headers } = await quire.request(url, { headers: { ...NAVIGATE, cookie } });
    const cookies = headers.getSetCookie().map((line) => (line.split(';')[0] ?? '').split('='));
    return { location: headers.get('location') ?? '', cookies: Object.fromEntries(cookies) };
  };
  const begin = await go(`/p/${page.slug}`, login);
  const asked = await go(begin.location);
  const given = await go(asked.location, login);
  const entered = await go(given.location, `quire_browser=${asked.cookies.quire_browser}`);
  return `quire_page=${entered.cookies.quire_page}`;
}

/** Opens a page in sandbox isolation as a logged-in person. Returns the page session in its script tag. */
export async function openSandboxed(quire: TestApp, page: PublishedPage, login: string): Promise<string> {
  const response = await quire.request(`/p/${page.slug}`, { headers: { ...NAVIGATE, cookie: login } });
  return /data-page-session="([^"]+)"/.exec(await response.text())?.[1] ?? '';
}
