import { useRef, useState } from 'preact/hooks';
import { CodeEditor, type Editor } from '../editor/index.tsx';
import { navigate, useLeavingGuard } from '../router.tsx';
import { Form, ScreenHead, Section, Select, say, TextField, useLoad } from '../ui/index.ts';
import { createFunction, listFunctions } from './api.ts';
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
  const [visibility, setVisibility] = useState('public');
  const [code, setCode] = useState(template.code);
  const [failure, setFailure] = useState<unknown>();
  const editor = useRef<Editor>(undefined);
  const form = useRef<HTMLDivElement>(null);
  const others = useLoad(listFunctions, []);
  const isUnsaved = useLeavingGuard(slug !== '' || displayName !== '' || code !== template.code);

  const take = (chosen: Template) => {
    if (code !== template.code && !confirm('Replace the code you have typed?'))
      return setTemplate({ ...template });
    setTemplate(chosen);
    setCode(chosen.code);
    editor.current?.setText(chosen.code);
    if (chosen.needsDatabase && database === 'none') setDatabase('new');
  };

  const deploy = async () => {
    setFailure(undefined);
    editor.current?.showFaults([]);
    try {
      await createFunction({
        slug,
        code: editor.current?.text() ?? code,
        displayName: displayName.trim(),
        isPublic: visibility === 'public',
        ...(database === 'new' && { enableDatabase: true }),
        ...(database.startsWith(SHARED) && { useDatabase: database.slice(SHARED.length) }),
      });
    } catch (error) {
      setFailure(error);
      const fault = faultOf(error);
      if (fault) editor.current?.showFaults([fault]);
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
        <Form submit="Deploy" disabled={slug === '' || slugFault(slug) !== undefined} onSubmit={deploy}>
          <Section title="What it is">
            <div class="fn-fields">
              <TextField
                label="Slug"
                hint={`Its address: /api/functions/${slug || '…'}. It stays for good.`}
                error={slugFault(slug) ?? fieldFault(failure, 'slug')}
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
              <Select
                label="Who may call it"
                hint="Can be changed at any time."
                value={visibility}
                onChange={setVisibility}
                options={[
                  ['public', 'Everybody'],
                  ['private', 'Only you, with a token'],
                ]}
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
                onChange={(name) => take(templateOf(name))}
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
    </>
  );
}
