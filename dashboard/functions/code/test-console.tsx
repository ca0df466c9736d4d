import { useEffect, useRef, useState } from 'preact/hooks';
import { TEST_AS_NOBODY, TEST_AS_OWNER } from '../../../contract/functions/call-tickets.ts';
import { CodeEditor, type Editor } from '../../editor/index.tsx';
import { t } from '../../texts/index.ts';
import { Button, Select, TextField, useLoad } from '../../ui/index.ts';
import type { FunctionDetail } from '../api.ts';
import type { Modules } from '../modules/index.tsx';
import { AnswerView, StatusBadge } from './answer.tsx';
import { type Call, callFunction, listCalls, listTeam, typed } from './call.ts';

interface ConsoleProps {
  item: FunctionDetail;
  modules: Modules | undefined;
}

/** Calls the function, for its owner or as a visitor of its page, and shows the response. */
export function TestConsole({ item: { slug, page }, modules }: ConsoleProps) {
  const test = useTestConsole(slug, page ? TEST_AS_OWNER : undefined);
  return (
    <section class="fn-pane fn-console" aria-label={t('Test console')}>
      <div class="fn-bar">
        <h2>{t('Test')}</h2>
        <div class="actions">
          {test.running && (
            <Button kind="quiet" onClick={() => test.running?.abort()}>
              {t('Stop')}
            </Button>
          )}
          <Button
            kind="quiet"
            onClick={test.run}
            disabled={test.running !== undefined}
            title={t('Ctrl-Enter or ⌘↵')}
          >
            {test.running ? t('Calling…') : t('Call')}
          </Button>
        </div>
      </div>
      {page && test.as !== undefined && <Visitor pageId={page.id} value={test.as} onChange={test.setAs} />}
      <TextField
        label={t('Query')}
        value={test.query}
        onInput={test.setQuery}
        placeholder="page=2&sort=name"
        mono
      />
      <div class="field">
        <span class="fn-label">{t('Body')}</span>
        <CodeEditor
          label={t('Request body')}
          language="json"
          text={test.body}
          onChange={test.setBody}
          onRun={test.run}
          onReady={test.attach}
        />
        {!isJson(test.body) && <p class="hint">{t('This is not valid JSON. It is sent unchanged.')}</p>}
      </div>
      {test.shown ? (
        <AnswerView key={test.shown.id} call={test.shown} modules={modules} />
      ) : (
        <p class="hint fn-quiet">
          {page
            ? t(
                'Choose Call, or press Ctrl-Enter in the body, to send a POST request to the deployed version, as it comes from a visitor of its page.',
              )
            : t(
                'Choose Call, or press Ctrl-Enter in the body, to send a POST request to the deployed version. The request is sent as you.',
              )}
        </p>
      )}
      {test.calls.length > 1 && <History calls={test.calls} shown={test.shown} onPick={test.pick} />}
    </section>
  );
}

interface VisitorProps {
  pageId: number;
  value: string;
  onChange: (as: string) => void;
}

/** Whom the function sees as the visitor of its page. */
function Visitor({ pageId, value, onChange }: VisitorProps) {
  const team = useLoad((signal) => listTeam(pageId, signal), [pageId]).value ?? [];
  const options = [
    [TEST_AS_OWNER, t('Owner')] as const,
    [TEST_AS_NOBODY, t('Nobody')] as const,
    ...team.map((name) => [name, name] as const),
  ];
  return <Select label={t('As')} {...{ value, options, onChange }} />;
}

function useTestConsole(slug: string, defaultAs: string | undefined) {
  const [calls, setCalls] = useState(() => listCalls(slug));
  const [shown, setShown] = useState<Call | undefined>(calls[0]);
  const [query, setQuery] = useState(typed.get(slug)?.query ?? '');
  const [body, setBody] = useState(typed.get(slug)?.body ?? '{}');
  const [as, setAs] = useState(defaultAs && (typed.get(slug)?.as ?? defaultAs));
  const [running, setRunning] = useState<AbortController>();
  const editor = useRef<Editor>(undefined);
  typed.set(slug, { query, body, as });
  const isMounted = useRef(true);
  useEffect(
    () => () => {
      isMounted.current = false;
    },
    [],
  );

  const run = async () => {
    if (running) return;
    const controller = new AbortController();
    setRunning(controller);
    // The editor may have newer text than `body`: its change event comes later.
    const sent = { query, body: editor.current?.text() ?? body, as };
    const made = await callFunction(slug, sent, controller.signal);
    if (!isMounted.current) return;
    setRunning(undefined);
    setCalls(made);
    setShown(made[0]);
  };
  const pick = (call: Call) => {
    setShown(call);
    setQuery(call.query);
    setAs(defaultAs && (call.as ?? defaultAs));
    editor.current?.setText(call.body);
  };
  const attach = (ready: Editor) => {
    editor.current = ready;
  };
  return { calls, shown, query, setQuery, body, setBody, as, setAs, running, run, pick, attach };
}

function History({
  calls,
  shown,
  onPick,
}: {
  calls: Call[];
  shown: Call | undefined;
  onPick: (call: Call) => void;
}) {
  return (
    <details class="fn-history">
      <summary>{t('Last {count} calls', { count: calls.length })}</summary>
      <ul>
        {calls.map((call) => (
          <li key={call.id}>
            <button type="button" onClick={() => onPick(call)} aria-pressed={call === shown}>
              <StatusBadge call={call} />
              <code>{call.body.replace(/\s+/g, ' ').slice(0, 120) || t('no body')}</code>
              <span class="faint">{t('{ms} ms', { ms: call.durationMs })}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

function isJson(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
