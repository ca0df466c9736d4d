import { useState } from 'preact/hooks';
import { MAX_DOMAINS } from '../../../../contract/rules/limits.ts';
import { ApiError } from '../../../api.ts';
import { rich, t } from '../../../texts/index.ts';
import {
  ConfirmByTyping,
  Form,
  type Loaded,
  Section,
  Show,
  Skeleton,
  say,
  TextField,
  useLoad,
} from '../../../ui/index.ts';
import type { PageDetail } from '../../api.ts';
import { addDomain, type Domain, listDomains, removeDomain } from './api.ts';
import { DomainItem } from './item.tsx';

/** The domains of the page: adds, verifies and removes them. */
export function DomainsSection({ page }: { page: PageDetail }) {
  const domains = useLoad((signal) => listDomains(page.id, signal), [page.id]);
  const [removing, setRemoving] = useState<Domain>();
  return (
    <Section
      id="domains"
      title={t('Domains')}
      hint={t('Show the page at a domain of your own. Visitors of its other addresses are redirected there.')}
    >
      <Show loaded={domains} skeleton={<Skeleton lines={3} />}>
        {(list) => (
          <>
            {list.length === 0 ? (
              <p class="hint domains">
                {t('No domains yet. The page is at /p/{slug}.', { slug: page.slug })}
              </p>
            ) : (
              <ul class="domains">
                {list.map((domain) => (
                  <DomainItem
                    key={domain.domain}
                    pageId={page.id}
                    domain={domain}
                    onChanged={domains.reload}
                    onRemove={() => setRemoving(domain)}
                  />
                ))}
              </ul>
            )}
            {list.length < MAX_DOMAINS ? (
              <AddForm page={page} domains={domains} />
            ) : (
              <p class="hint">
                {t('A page can have {max} domains. Remove one to add another.', { max: MAX_DOMAINS })}
              </p>
            )}
          </>
        )}
      </Show>
      {removing && (
        <RemoveDialog
          pageId={page.id}
          domain={removing.domain}
          onClose={() => setRemoving(undefined)}
          onRemoved={async () => {
            setRemoving(undefined);
            say(t('{domain} no longer shows this page.', { domain: removing.domain }));
            await domains.reload();
          }}
        />
      )}
    </Section>
  );
}

interface RemoveProps {
  pageId: number;
  domain: string;
  onClose: () => void;
  onRemoved: () => Promise<void>;
}

function RemoveDialog({ pageId, domain, onClose, onRemoved }: RemoveProps) {
  return (
    <ConfirmByTyping
      title={t('Remove this domain?')}
      phrase={t('remove')}
      submit={t('Remove')}
      onClose={onClose}
      onConfirm={async () => {
        await removeDomain(pageId, domain);
        await onRemoved();
      }}
    >
      <p>
        {rich(
          '<b>{domain}</b> no longer shows this page, and links to it stop working. Another page can then have the domain.',
          { b: (text) => <strong class="domain-name">{text}</strong> },
          { domain },
        )}
      </p>
    </ConfirmByTyping>
  );
}

function AddForm({ page, domains }: { page: PageDetail; domains: Loaded<Domain[]> }) {
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string>();
  const add = async () => {
    setFault(undefined);
    try {
      const { domain } = await addDomain(page.id, name);
      setName('');
      say(t('Added {domain}. Add its DNS records, then verify it.', { domain }));
      await domains.reload();
    } catch (error) {
      const [detail] = error instanceof ApiError ? error.details : [];
      if (!detail) throw error;
      setFault(t('This {fault}.', { fault: detail.message }));
    }
  };
  return (
    <Form submit={t('Add domain')} onSubmit={add} disabled={name.trim() === ''}>
      <TextField
        label={t('Domain')}
        value={name}
        onInput={setName}
        placeholder="www.example.com"
        error={fault}
        mono
      />
    </Form>
  );
}
