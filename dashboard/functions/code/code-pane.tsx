import { useState } from 'preact/hooks';
import type { FunctionWarning } from '../../../contract/functions/functions.ts';
import { t, translated } from '../../texts/index.ts';
import { Ask, Badge, Button } from '../../ui/index.ts';
import { ModuleDialog, ModuleEditor } from '../modules/index.tsx';
import { type CodeProps, useCode } from './use-code.ts';

/** The code editor of a function. Changes are stored as a draft until they are deployed or discarded. */
export function CodePane(props: CodeProps) {
  const { deployed, item } = props;
  const code = useCode(props);
  const [isAsking, setAsking] = useState(false);
  const live = String(deployed.version);
  return (
    <section class="fn-pane" aria-label={t('Code')}>
      <div class="fn-bar">
        <p>
          <span class="faint">
            {item.takenDown
              ? t('Version {version}', { version: live })
              : t('Version {version} is live', { version: live })}
            {code.isChanged && ' · '}
          </span>
          {code.isChanged && <Badge kind="warn">{t('Not deployed yet')}</Badge>}
        </p>
        <div class="actions">
          {code.isChanged && (
            <Button kind="bare" onClick={() => setAsking(true)}>
              {t('Discard changes')}
            </Button>
          )}
          <Button onClick={code.deploy} disabled={code.isDeploying} title={t('Ctrl-S or ⌘S')}>
            {t('Deploy')}
          </Button>
        </div>
      </div>
      {isAsking && (
        <Ask
          title={t('Discard your changes?')}
          submit={t('Discard')}
          onConfirm={code.discard}
          onClose={() => setAsking(false)}
        >
          {t('The editor returns to version {version}, which is live.', { version: live })}
        </Ask>
      )}
      {code.isChanged && code.base !== deployed.version && (
        <div class="notice warn" role="status">
          <p>
            {t(
              'Your changes are based on version {base}, but version {version} has been deployed since. If you deploy, your code replaces it.',
              { base: String(code.base), version: live },
            )}
          </p>
        </div>
      )}
      {code.failure && (
        <div class="notice bad" role="alert">
          <p>{code.failure.message}</p>
        </div>
      )}
      <Warnings warnings={code.warnings} />
      <ModuleEditor modules={code.modules} isUnsaved={code.isUnsaved} onSave={code.deploy} />
      <ModuleDialog modules={code.modules} />
    </section>
  );
}

/** What may fail in calls of code that was deployed. */
function Warnings({ warnings }: { warnings: FunctionWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <div class="notice warn" role="status">
      {warnings.map(({ file, line, message, text = message, values }, at) => (
        <p key={at}>
          {line !== undefined && (
            <strong>
              {file !== undefined && `${file}, `}
              {t('Line {line}', { line: String(line) })}:{' '}
            </strong>
          )}
          {translated({ text, values })}
        </p>
      ))}
    </div>
  );
}
