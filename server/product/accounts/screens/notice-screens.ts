import { html, screen } from '../../../platform/screens/index.ts';

/** The account screens without a form to fill in. */

/** Asks first, because anyone can place a link to this screen. */
export function logoutScreen(
  next: string,
  username: string,
  frame: { baseUrl: string; formTargets: string },
): Promise<Response> {
  const body = html`<section class="card">
<h1>Log out?</h1>
<p>You are logged in as <strong>${username}</strong>. Pages you have open will not know you any more.</p>
<form method="post" action="/logout"><input type="hidden" name="next" value="${next}">
<div class="actions"><button>Log out</button><a class="button quiet" href="${next}">Stay logged in</a></div></form>
</section>`;
  return screen({ title: 'Log out?', body }, frame);
}

/** Confirms the logout, with links to continue. */
export function loggedOutScreen(next: string, baseUrl: string): Promise<Response> {
  const body = html`<section class="card">
<h1>You are logged out</h1>
<p>This browser no longer has a way into your account.</p>
<p class="actions"><a class="button" href="${next}">${next === '/' ? 'Go to the start page' : 'Go on'}</a>
<a class="button quiet" href="/login?next=${encodeURIComponent(next)}">Log in again</a></p>
</section>`;
  return screen({ title: 'Logged out', body }, { baseUrl });
}

/** For servers where registration is closed. */
export function closedScreen(next: string, baseUrl: string): Promise<Response> {
  const body = html`<section class="card">
<h1>Registration is closed</h1>
<p>Only the operator of this server can create accounts. Ask them for one.</p>
<p class="foot">Have one already? <a href="/login?next=${encodeURIComponent(next)}">Log in</a></p>
</section>`;
  return screen({ title: 'Registration is closed', body }, { status: 403, baseUrl });
}

/** Confirms the new administrator, with links to the administration. */
export function administratorScreen(username: string, baseUrl: string): Promise<Response> {
  const title = 'You are administrator now';
  const body = html`<section class="card">
<h1>${title}</h1>
<p><strong>${username}</strong> may now see everybody who has an account here, give credits, and watch over the server.</p>
<p class="actions"><a class="button" href="/admin">Go to administration</a>
<a class="button quiet" href="/">Go to your pages</a></p>
</section>`;
  return screen({ title, body }, { baseUrl });
}

/** For a setup link that was used or replaced. */
export function setupGoneScreen(baseUrl: string): Promise<Response> {
  const title = 'This setup link no longer works';
  const body = html`<section class="card">
<h1>${title}</h1>
<p>It was used already or has been replaced. While there is no administrator, each start of the server prints a new one.</p>
<p class="foot"><a href="/">Go to the start page</a></p>
</section>`;
  return screen({ title, body }, { status: 404, baseUrl });
}
