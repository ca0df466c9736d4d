import { html, say, screen, t } from '../../sites/screens/index.ts';
import { BUILD_BELOW, TRY_PATH, toTryPath } from '../../sites/templates/index.ts';

/** Asks somebody who came with a link, and not from a box of ours, whether the builder is to make this. */
export function askToBuild(wish: string, username: string, baseUrl: string): Promise<Response> {
  const title = t('Build this page?');
  const here = toTryPath({ wish }, BUILD_BELOW);
  const body = html`<section class="card">
<h1>${title}</h1>
<p class="subject" dir="auto">${wish}</p>
<p>${t('It becomes a draft of yours. A simple page takes about 10 of your credits.')}</p>
<form method="post" action="${TRY_PATH}${BUILD_BELOW}"><input type="hidden" name="wish" value="${wish}"><div class="actions"><button>${t('Build page')}</button><a class="button quiet" href="${toTryPath({ wish })}">${t('Try a template')}</a></div></form>
<p class="foot">${say`You are logged in as <strong>${username}</strong>. <a href="/logout?next=${encodeURIComponent(here)}">Not you?</a>`}</p>
</section>`;
  return screen({ title, body }, { baseUrl, formTargets: "'self'", headers: { 'x-robots-tag': 'noindex' } });
}
