import { useId, useState } from 'preact/hooks';
import { MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import { ApiError } from '../../api.ts';
import { navigate } from '../../router.tsx';
import { Dialog, Form, Switch, say, TextField } from '../../ui/index.ts';
import { createPage, screenOf } from '../api.ts';
import { STARTERS } from '../starters/choices.ts';

/** Asks for a name and a starter, creates the page and opens the editor. */
export function NewPage({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [choice, setChoice] = useState(STARTERS[0].key);
  const [isDraft, setDraft] = useState(false);
  const [fault, setFault] = useState<string>();
  const create = async () => {
    setFault(undefined);
    const { starterHtml } = await import('../starters/index.ts');
    const starter = STARTERS.find(({ key }) => key === choice) ?? STARTERS[0];
    try {
      const page = await createPage({
        name,
        html_content: starterHtml(starter.key, name.trim()),
        storage_mode: starter.mode,
        is_published: !isDraft,
      });
      say(isDraft ? `Created ${page.name} as a draft.` : `Published ${page.name}.`);
      navigate(screenOf(page.id));
    } catch (error) {
      const detail = error instanceof ApiError && error.details.find(({ path }) => path === 'name');
      if (!detail) throw error;
      setFault(`The name ${detail.message}.`);
    }
  };
  return (
    <Dialog title="New page" onClose={onClose}>
      <Form submit="Create page" onSubmit={create} disabled={name.trim() === ''} onCancel={onClose}>
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          maxLength={MAX_PAGE_NAME}
          error={fault}
          autofocus
          required
        />
        <StarterChoice value={choice} onChange={setChoice} />
        <Switch
          label="Keep as a draft"
          hint="Otherwise the page is public immediately. You can change this in the settings."
          checked={isDraft}
          onChange={setDraft}
        />
      </Form>
    </Dialog>
  );
}

function StarterChoice({
  value,
  onChange,
}: {
  value: string;
  onChange: (key: (typeof STARTERS)[number]['key']) => void;
}) {
  const id = useId();
  return (
    <fieldset class="page-options">
      <legend>Start from</legend>
      {STARTERS.map(({ key, title, hint }) => (
        <label key={key}>
          <input
            type="radio"
            name={id}
            checked={value === key}
            aria-describedby={`${id}-${key}`}
            onChange={() => onChange(key)}
          />
          <strong>{title}</strong>
          <span class="hint" id={`${id}-${key}`}>
            {hint}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
