import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../texts/index.ts';
import { Skeleton } from '../ui/index.ts';
import type { Editor, EditorOptions } from './codemirror.ts';

export type { Editor, Fault } from './codemirror.ts';
export type { Language } from './languages.ts';
export type { LineChanges } from './line-changes.ts';

type Props = Omit<EditorOptions, 'parent'> & {
  /** Called with the editor when it is ready. */
  onReady?: (editor: Editor) => void;
};

/**
 * A code editor, loaded on first use. It owns its text from then on: to change the text from outside, use
 * `Editor.setText` or another `key`.
 */
export function CodeEditor(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  // The editor is created once, but must call the current callbacks.
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    let editor: Editor | undefined;
    let isGone = false;
    import('./codemirror.ts').then(
      ({ createEditor }) => {
        if (isGone || !place.current) return;
        const { onChange, onSave, onRun, onReady, ...rest } = latest.current;
        editor = createEditor({
          ...rest,
          parent: place.current,
          onChange: (text) => latest.current.onChange?.(text),
          ...(onSave && { onSave: () => latest.current.onSave?.() }),
          ...(onRun && { onRun: () => latest.current.onRun?.() }),
        });
        setReady(true);
        onReady?.(editor);
      },
      () => setFailed(true),
    );
    return () => {
      isGone = true;
      editor?.destroy();
    };
  }, []);

  return (
    <div class="code-editor">
      {!isReady && !hasFailed && <Skeleton lines={8} />}
      {hasFailed && (
        <div class="notice bad" role="alert">
          <p>{t('The editor could not be loaded. Reload this screen to try again.')}</p>
        </div>
      )}
      <div class="place" ref={place} />
    </div>
  );
}
