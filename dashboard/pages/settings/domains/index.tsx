import { useState } from 'preact/hooks';
import { MAX_DOMAINS } from '../../../../contract/rules/limits.ts';
import { ApiError } from '../../../api.ts';
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
      title="Domains"
      hint="Show the page at a domain of your own. Visitors of its other addresses are redirected there."
    >
      <Show loaded={domains} skeleton={<Skeleton lines={3} />}>
        {(list) => (
          <>
            {list.length === 0 ? (
              <p class="hint domains">No domains yet. The page is at /p/{page.slug}.</p>
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
              <p class="hint">A page can have {MAX_DOMAINS} domains. Remove one to add another.</p>
            )}
          </>
        )}
      </Show>
      {removing && (
        <ConfirmByTyping
          title="Remove this domain?"
          phrase="remove"
          submit="Remove"
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            const { message } = await removeDomain(page.id, removing.domain);
            setRemoving(undefined);
            say(message);
            await domains.reload();
          }}
        >
          <p>
            <strong class="domain-name">{removing.domain}</strong> no longer shows this page, and links to it
            stop working. Another page can then have the domain.
          </p>
        </ConfirmByTyping>
      )}
    </Section>
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
      say(`Added ${domain}. Add its DNS records, then verify it.`);
      await domains.reload();
    } catch (error) {
      const [detail] = error instanceof ApiError ? error.details : [];
      if (!detail) throw error;
      setFault(`This ${detail.message}.`);
    }
  };
  return (
    <Form submit="Add domain" onSubmit={add} disabled={name.trim() === ''}>
      <TextField
        label="Domain"
        value={name}
        onInput={setName}
        placeholder="www.example.com"
        error={fault}
        mono
      />
    </Form>
  );
}
