import { useState } from 'preact/hooks';
import { CodeEditor, type Language, type LineChanges } from '../editor/index.tsx';
import { rich, t } from '../texts/index.ts';

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
  if (added + removed === 0) return <>{t('No changes')}</>;
  return (
    <>
      {rich(
        '{what} <added>+{added}</added> <removed>−{removed}</removed> {count|line|lines}',
        {
          added: (text) => <span class="added">{text}</span>,
          removed: (text) => <span class="removed">{text}</span>,
        },
        { what, added: String(added), removed: String(removed), count: added + removed },
      )}
    </>
  );
}
