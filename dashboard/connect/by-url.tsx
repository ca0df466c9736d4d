import { useState } from 'preact/hooks';
import { Link } from '../router.tsx';
import { rich, t } from '../texts/index.ts';
import { Choice, Section } from '../ui/index.ts';
import { clientsFor } from './clients.ts';
import { Snippet } from './snippet.tsx';

const MCP_URL = `${location.origin}/mcp`;
const isLocal = /^(localhost|127\.|\[::1\]|10\.|192\.168\.)/.test(location.hostname);

/** The address of the MCP server, and the steps for each agent. */
export function ByUrl() {
  const clients = clientsFor(MCP_URL);
  const [name, setName] = useState(clients[0]?.name ?? '');
  const client = clients.find((each) => each.name === name);
  return (
    <Section
      title={t('Add this URL to your agent')}
      hint={t('It opens your browser. There you log in and choose what the agent can do.')}
    >
      <Snippet text={MCP_URL} label={t('URL')} isMain />
      <Choice
        class="connect-clients"
        label={t('Your agent')}
        value={name}
        options={clients.map((each) => [each.name, each.name])}
        onChoose={setName}
      />
      {client?.isRemote && isLocal && (
        <div class="notice warn">
          <p>
            {t(
              '{client} runs on the internet and cannot reach {host}. Give this server a public https address first.',
              {
                client: client.name,
                host: location.host,
              },
            )}
          </p>
        </div>
      )}
      <ol class="connect-steps">
        {client?.steps.map(({ text, code }) => (
          <li key={text}>
            <p>{text}</p>
            {code && <Snippet text={code} label={t('Text')} />}
          </li>
        ))}
      </ol>
      <p class="hint">
        {rich(
          'Menus of other programs change. <docs>All clients and their settings</docs>, or <token>use a token</token>.',
          {
            docs: (text) => <a href="/docs/agents">{text}</a>,
            token: (text) => <Link href="/connect/token">{text}</Link>,
          },
        )}
      </p>
    </Section>
  );
}
