import { useId, useState } from 'preact/hooks';
import { MAX_BUILDER_PROMPT } from '../../../contract/rules/builder-limits.ts';
import { t } from '../../texts/index.ts';
import { Icon, say } from '../../ui/index.ts';

/** Asks for a change in words. Enter sends it. What could not be sent stays. */
export function ChangeForm({
  onSend,
  disabled = false,
}: {
  onSend: (prompt: string) => void | Promise<void>;
  disabled?: boolean;
}) {
  const id = useId();
  const [text, setText] = useState('');
  const [isSending, setSending] = useState(false);
  const cannotSend = disabled || isSending || text.trim() === '';
  const send = async () => {
    if (cannotSend) return;
    setSending(true);
    try {
      await onSend(text.trim());
      setText('');
    } catch (error) {
      say((error as Error).message, 'bad');
    } finally {
      setSending(false);
    }
  };
  return (
    <form
      class="builder-change"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
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
          void send();
        }}
      />
      <button
        type="submit"
        class="button primary"
        aria-label={t('Send')}
        disabled={cannotSend}
        aria-busy={isSending}
      >
        <Icon name="chevron-up" size={18} />
      </button>
    </form>
  );
}
