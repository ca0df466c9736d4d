import { useId, useState } from 'preact/hooks';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import type { OldSlug } from '../../../contract/pages/old-slugs.ts';
import { call } from '../../api.ts';
import { rich, t } from '../../texts/index.ts';
import { Button, ConfirmDialog, Failure, formatDate, formatMoment, say, useLoad } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';

/** Most pages have fewer. The others are shown on demand. */
const SHOWN = 5;

/** The addresses that the page had before. Shows nothing if there are none. */
export function OldAddresses({ page }: { page: PageDetail }) {
  const id = useId();
  // A page that gets another slug leaves an old one.
  const loaded = useLoad(
    async (signal) => (await call(pageEndpoints.listOldSlugs, { params: { id: page.id }, signal })).slugs,
    [page.id, page.slug],
  );
  const [isOpen, setOpen] = useState(false);
  const [leaving, setLeaving] = useState<string>();
  const giveUp = async (slug: string) => {
    await call(pageEndpoints.giveUpSlug, { params: { id: page.id, slug } });
    setLeaving(undefined);
    say(t('/p/{slug} no longer leads to this page.', { slug }));
    await loaded.reload();
  };
  const { value: all = [], error } = loaded;
  if (error) return <Failure error={error} retry={loaded.reload} />;
  if (all.length === 0) return null;
  return (
    <div class="old-addresses">
      <h3 id={id}>{t('Old addresses')}</h3>
      <ul aria-labelledby={id}>
        {(isOpen ? all : all.slice(0, SHOWN)).map((old) => (
          <OldAddress
            key={old.slug}
            old={old}
            {...(page.role === 'owner' && { onGiveUp: () => setLeaving(old.slug) })}
          />
        ))}
      </ul>
      {!isOpen && all.length > SHOWN && (
        <Button kind="bare" onClick={() => setOpen(true)}>
          {t('Show all {count}', { count: all.length })}
        </Button>
      )}
      {leaving !== undefined && (
        <GiveUpDialog
          slug={leaving}
          onConfirm={() => giveUp(leaving)}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </div>
  );
}

function OldAddress({ old: { slug, reserved_until }, onGiveUp }: { old: OldSlug; onGiveUp?: () => void }) {
  const tags = {
    code: (text: string) => <code>{text}</code>,
    when: (text: string) => <time title={formatMoment(reserved_until)}>{text}</time>,
  };
  return (
    <li>
      <span>
        {rich('<code>/p/{slug}</code> leads here until <when>{date}</when>', tags, {
          slug,
          date: formatDate(reserved_until),
        })}
      </span>
      {onGiveUp && (
        <Button kind="bare" label={t('Give up /p/{slug}', { slug })} onClick={onGiveUp}>
          {t('Give up')}
        </Button>
      )}
    </li>
  );
}

interface DialogProps {
  slug: string;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

function GiveUpDialog({ slug, onConfirm, onClose }: DialogProps) {
  return (
    <ConfirmDialog
      title={t('Give up this address?')}
      action={t('Give up')}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        {rich(
          'Links to <code>/p/{slug}</code> stop working, and other people can then use the address for their pages.',
          { code: (text) => <code>{text}</code> },
          { slug },
        )}
      </p>
    </ConfirmDialog>
  );
}
