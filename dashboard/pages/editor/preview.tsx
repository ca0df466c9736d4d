import { useEffect, useRef, useState } from 'preact/hooks';
import { Choice } from '../../ui/index.ts';
import { keepFocus } from './keep-focus.ts';
import { createPreviewFrame, type PreviewFrame, type PreviewTarget } from './preview-frame.ts';

/** The page as it would look, sealed off from the dashboard. `html` is what to show, changed a moment after typing. */
export function Preview({ html, pageId, slug, mode }: PreviewTarget & { html: string }) {
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<PreviewFrame>(undefined);
  const [isNarrow, setNarrow] = useState(false);
  const [isStalled, setStalled] = useState(false);

  useEffect(() => {
    if (!place.current) return;
    const made = createPreviewFrame(place.current, { pageId, slug, mode }, setStalled);
    const stopKeeping = keepFocus(place.current);
    frame.current = made;
    return () => {
      stopKeeping();
      made.remove();
    };
  }, [pageId, slug, mode]);
  useEffect(() => {
    frame.current?.show(html.replaceAll('{{PAGE_ID}}', String(pageId)));
  }, [html, pageId, slug, mode]);

  return (
    <section class="page-preview" aria-label="Preview">
      <header>
        <h2>Preview</h2>
        <Choice
          label="Width of the preview"
          value={isNarrow}
          options={[
            [true, 'Phone'],
            [false, 'Full'],
          ]}
          onChoose={setNarrow}
        />
      </header>
      <div class={`page-preview-place ${isNarrow ? 'narrow' : ''}`}>
        <div ref={place} />
      </div>
      <p class="hint" role="status">
        {isStalled
          ? 'This text does not finish loading, or never rests: perhaps one of its scripts never ends. The preview goes on with your next change.'
          : 'Runs as a visitor who is not logged in, sealed off from your account; what a page keeps in the browser is forgotten here.'}
      </p>
    </section>
  );
}
