import { t } from '../../texts/index.ts';
import { Badge, formatBytes } from '../../ui/index.ts';
import { Entry } from '../logs/entry.tsx';
import type { Modules } from '../modules/index.tsx';
import { type Call, type CallResponse, pretty } from './call.ts';
import { Thrown } from './thrown.tsx';

/** The response of a function. It may contain anything, so it is always shown as plain text. */
export function AnswerView({ call, modules }: { call: Call; modules: Modules | undefined }) {
  const { outcome } = call;
  return (
    <div class="fn-answer" role="status" aria-label={t('Response')}>
      <p class="fn-outcome">
        <StatusBadge call={call} />
        <span>{t('{ms} ms', { ms: call.durationMs })}</span>
        {'status' in outcome && <span>{formatBytes(outcome.bytes)}</span>}
      </p>
      {'failure' in outcome ? (
        <div class="notice bad">
          <p>{outcome.failure}</p>
        </div>
      ) : (
        <Outcome answer={outcome} modules={modules} />
      )}
    </div>
  );
}

/** What only the owner sees comes first: after a failure it is what they look for. */
function Outcome({ answer, modules }: { answer: CallResponse; modules: Modules | undefined }) {
  const { exception, logs, headers } = answer;
  const hasMore = exception !== undefined || logs.length > 0;
  return (
    <>
      {exception !== undefined && (
        <Thrown
          stack={exception}
          files={modules?.paths() ?? []}
          onShow={(place) => modules?.showFault(place)}
        />
      )}
      <CallLog answer={answer} />
      {hasMore && (
        <>
          <p class="hint">{t('Only you see this. Callers get only the response.')}</p>
          <h3 class="fn-label">{t('Response')}</h3>
        </>
      )}
      <details>
        <summary>{t('{count|One header|{count} headers}', { count: headers.length })}</summary>
        <dl class="fn-headers">
          {headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      <Body answer={answer} />
    </>
  );
}

function Body({ answer }: { answer: CallResponse }) {
  if (answer.bytes === 0) return <p class="hint">{t('No body.')}</p>;
  if (answer.text === undefined) return <p class="hint">{t('The body is not text, so it is not shown.')}</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre class="fn-body" tabIndex={0}>
        {pretty(answer.text)}
      </pre>
      {answer.isCut && (
        <p class="hint">{t('Only the first {size} are shown.', { size: formatBytes(answer.bytes) })}</p>
      )}
    </>
  );
}

function CallLog({ answer: { logs, areLogsCut } }: { answer: CallResponse }) {
  if (logs.length === 0) return null;
  return (
    <section aria-label={t('Log of this call')}>
      <h3 class="fn-label">{t('Log of this call')}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="fn-call-log" tabIndex={0}>
        <ol>
          {logs.map((entry, at) => (
            <Entry key={at} isOpen entry={{ ...entry, id: at, status: null, durationMs: null }} />
          ))}
        </ol>
      </div>
      {areLogsCut && <p class="hint">{t('The call printed more. See the log.')}</p>}
    </section>
  );
}

export function StatusBadge({ call: { outcome } }: { call: Call }) {
  if ('failure' in outcome) return <Badge kind="bad">{t('No response')}</Badge>;
  const { status } = outcome;
  return <Badge kind={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{status}</Badge>;
}
