import { useEffect, useRef, useState } from 'preact/hooks';
import { Skeleton } from '../ui/index.ts';
import type { Editor, EditorOptions } from './codemirror.ts';

export type { Editor, Fault, Language } from './codemirror.ts';
export type { LineChanges } from './line-changes.ts';

type Props = Omit<EditorOptions, 'parent'> & {
  /** Gives the caller the editor once it is there. */
  onReady?: (editor: Editor) => void;
};

/**
 * A code editor. It is loaded when it is first needed and owns its text from then on: a change of `text` from
 * outside goes through `Editor.setText`, or through another `key`.
 */
export function CodeEditor(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  // The editor is made once and must call what is current, not what was there at first.
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
          <p>The editor could not be loaded. Reload this screen to try again.</p>
        </div>
      )}
      <div class="place" ref={place} />
    </div>
  );
}
