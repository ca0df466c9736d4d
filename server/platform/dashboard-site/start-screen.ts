import { html, screen } from '../screens/index.ts';

/** The start page for visitors who are not logged in. */
export function startScreen(options: {
  baseUrl: string;
  registration: 'open' | 'closed';
}): Promise<Response> {
  const { baseUrl, registration } = options;
  const ways =
    registration === 'open'
      ? html`<a class="button" href="/register">Create an account</a> <a class="button quiet" href="/login">Log in</a>`
      : html`<a class="button" href="/login">Log in</a>`;
  const body = html`<section class="start">
<h1>Publish a page with a back end, in a minute</h1>
<p class="lede">Write HTML and get a live page. Add a function with a database, and store data for each visitor, a team or everyone.
Everything runs on this server.</p>
<p>${ways}</p>
<div class="offers">
<section>
<h2>For you</h2>
<p>An editor with live preview and versions, and your data and functions. <a href="/docs/quick-start">Quick start</a></p>
</section>
<section>
<h2>For your agent</h2>
<p>Give it <a href="/llms.txt">${baseUrl}/llms.txt</a>, and it can publish on its own. Or connect it to <a href="/docs/agents">the MCP server</a>.</p>
</section>
<section>
<h2>For programs</h2>
<p>The HTTP API can do everything that the dashboard does. <a href="/docs/api">API reference</a></p>
</section>
</div>
</section>`;
  return screen({ title: 'Publish a page', body }, { baseUrl });
}
