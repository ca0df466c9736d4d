import { useState } from 'preact/hooks';
import { chooseLanguage } from '../../../editor/files/index.ts';
import type { Language } from '../../../editor/index.tsx';
import { t } from '../../../texts/index.ts';
import { Choice, Failure, formatBytes, Skeleton, useLoad } from '../../../ui/index.ts';
import { TextDifference } from '../../../versions/index.tsx';
import type { Branch } from '../api.ts';
import { type Change, readChange } from './api.ts';
import { Fields } from './fields.tsx';

type Content = Change['base'];

/** What a change is: its fields, or its lines. */
export function ChangeContent({ branch, change }: { branch: Branch; change: Change }) {
  const isCut = [change.base, change.branch, change.main].some((content) => content?.truncated);
  const loaded = useLoad(
    async (signal) => (isCut ? ((await readChange(branch, change, signal)) ?? change) : change),
    [branch.name, change],
  );
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />;
  const whole = loaded.value;
  if (!whole) return <Skeleton lines={3} />;
  if (whole.fields && whole.fields.length > 0) return <Fields change={whole} />;
  const contents = [whole.base, whole.branch, whole.main];
  if (contents.some((content) => content && content.text === null)) return <Bytes change={whole} />;
  if (whole.kind === 'row' && contents.every((content) => content === null))
    return (
      <p class="hint">
        {t(
          'The rows of this table have no key to tell them apart, so they are compared and merged as a whole.',
        )}
      </p>
    );
  if (isShort(contents)) return <Values change={whole} />;
  return <Lines change={whole} />;
}

const isShort = (contents: Content[]) =>
  contents.every((content) => !content || (content.bytes < 200 && !content.text?.includes('\n')));

/** Files that are not text. */
function Bytes({ change }: { change: Change }) {
  const size = (content: Content) => (content ? formatBytes(content.bytes) : '–');
  return (
    <p class="hint">
      {t('Not a text. At the start {base}, on the branch {branch}, on the page {main}.', {
        base: size(change.base),
        branch: size(change.branch),
        main: size(change.main),
      })}
    </p>
  );
}

/** Values of one line. */
function Values({ change: { path, base, branch, main, side } }: { change: Change }) {
  const isSwitch = /^settings\/(spa|page_api_)/.test(path);
  const rows: Array<[string, Content]> = [
    [t('At the start'), base],
    ...(side === 'main' ? [] : [[t('On the branch'), branch] as [string, Content]]),
    ...(side === 'branch' ? [] : [[t('On the page'), main] as [string, Content]]),
  ];
  return (
    <dl class="branch-values">
      {rows.map(([title, content]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd dir="auto">{content ? say(content.text ?? '', isSwitch) : '–'}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A text without its quotes. Switches are stored as 0 and 1. */
function say(text: string, isSwitch: boolean): string {
  if (isSwitch) return text === '0' ? t('Off') : t('On');
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value || '–' : text;
  } catch {
    return text;
  }
}

type View = 'branch' | 'main' | 'apart' | 'merged';

/** The lines that changed, seen from one of the sides. */
function Lines({ change }: { change: Change }) {
  const { side, conflict } = change;
  const [view, setView] = useState<View>(conflict ? 'apart' : side === 'both' ? 'merged' : side);
  const views: Array<[View, string]> = [
    ...(conflict ? [['apart', t('Page beside branch')] as [View, string]] : []),
    ...(change.merged ? [['merged', t('Both together')] as [View, string]] : []),
    ['branch', t('On the branch')],
    ['main', t('On the page')],
  ];
  const text = (content: Content) => content?.text ?? '';
  const original = view === 'apart' ? text(change.main) : text(change.base);
  const shown = view === 'apart' ? text(change.branch) : text(change[view]);
  return (
    <>
      {side === 'both' && (
        <Choice label={t('What is compared')} value={view} options={views} onChoose={setView} />
      )}
      <div class="branch-lines">
        <TextDifference
          key={view}
          text={shown}
          original={original}
          language={findLanguage(change)}
          what={view === 'apart' ? t('The branch against the page') : t('Since the start')}
        />
      </div>
    </>
  );
}

function findLanguage({ kind, path }: Change): Language {
  if (kind === 'file') return chooseLanguage(path);
  if (kind === 'function') return path.includes('/files/') ? chooseLanguage(path) : 'javascript';
  return kind === 'table' ? 'sql' : 'json';
}
