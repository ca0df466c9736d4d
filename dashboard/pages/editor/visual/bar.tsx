import { t } from '../../../texts/index.ts';
import { Choice, Icon, type IconName, isMac } from '../../../ui/index.ts';
import { isHtml } from '../../files/kind.ts';
import type { EditedPage } from '../work/edited-page.ts';
import type { VisualEditor } from './visual-editor.ts';

interface BarProps {
  visual: VisualEditor;
  work: EditedPage;
  isNarrow: boolean;
  hasColors: boolean;
  onNarrow: (isNarrow: boolean) => void;
  onColors: (hasColors: boolean) => void;
}

/** The tools above the page. While somebody types into it, only what ends that. */
export function VisualBar(props: BarProps) {
  const { visual, work } = props;
  visual.revision;
  const isTyping = visual.isTyping.value;
  return (
    <header class={`visual-bar ${isTyping ? 'typing' : ''}`}>
      <div class="visual-tools">
        <Tool
          icon="undo"
          label={t('Undo')}
          tip={`${t('Undo')} (${isMac ? '⌘' : 'Ctrl-'}Z)`}
          disabled={!visual.steps.canUndo && !isTyping}
          onClick={() => visual.undo()}
        />
        <Tool
          icon="redo"
          label={t('Redo')}
          tip={`${t('Redo')} (${isMac ? '⇧⌘Z' : 'Ctrl-Y'})`}
          disabled={!visual.steps.canRedo}
          onClick={() => visual.redo()}
        />
        <DocumentChoice work={work} />
      </div>
      <p class="visual-hint">{sayWhatToDo(isTyping, visual.isTrying.value)}</p>
      <div class="visual-tools">{isTyping ? <TypingTools visual={visual} /> : <PageTools {...props} />}</div>
    </header>
  );
}

function sayWhatToDo(isTyping: boolean, isTrying: boolean): string {
  if (isTyping) return t('Enter keeps it, Escape takes it back.');
  return isTrying ? t('Try the page as your visitors do.') : t('Click what you want to change.');
}

function TypingTools({ visual }: { visual: VisualEditor }) {
  return (
    <>
      <Tool icon="close" label={t('Take back')} hasWord onClick={() => visual.send({ stop: 'cancelled' })} />
      <Tool icon="check" label={t('Done')} hasWord isMain onClick={() => visual.clear()} />
    </>
  );
}

function PageTools({ visual, isNarrow, hasColors, onNarrow, onColors }: BarProps) {
  const isTrying = visual.isTrying.value;
  return (
    <>
      <Tool
        icon="palette"
        label={t('Colors')}
        hasWord
        isPressed={hasColors}
        onClick={() => onColors(!hasColors)}
      />
      <Tool
        icon="play"
        label={t('Try')}
        hasWord
        isPressed={isTrying}
        onClick={() => visual.setTrying(!isTrying)}
      />
      <Choice
        class="visual-width"
        label={t('Preview width')}
        value={isNarrow}
        options={[
          [true, t('Phone')],
          [false, t('Full')],
        ]}
        onChoose={onNarrow}
      />
    </>
  );
}

interface ToolProps {
  icon: IconName;
  label: string;
  tip?: string;
  onClick: () => void;
  disabled?: boolean;
  hasWord?: boolean;
  isPressed?: boolean;
  isMain?: boolean;
}

function Tool({ icon, label, tip, onClick, disabled, hasWord, isPressed, isMain }: ToolProps) {
  return (
    <button
      type="button"
      class={`bar-button ${isMain ? 'main' : ''}`}
      disabled={disabled}
      // The page keeps the keyboard until the click, which decides what happens to what is typed.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClick}
      {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
      {...(hasWord ? {} : { 'aria-label': label, 'data-tip': tip ?? label })}
    >
      <Icon name={icon} size={17} />
      {hasWord && <span>{label}</span>}
    </button>
  );
}

/** Which document of a site is shown. */
function DocumentChoice({ work }: { work: EditedPage }) {
  const { previewed } = work.open;
  const documents = work.paths().filter(isHtml).sort();
  if (documents.length < 2) return null;
  return (
    <select
      aria-label={t('Document')}
      value={previewed}
      onChange={({ currentTarget }) => work.show(currentTarget.value)}
    >
      {documents.map((path) => (
        <option key={path} value={path}>
          {path}
        </option>
      ))}
    </select>
  );
}
