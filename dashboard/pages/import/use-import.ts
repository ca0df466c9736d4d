import { useEffect, useRef, useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { say } from '../../ui/index.ts';
import { SHARE, toPageScreen } from '../api.ts';
import type { Chosen } from '../files/chosen.ts';
import { takeDropped } from '../files/dropped.ts';
import { type Choices, type ImportReport, type Source, sendImport, toSource } from './api.ts';

interface ImportState {
  /** What is imported, in words. */
  name: string;
  report?: ImportReport;
  /** Names that this browser did not send. */
  leftOut: string[];
  sending?: { isPublishing: boolean; sent: number; total: number | undefined };
  error?: Error;
}

const NOTHING: ImportState = { name: '', leftOut: [] };

/** The steps of an import. Leaving the screen ends what is in progress. */
export function useImport() {
  const [state, setState] = useState(NOTHING);
  const source = useRef<Source>(undefined);
  const running = useRef<AbortController>(undefined);
  useEffect(() => {
    const dropped = takeDropped();
    if (dropped) void choose(dropped);
    return () => running.current?.abort();
  }, []);

  /** Sends the import. Undefined if it failed, or if another one has begun. */
  const send = async (from: Source, shown: ImportState, choices?: Choices & { digest: string }) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const isPublishing = choices !== undefined;
    const total = 'url' in from ? undefined : from.bytes;
    setState({ ...shown, sending: { isPublishing, sent: 0, total } });
    try {
      return await sendImport(from, {
        ...(choices && { choices }),
        signal: controller.signal,
        onProgress: (sent) => setState({ ...shown, sending: { isPublishing, sent, total } }),
      });
    } catch (error) {
      if (!controller.signal.aborted) setState({ ...shown, error: error as Error });
      return undefined;
    }
  };

  const choose = async (chosen: Chosen | Promise<Chosen> | string) => {
    try {
      const from = typeof chosen === 'string' ? { url: chosen } : toSource(await chosen);
      if (!from) return;
      source.current = from;
      const shown =
        'url' in from ? { name: from.url, leftOut: [] } : { name: from.name, leftOut: from.leftOut };
      const report = await send(from, shown);
      if (report) setState({ ...shown, report });
    } catch (error) {
      setState({ ...NOTHING, error: error as Error });
    }
  };

  const publish = async (choices: Choices) => {
    const { report } = state;
    if (!source.current || !report?.digest) return;
    const { error: _, sending: __, ...shown } = state;
    const published = (await send(source.current, shown, { ...choices, digest: report.digest }))?.published;
    if (published) open(published, choices.title ?? '');
  };

  return { state, choose, publish, reset: () => setState(NOTHING) };
}

/** Opens what was published: the page, or its function. */
function open({ page, functions }: NonNullable<ImportReport['published']>, name: string): void {
  const [first] = functions;
  if (page?.is_published) {
    navigate(toPageScreen(page.id, SHARE));
  } else if (page) {
    say(t('Created {name}. Only you can see it.', { name }));
    navigate(toPageScreen(page.id));
  } else if (first) {
    say(t('Deployed {slug}.', { slug: first.slug }));
    navigate(`/functions/${first.slug}`);
  }
}
