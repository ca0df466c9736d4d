import { isolateHistory, redo, redoDepth, undo, undoDepth } from '@codemirror/commands';
import { SQLite, schemaCompletionSource } from '@codemirror/lang-sql';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, Prec, Transaction } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { completeFileNames, type FileNames } from './file-names.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { DIFF_LIMITS, type LineChanges, lineChanges, withFinalNewline } from './line-changes.ts';
import { phrases } from './phrases.ts';
import { searchPanel } from './search/panel.ts';

/** The editor itself. A separate chunk, loaded when the first editor is shown. */

/** An error or a warning at a position in the text. Lines and columns start at 1. */
export interface Fault {
  line: number;
  column?: number;
  message: string;
  severity?: 'error' | 'warning';
}

export interface Editor {
  text(): string;
  setText(text: string): void;
  /** The text as positions count it: with one character for each line break. */
  source(): string;
  /** Replaces parts of the text. One step to undo, or none. */
  change(changes: Array<{ from: number; to: number; insert: string }>, isStep: boolean): void;
  undo(): void;
  redo(): void;
  /** How many steps can be undone and done again. */
  steps(): { undo: number; redo: number };
  /** What is selected, as positions in the text. Both are the cursor if nothing is. */
  selection(): { from: number; to: number };
  /** The differences between the first text and `original`. */
  changes: LineChanges;
  /** Marks these positions, and no others. */
  mark(faults: Fault[]): void;
  /** The same, and moves the cursor to the first. */
  showFaults(faults: Fault[]): void;
  /** Puts a text in the place of the selection, as a separate step to undo. */
  insert(text: string): void;
  /** Moves the cursor there and shows it. */
  goTo(line: number, column?: number): void;
  focus(): void;
  destroy(): void;
}

export interface EditorOptions {
  parent: HTMLElement;
  text: string;
  language: Language;
  /** The name for screen readers. */
  label: string;
  onChange?: (text: string) => void;
  /** Ctrl-S or Cmd-S. */
  onSave?: () => void;
  /** Ctrl-Enter or Cmd-Enter. */
  onRun?: () => void;
  isReadOnly?: boolean;
  /** Shows the differences to this text, unless it is empty or the same. */
  original?: string;
  /** Completes the names of these files. */
  fileNames?: FileNames;
  /** Completes the names of these tables, and their columns, in SQL. */
  tables?: Record<string, string[]>;
}

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-value)' },
  { tag: [tags.comment, tags.meta, tags.documentMeta], color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.tagName, tags.typeName, tags.className], color: 'var(--accent)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'var(--code-name)' },
  { tag: [tags.function(tags.variableName), tags.definition(tags.variableName)], color: 'var(--code-name)' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.link, textDecoration: 'underline' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--sheet)', color: 'var(--ink)', fontSize: '13.5px' },
  // The focus outline is around the whole field instead, because the gutters would cover it.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'var(--sheet)', color: 'var(--faint)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in oklab, var(--line), transparent 55%)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklab, var(--accent), transparent 75%) !important',
  },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in oklab, var(--warn), transparent 72%)' },
  '.cm-searchMatch-selected': {
    backgroundColor: 'color-mix(in oklab, var(--warn), transparent 40%) !important',
  },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in oklab, var(--accent), transparent 86%)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--line) !important',
    color: 'var(--ink) !important',
  },
  '.cm-completionIcon': { display: 'none' },
  '.cm-panels, .cm-tooltip': {
    backgroundColor: 'var(--paper)',
    color: 'var(--ink)',
    borderColor: 'var(--line)',
  },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--good-sheet)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-sheet)' },
  // On their own backgrounds, the colors of code would be hard to read.
  '.cm-changedLine .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'none !important',
    textDecoration: 'underline 1px var(--faint)',
    textUnderlineOffset: '3px',
  },
  '.cm-collapsedLines': { background: 'var(--line)', color: 'var(--ink)' },
});

export function createEditor(options: EditorOptions): Editor {
  const { original = '' } = options;
  const changes = lineChanges(original, options.text);
  const showsChanges = original !== '' && changes.added + changes.removed > 0;
  // Each line break is one character here. Those of the text come back when it is read.
  let lineBreak = findLineBreak(options.text);
  const read = (state: EditorState) => state.doc.toString().replaceAll('\n', lineBreak);
  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({
      doc: showsChanges ? withFinalNewline(options.text) : options.text,
      extensions: [
        Prec.highest(keymap.of(keys(options))),
        basicSetup,
        searchPanel(),
        phrases(),
        LANGUAGES[options.language],
        options.fileNames ? namesOfFiles(options.fileNames) : [],
        options.tables ? SQLite.language.data.of({ autocomplete: completeTables(options.tables) }) : [],
        syntaxHighlighting(colors),
        theme,
        lintGutter(),
        EditorView.lineWrapping,
        // Read-only texts scroll too, so the keyboard must reach them.
        EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0' }),
        EditorView.cspNonce.of(nonce()),
        options.isReadOnly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [],
        showsChanges ? viewOfChanges(original) : [],
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange?.(read(update.state));
        }),
      ],
    }),
  });
  const mark = (faults: Fault[]) => markFaults(view, faults);
  return {
    text: () => read(view.state),
    changes,
    setText: (text) => {
      lineBreak = findLineBreak(text);
      change(view, [{ from: 0, to: view.state.doc.length, insert: text }], true);
    },
    source: () => view.state.doc.toString(),
    change: (changed, isStep) => change(view, changed, isStep),
    undo: () => void undo(view),
    redo: () => void redo(view),
    steps: () => ({ undo: undoDepth(view.state), redo: redoDepth(view.state) }),
    insert: (text) => insert(view, text),
    mark,
    showFaults(faults) {
      mark(faults);
      const [first] = faults;
      if (first) goTo(view, first);
    },
    selection: () => readSelection(view),
    goTo: (line, column) => goTo(view, { line, ...(column !== undefined && { column }) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/** Texts from other systems keep their line breaks, if they have only one kind. */
const findLineBreak = (text: string) =>
  /\r\n/.test(text) && !/[^\r]\n|^\n|\r(?!\n)/.test(text) ? '\r\n' : '\n';

/** A step is separate, not merged with what was just typed. */
const change = (view: EditorView, changes: Parameters<Editor['change']>[0], isStep: boolean) =>
  view.dispatch({
    changes,
    annotations: isStep ? isolateHistory.of('full') : Transaction.addToHistory.of(false),
  });

function insert(view: EditorView, text: string): void {
  view.dispatch(view.state.replaceSelection(text), { annotations: isolateHistory.of('full') });
  view.focus();
}

function markFaults(view: EditorView, faults: Fault[]): void {
  const found = faults.map((fault) => diagnostic(view, fault));
  view.dispatch(setDiagnostics(view.state, found));
}

function readSelection(view: EditorView) {
  const { from, to } = view.state.selection.main;
  return { from, to };
}

const completeTables = (tables: Record<string, string[]>) =>
  schemaCompletionSource({ dialect: SQLite, schema: tables });

const namesOfFiles = (names: FileNames) => {
  const data = [{ autocomplete: completeFileNames(names) }];
  return EditorState.languageData.of(() => data);
};

const viewOfChanges = (original: string) =>
  unifiedMergeView({
    original: withFinalNewline(original),
    diffConfig: DIFF_LIMITS,
    mergeControls: false,
    collapseUnchanged: { margin: 3, minSize: 6 },
  });

function keys({ onSave, onRun }: EditorOptions) {
  const binding = (key: string, act: (() => void) | undefined) =>
    act
      ? [
          {
            key,
            preventDefault: true,
            run() {
              act();
              return true;
            },
          },
        ]
      : [];
  return [...binding('Mod-s', onSave), ...binding('Mod-Enter', onRun)];
}

function goTo(view: EditorView, place: Pick<Fault, 'line' | 'column'>): void {
  const { from } = toSpan(view, place);
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
  view.focus();
}

function diagnostic(view: EditorView, { message, severity = 'error', ...place }: Fault): Diagnostic {
  return { ...toSpan(view, place), severity, message };
}

/** From a position to the end of its line. */
function toSpan(view: EditorView, { line, column = 1 }: Pick<Fault, 'line' | 'column'>) {
  const { doc } = view.state;
  const at = doc.line(Math.min(Math.max(1, line), doc.lines));
  return { from: Math.min(at.from + Math.max(0, column - 1), at.to), to: at.to };
}

/** The content security policy allows only styles with this nonce. */
const nonce = () => document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? '';
