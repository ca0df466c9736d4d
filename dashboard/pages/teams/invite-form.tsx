import { useState } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { t } from '../../texts/index.ts';
import { Button, Copyable, Form, formatMoment, type Loaded, Select, say, TextField } from '../../ui/index.ts';
import { splitAddresses } from './addresses.ts';
import {
  createInvite,
  type GrantableRole,
  type InviteList,
  type Role,
  sendInvite,
  type TeamPage,
} from './api.ts';
import { grantableBy, ROLES, roleInSentence } from './roles.ts';

interface Props {
  page: TeamPage;
  mine: Role;
  invites: Loaded<InviteList>;
}

type Made = Awaited<ReturnType<typeof createInvite>> & { email?: string; isMailed?: boolean };

/** What an invite allows. */
interface Terms {
  role: GrantableRole;
  days: string;
  uses: string;
}

type Faults = Record<string, string>;

/** Makes an invite link with one click, or sends invites if this server sends mail. */
export function InviteForm({ page, mine, invites }: Props) {
  const [terms, setTerms] = useState<Terms>({ role: 'member', days: '7', uses: '' });
  const [made, setMade] = useState<Made[]>([]);
  const [faults, setFaults] = useState<Faults>({});
  const wish = () => ({
    role: terms.role,
    expiresInDays: Number(terms.days),
    ...(terms.uses.trim() && { maxUses: Number(terms.uses) }),
  });
  /** Runs what makes invites, and shows the faults in the terms beside their fields. */
  const attempt = async (work: () => Promise<Made[]>) => {
    setFaults({});
    setMade([]);
    try {
      setMade(await work());
    } catch (error) {
      if (!(error instanceof ApiError) || error.details.length === 0) throw error;
      setFaults(wordsFor(error));
      return;
    }
    await invites.reload();
  };
  const makeLink = () =>
    attempt(async () => {
      const link = await createInvite(page.id, wish());
      // Where the browser does not allow it, the person copies the link that is shown.
      await navigator.clipboard
        .writeText(link.inviteUrl)
        .then(() => say(t('{label} copied.', { label: t('Link') })))
        .catch(() => undefined);
      return [link];
    });
  const shown = made.filter((each) => isOpen(each, invites));
  return (
    <div class="team-inviting">
      <div class="team-one-click">
        <Button onClick={makeLink}>{t('Copy invite link')}</Button>
        <p class="hint">{sayTerms(terms)}</p>
      </div>
      <TermsFields {...{ mine, terms, setTerms, faults }} />
      {invites.value?.sendsMail && (
        <ByMail
          send={(email) => sendInvite(page.id, { ...wish(), email })}
          onSend={attempt}
          fault={faults.email}
        />
      )}
      {shown.length > 0 && <MadeInvites made={shown} />}
    </div>
  );
}

/**
 * Whether an invite that was just made can still be used. The response has no id. While the list cannot be loaded, the
 * link stays, because it is not shown again.
 */
function isOpen(made: Made, invites: Loaded<InviteList>): boolean {
  const isListed = invites.value?.invites.some(
    (each) => each.role === made.role && each.expiresAt === made.expiresAt,
  );
  return isListed || invites.isLoading || invites.error !== undefined;
}

const sayTerms = ({ role, days }: Terms) =>
  t('Anyone who opens it within {days|a day|{days} days} joins as {role}.', {
    days: Number(days),
    role: roleInSentence(role),
  });

interface TermsProps {
  mine: Role;
  terms: Terms;
  setTerms: (terms: Terms) => void;
  faults: Faults;
}

function TermsFields({ mine, terms, setTerms, faults }: TermsProps) {
  const { role, days, uses } = terms;
  const hasFault = faults.expiresInDays !== undefined || faults.maxUses !== undefined;
  return (
    <details class="team-details" {...(hasFault && { open: true })}>
      <summary>{t('Details')}</summary>
      <div class="team-invite">
        <Select
          label={t('Role')}
          value={role}
          options={grantableBy(mine)}
          onChange={(chosen) => setTerms({ ...terms, role: chosen })}
        />
        <TextField
          label={t('Expires after (days)')}
          type="number"
          value={days}
          onInput={(typed) => setTerms({ ...terms, days: typed })}
          error={faults.expiresInDays}
        />
        <TextField
          label={t('Can be used')}
          type="number"
          value={uses}
          onInput={(typed) => setTerms({ ...terms, uses: typed })}
          placeholder={t('No limit')}
          error={faults.maxUses}
        />
      </div>
      <p class="hint">{ROLES.find((known) => known.role === role)?.may}</p>
    </details>
  );
}

interface ByMailProps {
  send: (email: string) => Promise<Made>;
  onSend: (work: () => Promise<Made[]>) => Promise<void>;
  fault: string | undefined;
}

/** Sends invites to one or several addresses. Those that could not be sent stay in the field. */
function ByMail({ send, onSend, fault }: ByMailProps) {
  const [text, setText] = useState('');
  const addresses = splitAddresses(text);
  const sendAll = () =>
    onSend(async () => {
      const sent: Made[] = [];
      try {
        for (const email of addresses) sent.push(await send(email));
      } catch (error) {
        // Those before it have their invite already.
        if (sent.length === 0) throw error;
        say((error as Error).message, 'bad');
      }
      setText(addresses.slice(sent.length).join('\n'));
      return sent;
    });
  return (
    <Form
      submit={t('{count|Send invite|Send {count} invites}', { count: Math.max(1, addresses.length) })}
      onSubmit={sendAll}
      disabled={addresses.length === 0}
    >
      <TextField
        label={t('Or send it by e-mail')}
        hint={t('One or several addresses.')}
        value={text}
        onInput={setText}
        error={fault}
        rows={2}
      />
    </Form>
  );
}

/** What is wrong with each field. */
function wordsFor({ details }: ApiError): Faults {
  return Object.fromEntries(
    details.map(({ path, message }) => [path, t('This {fault}.', { fault: message })]),
  );
}

function MadeInvites({ made }: { made: Made[] }) {
  const onTheWay = made.filter(({ isMailed }) => isMailed);
  const toCopy = made.filter(({ isMailed }) => !isMailed);
  return (
    <div class="notice good team-made" role="status">
      {onTheWay.length > 0 && (
        <p>
          {t('{count|The invite is|{count} invites are} on {count|its|their} way to {names}.', {
            count: onTheWay.length,
            names: onTheWay.map(({ email }) => email).join(', '),
          })}
        </p>
      )}
      {toCopy.map(({ inviteUrl, email }) => (
        <div key={inviteUrl}>
          <Copyable text={inviteUrl} label={t('Link')} />
          {email && (
            <p>
              {t(
                'The invite was not sent to {email}, because there was too much mail today. Send the link yourself.',
                { email },
              )}
            </p>
          )}
        </div>
      ))}
      {toCopy[0] && (
        <p>
          {t('Invites people as {role} until {date}. Copy it now: you cannot see it again.', {
            role: roleInSentence(toCopy[0].role),
            date: formatMoment(toCopy[0].expiresAt),
          })}
        </p>
      )}
    </div>
  );
}
