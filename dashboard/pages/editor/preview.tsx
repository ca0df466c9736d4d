import { useEffect, useRef, useState } from 'preact/hooks';
import { Choice } from '../../ui/index.ts';
import { keepFocus } from './keep-focus.ts';
import { PreviewFrame, type PreviewTarget } from './preview-frame.ts';

/** A preview of the page, isolated from the dashboard. */
export function Preview({ html, pageId, slug, mode }: PreviewTarget & { html: string }) {
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<PreviewFrame>(undefined);
  const [isNarrow, setNarrow] = useState(false);
  const [isStalled, setStalled] = useState(false);

  useEffect(() => {
    if (!place.current) return;
    const made = new PreviewFrame(place.current, { pageId, slug, mode }, setStalled);
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
          label="Preview width"
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
          ? 'The page does not finish loading. One of its scripts may never end. The preview restarts with your next change.'
          : 'Shows the page as a visitor who is not logged in. It is isolated from your account, and browser storage is not kept.'}
      </p>
    </section>
  );
}
