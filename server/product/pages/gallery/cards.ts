import type { GalleryPage } from '../../../../contract/pages/gallery.ts';
import { toReportPath } from '../../../../contract/reports/limits.ts';
import { NO_TOPIC } from '../../../../contract/rules/pages/gallery-topics.ts';
import { type Html, html, t } from '../../../sites/screens/index.ts';
import STYLES from './cards.css' with { type: 'text' };
import { sayTopic } from './topics.ts';

/** The styles of `galleryCards`. */
export const GALLERY_STYLES: string = STYLES;

/** Where a person forks a page of the gallery. */
export const forkPath = (id: number) => `/gallery/${id}/fork`;

/** The pages of the gallery. Those further down load their pictures when somebody scrolls there. */
export function galleryCards(pages: readonly GalleryPage[]): Html {
  return html`<ul class="gallery">${pages.map((page, index) => card(page, index < 6))}</ul>`;
}

function card(page: GalleryPage, isFirst: boolean): Html {
  const views = t('{count|{count} view|{count} views}', { count: page.views });
  const facts = page.topic === NO_TOPIC ? views : `${sayTopic(page.topic)} · ${views}`;
  return html`<li class="gallery-card">
<a class="gallery-open" href="${page.url}">${picture(page, isFirst)}<strong>${page.name}</strong></a>
<p class="gallery-about">${page.description}</p>
<p class="gallery-facts"><span>${t('by {author}', { author: page.author })}</span><span>${facts} · <a class="gallery-report" href="${toReportPath(page.url)}" aria-label="${t('Report {name}', { name: page.name })}" rel="nofollow">${t('Report')}</a></span></p>
${page.can_fork && html`<a class="gallery-fork" href="${forkPath(page.id)}" aria-label="${t('Fork {name}', { name: page.name })}">${t('Fork')}</a>`}
</li>`;
}

function picture({ name, picture, preview_image }: GalleryPage, isFirst: boolean): Html {
  const loading = isFirst ? 'eager' : 'lazy';
  const source = picture?.url ?? preview_image;
  if (source)
    return html`<img src="${source}" alt="" width="1200" height="750" loading="${loading}" decoding="async">`;
  return drawing(name);
}

/** Stands for a missing picture: a sheet with initials, in a colour that depends only on the name. */
function drawing(name: string): Html {
  let seed = 7;
  for (const letter of name) seed = (Math.imul(seed, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu) ?? [];
  const initials = words.slice(0, 2).map((word) => [...word][0]?.toUpperCase());
  const lines = [0, 1, 2].map(
    (line) =>
      html`<rect class="line" x="68" y="${86 + line * 14}" width="${40 + ((seed >>> (line * 5)) % 32) * 2}" height="5" rx="2.5"/>`,
  );
  return html`<svg class="drawing hue-${seed % 8}" viewBox="0 0 240 150" aria-hidden="true"><rect class="ground" width="240" height="150"/><rect class="sheet" x="54" y="24" width="132" height="140" rx="5"/><text x="68" y="70">${initials.join('') || '·'}</text>${lines}</svg>`;
}
