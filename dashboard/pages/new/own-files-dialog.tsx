import { useEffect, useRef, useState } from 'preact/hooks';
import { MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';
import { Dialog, Form, Switch, say, TextField } from '../../ui/index.ts';
import type { Chosen } from '../files/chosen.ts';
import { createAndOpen } from './created.ts';
import { OwnFiles } from './own-files.tsx';
import { publishSite, readSite, type Site } from './site.ts';

interface OwnFilesDialogProps {
  onClose: () => void;
  /** What was dropped on the list. */
  dropped?: Promise<Chosen> | undefined;
}

/** Asks for a folder or an archive and a name, publishes it and opens the editor. */
export function OwnFilesDialog({ onClose, dropped }: OwnFilesDialogProps) {
  const [name, setName] = useState('');
  const [isPublished, setPublished] = useState(true);
  const [fault, setFault] = useState<string>();
  const own = useOwnFiles(dropped, setName);
  const create = async () => {
    setFault(undefined);
    setFault(await createAndOpen(() => own.publish(name, !isPublished), isPublished));
  };
  return (
    <Dialog title={t('Use your own files')} onClose={onClose}>
      <Form
        submit={isPublished ? t('Publish page') : t('Create page')}
        onSubmit={create}
        disabled={name.trim() === '' || own.site === undefined}
        onCancel={onClose}
      >
        <OwnFiles {...own} />
        <TextField
          label={t('Name')}
          value={name}
          onInput={setName}
          maxLength={MAX_PAGE_NAME}
          error={fault}
          required
        />
        <Switch
          label={t('Publish now')}
          hint={t('Anyone with the link can see it. You can change this in the settings.')}
          checked={isPublished}
          onChange={setPublished}
        />
      </Form>
    </Dialog>
  );
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
      say(t('The upload was canceled. No page was made.'));
      return undefined;
    } finally {
      setSending(undefined);
    }
  };
  return { site, leftOut, fault, sending, onChoose, publish };
}
