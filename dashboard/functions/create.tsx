import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { CodeEditor, type Editor } from '../editor/index.tsx';
import { navigate, useLeavingGuard } from '../router.tsx';
import { Form, ScreenHead, Section, Select, Switch, say, TextField, useLoad } from '../ui/index.ts';
import { createFunction, listFunctions } from './api.ts';
import { Ask } from './ask.tsx';
import { faultOf, fieldFault } from './fault.ts';
import { slugFault } from './names.ts';
import { TEMPLATES, type Template, templateOf } from './templates.ts';

const SHARED = 'shared:';

/** Makes a function. Whatever the service says to it, what was typed stays. */
export function CreateScreen({ template: first }: { template: string }) {
  const [template, setTemplate] = useState(() => templateOf(first));
  const [slug, setSlug] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [database, setDatabase] = useState(template.needsDatabase ? 'new' : 'none');
  const [isPublic, setPublic] = useState(true);
  const [code, setCode] = useState(template.code);
  const [failure, setFailure] = useState<unknown>();
  /** The template that is to take the place of what was typed. */
  const [wanted, setWanted] = useState<Template>();
  const [isTried, setTried] = useState(false);
  const [taken, setTaken] = useState<{ slug: string; words: string }>();
  const editor = useRef<Editor>(undefined);
  const form = useRef<HTMLDivElement>(null);
  const others = useLoad(listFunctions, []);
  const isUnsaved = useLeavingGuard(slug !== '' || displayName !== '' || code !== template.code);

  const take = (chosen: Template) => {
    setTemplate(chosen);
    setCode(chosen.code);
    editor.current?.setText(chosen.code);
    if (chosen.needsDatabase && database === 'none') setDatabase('new');
  };

  const missing = isTried && slug === '' ? 'Give it a slug; the address needs one.' : undefined;
  const fault = slugFault(slug) ?? missing ?? (taken?.slug === slug ? taken.words : undefined);
  // It is the first field, and focusing it brings it back into view.
  const showSlug = () => form.current?.querySelector('input')?.focus();

  const deploy = async () => {
    setFailure(undefined);
    setTried(true);
    if (slug === '' || slugFault(slug)) return showSlug();
    editor.current?.showFaults([]);
    try {
      await createFunction({
        slug,
        code: editor.current?.text() ?? code,
        displayName: displayName.trim(),
        isPublic,
        ...(database === 'new' && { enableDatabase: true }),
        ...(database.startsWith(SHARED) && { useDatabase: database.slice(SHARED.length) }),
      });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'SLUG_TAKEN') {
        setTaken({ slug, words: error.message });
        return showSlug();
      }
      setFailure(error);
      const mistake = faultOf(error);
      if (mistake) editor.current?.showFaults([mistake]);
      throw error;
    }
    isUnsaved.current = false;
    say(`${slug} is deployed.`);
    navigate(`/functions/${slug}`);
  };

  const sharing = (others.value ?? []).filter(({ hasDatabase }) => hasDatabase);
  return (
    <>
      <ScreenHead title="New function" back={{ href: '/functions', label: 'Functions' }} />
      <div class="fn-create" ref={form}>
        <Form submit="Deploy" onSubmit={deploy}>
          <Section title="What it is">
            <div class="fn-fields">
              <TextField
                label="Slug"
                hint={`Cannot be changed later. The address is /api/functions/${slug || 'my-function'}`}
                error={fault ?? fieldFault(failure, 'slug')}
                value={slug}
                onInput={setSlug}
                placeholder="my-function"
                mono
                autofocus
              />
              <TextField
                label="Display name"
                hint="For people; may be left empty."
                error={fieldFault(failure, 'displayName')}
                value={displayName}
                onInput={setDisplayName}
                maxLength={200}
              />
              <Select
                label="Database"
                hint="SQLite, bound to the code as env.DB."
                error={fieldFault(failure, 'useDatabase')}
                value={database}
                onChange={setDatabase}
                options={[
                  ['none', 'None'],
                  ['new', 'A new one'],
                  ...sharing.map((other): [string, string] => [
                    SHARED + other.slug,
                    `Shared with ${other.slug}`,
                  ]),
                ]}
              />
              <Switch
                label="Public"
                hint={
                  isPublic
                    ? 'As soon as it is deployed it is listed, and anybody can call it. Can be changed at any time.'
                    : 'Private: only you can call it, with a token; pages cannot. Can be changed at any time.'
                }
                checked={isPublic}
                onChange={setPublic}
              />
            </div>
          </Section>
          <Section
            title="Code"
            hint={template.about}
            actions={
              <Select
                label="Start from"
                value={template.name}
                onChange={(name) => (code === template.code ? take : setWanted)(templateOf(name))}
                options={TEMPLATES.map(({ name, title }): [string, string] => [name, title])}
              />
            }
          >
            <div class="fn-new-code">
              <CodeEditor
                label="Code"
                language="javascript"
                text={code}
                onChange={setCode}
                onSave={() => form.current?.querySelector('form')?.requestSubmit()}
                onReady={(ready) => {
                  editor.current = ready;
                }}
              />
            </div>
          </Section>
        </Form>
      </div>
      {wanted && (
        <Ask
          title="Replace the code you have typed?"
          submit="Replace it"
          onConfirm={() => take(wanted)}
          onClose={() => setWanted(undefined)}
        >
          “{wanted.title}” takes its place.
        </Ask>
      )}
    </>
  );
}
