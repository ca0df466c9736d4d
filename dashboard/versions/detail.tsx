import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts/index.ts';
import { Button, Dialog, formatMoment, Select } from '../ui/index.ts';
import type { Version } from './nav.tsx';
import { Note } from './note.tsx';

type Against = 'before' | 'current';

/** What is compared, and how to say what differs. */
export interface Comparison {
  number: number;
  /** 0 if there is none to compare with. */
  other: number;
  what: string;
}

interface DetailProps {
  version: Version;
  /** The number of the current version. */
  current: number;
  /** The number of the version before; 0 for the first, undefined if it is no longer kept. */
  previous: number | undefined;
  /** What restoring means. */
  question: ComponentChildren;
  restore: () => Promise<void>;
  /** Changes the note. */
  onNote: (note: string) => Promise<unknown>;
  children: (comparison: Comparison) => ComponentChildren;
}

/** What a version changed, or what restoring it would change. */
export function VersionDetail(props: DetailProps) {
  const { version, current, previous, question, restore, onNote, children } = props;
  const [isAsking, setAsking] = useState(false);
  const [wanted, setAgainst] = useState<Against>('before');
  const number = version.version;
  const against = previous === undefined && !version.current ? 'current' : wanted;
  const other = against === 'current' ? current : (previous ?? 0);
  const what =
    against === 'current'
      ? t('Restoring version {version} would change', { version: String(number) })
      : t('Version {version} changed', { version: String(number) });
  const title = t('Version {version}', { version: String(number) });
  const date = formatMoment(version.createdAt);
  return (
    <section class="version" aria-label={title}>
      <header class="version-head">
        <div>
          <h2>{title}</h2>
          <p class="hint">
            {version.author ? t('{date} by {author}', { date, author: version.author }) : date}
          </p>
          <Note
            note={version.note ?? ''}
            of={t('version {version}', { version: String(number) })}
            onSave={onNote}
          />
        </div>
        {!version.current && (
          <div class="actions">
            <Select
              label={t('Compare with')}
              hideLabel
              value={against}
              options={[
                ...(previous === undefined ? [] : [['before', t('Compare with previous version')] as const]),
                ['current', t('Compare with current version')],
              ]}
              onChange={setAgainst}
            />
            <Button kind="quiet" onClick={() => setAsking(true)}>
              {t('Restore this version')}
            </Button>
          </div>
        )}
      </header>
      {children({ number, other, what })}
      {isAsking && (
        <RestoreDialog
          number={number}
          question={question}
          restore={restore}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  );
}

interface RestoreProps extends Pick<DetailProps, 'question' | 'restore'> {
  number: number;
  onClose: () => void;
}

function RestoreDialog({ number, question, restore, onClose }: RestoreProps) {
  return (
    <Dialog title={t('Restore version {version}?', { version: String(number) })} onClose={onClose}>
      {question}
      <div class="actions">
        <Button
          onClick={async () => {
            await restore();
            onClose();
          }}
        >
          {t('Restore version {version}', { version: String(number) })}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </div>
    </Dialog>
  );
}
