import { t } from '../../../texts/index.ts';
import { Button, Dialog } from '../../../ui/index.ts';

/** A decision before files change. */
export interface Question {
  title: string;
  text: string;
  /** The first is the main one. */
  choices: Array<[string, () => Promise<void>]>;
  cancel: () => void;
}

export function QuestionDialog({ title, text, choices, cancel }: Question) {
  return (
    <Dialog title={title} onClose={cancel}>
      <p class="file-names">{text}</p>
      <div class="actions">
        {choices.map(([label, act], at) => (
          <Button key={label} kind={at === 0 ? 'primary' : 'quiet'} onClick={act}>
            {label}
          </Button>
        ))}
        <Button kind="quiet" onClick={cancel}>
          {t('Cancel')}
        </Button>
      </div>
    </Dialog>
  );
}
