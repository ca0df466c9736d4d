import { useEffect, useRef, useState } from 'preact/hooks';
import { CodeEditor, type Editor } from '../../editor/index.tsx';
import { Button, TextField } from '../../ui/index.ts';
import { AnswerView, StatusBadge } from './answer.tsx';
import { type Call, callFunction, callsOf, typed } from './call.ts';

/** Calls the function as its owner and shows what it answers. */
export function TestConsole({ slug }: { slug: string }) {
  const [calls, setCalls] = useState(() => callsOf(slug));
  const [shown, setShown] = useState<Call | undefined>(calls[0]);
  const [query, setQuery] = useState(typed.get(slug)?.query ?? '');
  const [body, setBody] = useState(typed.get(slug)?.body ?? '{}');
  const [running, setRunning] = useState<AbortController>();
  const editor = useRef<Editor>(undefined);
  typed.set(slug, { query, body });
  const isHere = useRef(true);
  useEffect(
    () => () => {
      isHere.current = false;
    },
    [],
  );

  const run = async () => {
    if (running) return;
    const controller = new AbortController();
    setRunning(controller);
    // The editor knows the last key before we are told of it.
    const sent = { query, body: editor.current?.text() ?? body };
    const made = await callFunction(slug, sent, controller.signal);
    if (!isHere.current) return;
    setRunning(undefined);
    setCalls(made);
    setShown(made[0]);
  };

  const pick = (call: Call) => {
    setShown(call);
    setQuery(call.query);
    editor.current?.setText(call.body);
  };

  return (
    <section class="fn-pane fn-console" aria-label="Test console">
      <div class="fn-bar">
        <h2>Test</h2>
        <div class="actions">
          {running && (
            <Button kind="quiet" onClick={() => running.abort()}>
              Stop
            </Button>
          )}
          <Button kind="quiet" onClick={run} disabled={running !== undefined} title="Ctrl-Enter or ⌘↵">
            {running ? 'Calling…' : 'Call'}
          </Button>
        </div>
      </div>
      <TextField label="Query" value={query} onInput={setQuery} placeholder="page=2&sort=name" mono />
      <div class="field">
        <span class="fn-label">Body</span>
        <CodeEditor
          label="Request body"
          language="json"
          text={body}
          onChange={setBody}
          onRun={run}
          onReady={(ready) => {
            editor.current = ready;
          }}
        />
        {!isJson(body) && <p class="hint">This is no JSON; it is sent as it stands.</p>}
      </div>
      {shown ? (
        <AnswerView key={shown.id} call={shown} />
      ) : (
        <p class="hint fn-quiet">
          Press Call, or Ctrl-Enter in the body, to send a POST. It runs the deployed version, as you.
        </p>
      )}
      {calls.length > 1 && <History calls={calls} shown={shown} onPick={pick} />}
    </section>
  );
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
      <summary>Last {calls.length} calls</summary>
      <ul>
        {calls.map((call) => (
          <li key={call.id}>
            <button type="button" onClick={() => onPick(call)} aria-pressed={call === shown}>
              <StatusBadge call={call} />
              <code>{call.body.replace(/\s+/g, ' ').slice(0, 120) || 'no body'}</code>
              <span class="faint">{call.durationMs} ms</span>
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
