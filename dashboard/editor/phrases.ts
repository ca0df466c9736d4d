import { EditorState } from '@codemirror/state';
import { t } from '../texts/index.ts';

/** What the editor itself says, by the names that it uses. `$` is a number. */
export const phrases = () =>
  EditorState.phrases.of({
    '$ unchanged lines': t('$ unchanged lines'),
    Completions: t('Completions'),
    'Control character': t('Control character'),
    Diagnostics: t('Diagnostics'),
    'Fold line': t('Fold line'),
    'Folded lines': t('Folded lines'),
    'Go to line': t('Go to line'),
    'No diagnostics': t('No diagnostics'),
    'Selection deleted': t('Selection deleted'),
    'Unfold line': t('Unfold line'),
    'Unfolded lines': t('Unfolded lines'),
    close: t('close'),
    'current match': t('current match'),
    'folded code': t('folded code'),
    go: t('go'),
    'on line': t('on line'),
    'replaced $ matches': t('replaced $ matches'),
    'replaced match on line $': t('replaced match on line $'),
    to: t('to'),
    unfold: t('unfold'),
  });
