import { html, screen } from '../screens/index.ts';

/** What somebody sees who is not logged in: what this is, and the ways in, for people and for agents. */
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
<p class="lede">Write HTML, get a live page. Add a function with a database of its own, keep data for each visitor, a team or everybody.
All of it on this server.</p>
<p>${ways}</p>
<div class="offers">
<section>
<h2>For you</h2>
<p>An editor with a live preview, every version kept, data and functions beside it. <a href="/docs/quick-start">Quick start</a></p>
</section>
<section>
<h2>For your agent</h2>
<p>Give it <a href="/llms.txt">${baseUrl}/llms.txt</a>, and it can publish by itself. Or connect it to <a href="/docs/agents">the MCP server</a>.</p>
</section>
<section>
<h2>For programs</h2>
<p>One HTTP API does everything that the dashboard does. <a href="/docs/api">API reference</a></p>
</section>
</div>
</section>`;
  return screen({ title: 'Publish a page', body }, { baseUrl });
}
