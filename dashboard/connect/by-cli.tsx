import { rich, t } from '../texts/index.ts';
import { Section } from '../ui/index.ts';
import { Snippet } from './snippet.tsx';

/** The command line, for agents that use a terminal. */
export function ByCommandLine() {
  const steps: Array<{ text: string; code: string }> = [
    {
      text: t('Install the command, in a copy of the source of Quire:'),
      code: 'npm install -g .',
    },
    {
      text: t('Log in. It shows a code, and you confirm it in your browser:'),
      code: `quire login ${location.origin}`,
    },
    { text: t('Publish a folder:'), code: 'quire pages push my-folder' },
  ];
  return (
    <Section
      title={t('Use the command line')}
      hint={t('For agents that work in a terminal, and for scripts.')}
    >
      <ol class="connect-steps">
        {steps.map(({ text, code }) => (
          <li key={code}>
            <p>{text}</p>
            <Snippet text={code} label={t('Command')} />
          </li>
        ))}
      </ol>
      <p class="hint">
        {rich(
          'For programs that start an MCP server themselves, the command is <code>quire mcp</code>: it uses the same login. <docs>All commands</docs>',
          {
            code: (text) => <code>{text}</code>,
            docs: (text) => <a href="/docs/command-line">{text}</a>,
          },
        )}
      </p>
    </Section>
  );
}
