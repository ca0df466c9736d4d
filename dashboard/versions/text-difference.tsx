import { useState } from 'preact/hooks';
import { CodeEditor, type Language, type LineChanges } from '../editor/index.tsx';

interface TextDifferenceProps {
  text: string;
  original: string;
  language: Language;
  what: string;
}

/** The lines that changed in a text. */
export function TextDifference({ text, original, language, what }: TextDifferenceProps) {
  const [changes, setChanges] = useState<LineChanges>();
  return (
    <>
      <p class="version-summary" role="status">
        {changes && <Summary what={what} {...changes} />}
      </p>
      <div class="version-diff">
        <CodeEditor
          text={text}
          original={original}
          language={language}
          label={what}
          isReadOnly
          onReady={(editor) => setChanges(editor.changes)}
        />
      </div>
    </>
  );
}

function Summary({ what, added, removed }: LineChanges & { what: string }) {
  if (added + removed === 0) return <>No changes</>;
  return (
    <>
      {what} <span class="added">+{added}</span> <span class="removed">−{removed}</span>{' '}
      {added + removed === 1 ? 'line' : 'lines'}
    </>
  );
}
