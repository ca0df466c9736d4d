import { useId, useState } from 'preact/hooks';
import { MAX_BUILDER_PROMPT } from '../../../contract/rules/builder-limits.ts';
import { t } from '../../texts/index.ts';
import { Icon } from '../../ui/index.ts';

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
      <label class="for-readers" for={id}>
        {t('What should change?')}
      </label>
      <textarea
        id={id}
        rows={2}
        maxLength={MAX_BUILDER_PROMPT}
        value={text}
        placeholder={t('What should change?')}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <button
        type="submit"
        class="button primary"
        aria-label={t('Send')}
        disabled={disabled || text.trim() === ''}
      >
        <Icon name="chevron-up" size={18} />
      </button>
    </form>
  );
}
