import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import { ApiError } from '../../api.ts';
import { navigate } from '../../router.tsx';
import { Dialog, Form, Switch, say, TextField } from '../../ui/index.ts';
import { createPage, screenOf } from '../api.ts';
import type { Chosen } from '../files/chosen.ts';
import { STARTERS } from '../starters/choices.ts';
import { OwnFiles } from './own-files.tsx';
import { publishSite, readSite, type Site } from './site.ts';

type StarterKey = (typeof STARTERS)[number]['key'];
type ChoiceKey = StarterKey | 'files';

interface NewPageProps {
  onClose: () => void;
  /** What was dropped on the list. */
  dropped?: Promise<Chosen> | undefined;
}

/** Asks for a name and what the page starts from, creates it and opens the editor. */
export function NewPage({ onClose, dropped }: NewPageProps) {
  const [name, setName] = useState('');
  const [choice, setChoice] = useState<ChoiceKey>(dropped ? 'files' : (STARTERS[0]?.key ?? 'blank'));
  const [isDraft, setDraft] = useState(false);
  const [fault, setFault] = useState<string>();
  const own = useOwnFiles(dropped, setName);
  const create = async () => {
    setFault(undefined);
    try {
      const page = choice === 'files' ? await own.publish(name, isDraft) : await start(choice, name, isDraft);
      if (!page) return;
      say(isDraft ? `Created ${page.name} as a draft.` : `Published ${page.name}.`);
      navigate(screenOf(page.id));
    } catch (error) {
      const detail = error instanceof ApiError && error.details.find(({ path }) => path === 'name');
      if (!detail) throw error;
      setFault(`The name ${detail.message}.`);
    }
  };
  const isReady = name.trim() !== '' && (choice !== 'files' || own.site !== undefined);
  return (
    <Dialog title="New page" onClose={onClose}>
      <Form
        submit={choice === 'files' && !isDraft ? 'Publish page' : 'Create page'}
        onSubmit={create}
        disabled={!isReady}
        onCancel={onClose}
      >
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
        {choice === 'files' && <OwnFiles {...own} />}
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

async function start(key: StarterKey, name: string, isDraft: boolean) {
  const { starterHtml } = await import('../starters/index.ts');
  const starter = STARTERS.find((each) => each.key === key) ?? STARTERS[0];
  return createPage({
    name,
    html_content: starterHtml(starter.key, name.trim()),
    storage_mode: starter.mode,
    is_published: !isDraft,
  });
}

/** The folder or archive of the new page. */
function useOwnFiles(dropped: Promise<Chosen> | undefined, suggestName: (name: string) => void) {
  const [site, setSite] = useState<Site>();
  const [leftOut, setLeftOut] = useState<string[]>([]);
  const [fault, setFault] = useState<Error>();
  const [sending, setSending] = useState<{ sent: number; total: number }>();
  const controller = useRef(new AbortController());
  const onChoose = async (chosen: Chosen | Promise<Chosen>) => {
    setFault(undefined);
    setSite(undefined);
    try {
      const given = await chosen;
      setLeftOut(given.leftOut);
      const read = await readSite(given);
      setSite(read);
      if (read) suggestName(read.name);
    } catch (error) {
      setFault(error as Error);
    }
  };
  useEffect(() => {
    if (dropped) void onChoose(dropped);
    // A closed dialog ends the upload.
    return () => controller.current.abort();
  }, []);
  const publish = async (name: string, isDraft: boolean) => {
    if (!site) return undefined;
    const { signal } = controller.current;
    setSending({ sent: 0, total: site.bytes });
    try {
      return await publishSite(site, name, isDraft, {
        signal,
        onProgress: (sent, total) => setSending({ sent, total }),
      });
    } catch (error) {
      if (!signal.aborted) throw error;
      say('The upload was canceled. No page was made.');
      return undefined;
    } finally {
      setSending(undefined);
    }
  };
  return { site, leftOut, fault, sending, onChoose, publish };
}

const OWN_FILES = {
  key: 'files',
  title: 'Your own files',
  hint: 'A folder or a zip archive with an index.html, images, styles and scripts.',
} as const;

function StarterChoice({ value, onChange }: { value: ChoiceKey; onChange: (key: ChoiceKey) => void }) {
  const id = useId();
  return (
    <fieldset class="page-options">
      <legend>Start from</legend>
      {[...STARTERS, OWN_FILES].map(({ key, title, hint }) => (
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
