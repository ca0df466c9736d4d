import { Badge, formatBytes, formatNumber } from '../../ui/index.ts';
import { Entry } from '../logs/entry.tsx';
import { type Answer, type Call, pretty } from './call.ts';

/** The response of a function. It may contain anything, so it is always shown as plain text. */
export function AnswerView({ call }: { call: Call }) {
  const { outcome } = call;
  return (
    <div class="fn-answer" role="status" aria-label="Response">
      <p class="fn-outcome">
        <StatusBadge call={call} />
        <span>{formatNumber(call.durationMs)} ms</span>
        {'status' in outcome && <span>{formatBytes(outcome.bytes)}</span>}
      </p>
      {'failure' in outcome ? (
        <div class="notice bad">
          <p>{outcome.failure}</p>
        </div>
      ) : (
        <>
          <details>
            <summary>{outcome.headers.length} headers</summary>
            <dl class="fn-headers">
              {outcome.headers.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </details>
          <Body answer={outcome} />
          <Insight answer={outcome} />
        </>
      )}
    </div>
  );
}

function Body({ answer }: { answer: Answer }) {
  if (answer.bytes === 0) return <p class="hint">No body.</p>;
  if (answer.text === undefined) return <p class="hint">The body is not text, so it is not shown.</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre class="fn-body" tabIndex={0}>
        {pretty(answer.text)}
      </pre>
      {answer.isCut && <p class="hint">Only the first {formatBytes(answer.bytes)} are shown.</p>}
    </>
  );
}

/** What callers do not see: what the function threw and printed. */
function Insight({ answer: { exception, logs, areLogsCut } }: { answer: Answer }) {
  return (
    <>
      {exception !== undefined && (
        <section aria-label="Exception">
          <h3 class="fn-label">Exception</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <pre class="fn-body fn-exception" tabIndex={0}>
            {exception}
          </pre>
        </section>
      )}
      {logs.length > 0 && (
        <section aria-label="Log of this call">
          <h3 class="fn-label">Log of this call</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <div class="fn-call-log" tabIndex={0}>
            <ol>
              {logs.map((entry, at) => (
                <Entry key={at} entry={{ ...entry, id: at, status: null, durationMs: null }} />
              ))}
            </ol>
          </div>
          {areLogsCut && <p class="hint">The call printed more. See the log.</p>}
        </section>
      )}
      {(exception !== undefined || logs.length > 0) && (
        <p class="hint">Only you see this. Callers get only the response.</p>
      )}
    </>
  );
}

export function StatusBadge({ call: { outcome } }: { call: Call }) {
  if ('failure' in outcome) return <Badge kind="bad">No response</Badge>;
  const { status } = outcome;
  return <Badge kind={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{status}</Badge>;
}
