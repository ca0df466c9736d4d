import { MAIN_MODULE as MAIN } from '../../../contract/rules/function-names.ts';
import { chooseLanguage } from '../../editor/files/index.ts';
import { CodeEditor } from '../../editor/index.tsx';
import { t } from '../../texts/index.ts';
import type { Modules } from './modules.ts';
import { ModulePanel } from './panel.tsx';

export { ModuleDialog } from './dialogs.tsx';
export { Modules } from './modules.ts';
export { fromSources, isSame, type Sources, toSources } from './sources.ts';

interface Props {
  modules: Modules;
  isUnsaved: (path: string) => boolean;
  onSave: () => void;
}

/** The list of a function's modules beside the one that is edited. */
export function ModuleEditor({ modules, isUnsaved, onSave }: Props) {
  const current = modules.current.value;
  return (
    <div class="fn-modules">
      <ModulePanel modules={modules} isUnsaved={isUnsaved} />
      {modules.opened.value.map((path) => (
        <div key={path} class="fn-module" hidden={path !== current}>
          <CodeEditor
            label={path === MAIN ? t('Code') : path}
            language={chooseLanguage(path)}
            text={modules.sources.value[path] ?? ''}
            onChange={(text) => modules.change(path, text)}
            onSave={onSave}
            onReady={(editor) => modules.attach(path, editor)}
            fileNames={{ path, all: () => modules.paths() }}
          />
        </div>
      ))}
    </div>
  );
}
