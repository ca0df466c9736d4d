import { useId, useState } from 'preact/hooks';
import { MAX_BUILDER_PROMPT } from '../../../contract/rules/builder-limits.ts';
import { t } from '../../texts/index.ts';

/** Asks for a change in words. Enter sends it. */
export function ChangeForm({
  onSend,
  disabled = false,
}: {
  onSend: (prompt: string) => void;
  disabled?: boolean;
}) {
  const id = useId();
  const [text, setText] = useState('');
  const send = () => {
    if (text.trim() === '' || disabled) return;
    onSend(text.trim());
    setText('');
  };
  return (
    <form
      class="builder-change"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label for={id}>{t('What should change?')}</label>
      <textarea
        id={id}
        rows={2}
        maxLength={MAX_BUILDER_PROMPT}
        value={text}
        placeholder={t('For example: a warmer colour, and a form at the end')}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <button type="submit" class="button primary" disabled={disabled || text.trim() === ''}>
        {t('Send')}
      </button>
    </form>
  );
}
