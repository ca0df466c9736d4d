import type { PageCheck } from '../../../contract/checks/page-check.ts';

/** The screenshot, with the title of the page. */
export function Picture({ check }: { check: PageCheck }) {
  const { screenshot, title, durationMs } = check;
  const caption = `${title || 'No title'} · ${(durationMs / 1000).toFixed(1)} s`;
  if (!screenshot) return <p class="notice bad">The page could not be drawn.</p>;
  // Of this picture, not of the check that may be running now.
  const viewport = screenshot.width > screenshot.height ? 'desktop' : 'phone';
  return (
    <figure class={`page-check-picture ${viewport}`}>
      <img
        src={new URL(screenshot.url).pathname}
        width={screenshot.width}
        height={screenshot.height}
        alt="Screenshot of the page"
      />
      <figcaption class="hint">{caption}</figcaption>
    </figure>
  );
}
