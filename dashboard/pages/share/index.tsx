import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { ACCESS_NAMES, Button, Empty, Icon } from '../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../api.ts';

import { useAddress } from './address.ts';
import { canShare, copyAddress, shareAddress } from './copy.ts';
import { FirstVisitor } from './first-visitor.tsx';
import { LinkCard } from './link-card.tsx';
import { LivePage } from './live-page.tsx';
import { NextSteps } from './next-steps.tsx';
import { QrCode } from './qr.tsx';

interface ShareProps {
  page: PageDetail;
  onChange: (page: PageDetail) => void;
}

/** The published page with everything that is needed to show it to others. Opens after the first publish. */
export function ShareScreen({ page, onChange }: ShareProps) {
  if (!page.is_published || page.taken_down) return <NotLive page={page} />;
  return <Shared page={page} onChange={onChange} />;
}

function Shared({ page, onChange }: ShareProps) {
  const address = useAddress(page);
  return (
    <div class="share-stage">
      <LivePage page={page} address={address} />
      <Sheet page={page} onChange={onChange} address={address} />
    </div>
  );
}

function Sheet({ page, onChange, address }: ShareProps & { address: string }) {
  // Only on a phone: there the page comes first, and the sheet shows its head.
  const [isOpen, setOpen] = useState(false);
  return (
    <aside class={`share-sheet ${isOpen ? 'open' : ''}`} aria-labelledby="share-title">
      <div class="share-head">
        <button
          type="button"
          class="share-handle"
          aria-expanded={isOpen}
          aria-label={isOpen ? t('Show less') : t('Show more')}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'chevron-down' : 'chevron-up'} />
        </button>
        <h2 id="share-title">
          <span class="share-check" aria-hidden="true">
            <Icon name="check" size={18} />
          </span>
          <span>{t('Your page is live')}</span>
        </h2>
        <Audience page={page} />
        <Address page={page} address={address} />
      </div>
      <div class="share-more">
        <FirstVisitor pageId={page.id} />
        <QrCode address={address} name={page.slug} />
        <LinkCard page={page} address={address} onPicture={onChange} />
        <NextSteps page={page} />
      </div>
    </aside>
  );
}

/** The address in large type, and what to do with it. */
function Address({ page, address }: { page: PageDetail; address: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = async () => setCopied(await copyAddress(address, field.current));
  return (
    <>
      <input
        ref={field}
        class="share-address"
        readOnly
        value={address.replace(/^https?:\/\//, '')}
        aria-label={t('The address of the page')}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onCopy={(event) => {
          // The field leaves out the beginning, which a link needs.
          event.preventDefault();
          event.clipboardData?.setData('text/plain', address);
        }}
      />
      <div class="share-actions">
        <Button icon={isCopied ? 'check' : 'copy'} onClick={copy}>
          {isCopied ? t('Copied') : t('Copy')}
        </Button>
        {canShare && (
          <Button kind="quiet" icon="share" onClick={() => shareAddress(address, page.name)}>
            {t('Share')}
          </Button>
        )}
        <a class="button quiet" href={address} target="_blank" rel="noopener">
          <Icon name="external" size={18} />
          {t('Open it')}
        </a>
      </div>
    </>
  );
}

/** Says who can open the address, if not everyone can. */
function Audience({ page: { id, access } }: { page: PageDetail }): ComponentChildren {
  if (access.mode === 'public') return null;
  return (
    <p class="share-audience">
      <Icon name="lock" size={16} />
      <span>{t('Who can open it: {people}', { people: ACCESS_NAMES[access.mode] })}</span>
      <Link href={toPageScreen(id, 'settings')}>{t('Change')}</Link>
    </p>
  );
}

/** There is nothing to share yet. */
function NotLive({ page }: { page: PageDetail }) {
  return (
    <Empty
      title={page.taken_down ? t('This page is taken down') : t('This page is not published')}
      icon="globe"
      action={<Link href={toPageScreen(page.id)}>{t('Go to the editor')}</Link>}
    >
      {page.taken_down ? t('Nobody can open it at the moment.') : t('Publish it, then share its address.')}
    </Empty>
  );
}
