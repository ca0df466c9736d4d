import type { PagePicture as Screenshot } from '../../../contract/pages/page-picture.ts';

interface PictureProps {
  page: { name: string; preview_image: string | null; picture?: Screenshot | null };
}

/**
 * What a page looks like: a screenshot if the service has taken one, otherwise its preview image. A page with neither
 * gets a drawing that depends only on its name.
 */
export function PagePicture({ page }: PictureProps) {
  const address = page.picture?.url ?? page.preview_image;
  if (address && /^(https?:\/|\/)/.test(address)) {
    return (
      <img
        class={page.picture ? 'page-picture screenshot' : 'page-picture'}
        src={address}
        alt=""
        width="1200"
        height="630"
        loading="lazy"
        decoding="async"
      />
    );
  }
  const seed = hashText(page.name);
  const lines = Array.from({ length: 3 }, (_, line) => 40 + ((seed >>> (line * 5)) % 32) * 2);
  return (
    <svg
      class="page-picture"
      viewBox="0 0 240 126"
      preserveAspectRatio="xMidYMin slice"
      aria-hidden="true"
      style={{ '--hue': seed % 360 }}
    >
      <rect class="ground" width="240" height="126" />
      <rect class="sheet" x="54" y="20" width="132" height="120" rx="5" />
      <text x="68" y="62">
        {initials(page.name)}
      </text>
      {lines.map((width, line) => (
        <rect key={line} class="line" x="68" y={76 + line * 13} width={width} height="5" rx="2.5" />
      ))}
    </svg>
  );
}

/** The initials of the first two words, because many names share the first one. */
function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu) ?? [];
  const letters = words.slice(0, 2).map((word) => [...word][0]?.toUpperCase());
  return letters.join('') || ([...name.trim()][0] ?? '·');
}

function hashText(text: string): number {
  let hash = 7;
  for (const letter of text) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash;
}
