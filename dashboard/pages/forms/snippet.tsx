import { t } from '../../texts/index.ts';
import { Button, say } from '../../ui/index.ts';

const makeSnippet = (name: string) => `<form data-quire-form="${name}">
  <label>${t('Your name')} <input name="name" required></label>
  <label>${t('Your e-mail')} <input name="email" type="email" required></label>
  <label>${t('Message')} <textarea name="message" required></textarea></label>
  <input name="_gotcha" hidden>
  <button>${t('Send')}</button>
</form>`;

/** A form to paste into a page. */
export function Snippet({ name = 'contact' }: { name?: string | undefined }) {
  const snippet = makeSnippet(name);
  const copy = async () => {
    await navigator.clipboard.writeText(snippet);
    say(t('Form copied.'));
  };
  return (
    <div class="form-snippet">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{snippet}</code>
      </pre>
      <div class="actions">
        <Button kind="quiet" onClick={copy}>
          {t('Copy')}
        </Button>
        <a href="/docs/forms">{t('How forms work')}</a>
      </div>
    </div>
  );
}
