import { type Html, html, t } from '../../../sites/screens/index.ts';

/** The button that starts single sign-on. */

/** The path where a login with the provider starts. */
export function startPath({ next, invite }: { next: string; invite?: string | undefined }): string {
  const query = new URLSearchParams({ ...(next !== '/' && { next }), ...(invite && { invite }) }).toString();
  return query ? `/login/sso?${query}` : '/login/sso';
}

/** The button on the screens where people log in and register. */
export function continueButton(name: string, target: { next: string; invite?: string | undefined }): Html {
  return html`<p class="actions"><a class="button quiet" href="${startPath(target)}">${t('Continue with {name}', { name })}</a></p>`;
}
