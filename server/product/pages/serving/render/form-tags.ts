import { FORM_NAME } from '../../../../../contract/forms/limits.ts';
import { readAttributes, walkTags } from './tags.ts';

/** The first letters of `form`, and of elements whose content is text. */
const LETTERS = new Set([...'fstxinp'].map((letter) => letter.charCodeAt(0)));
const MARK = 'data-quire-form';
/** The most forms that get an action. A document of forms only would become four times as long. */
export const MAX_CONNECTED = 1_000;

/**
 * Gives forms that are marked with `data-quire-form="<name>"` their action, so that they work without script. Of
 * attributes with the same name the first counts, so these come first. The path is the same on every host of the page.
 */
export function connectForms(html: string, pageId: number): string {
  // Return early, because most pages have no marked forms.
  if (!html.includes(MARK)) return html;
  const pieces: string[] = [];
  let done = 0;
  let connected = 0;
  walkTags(
    html,
    (tag) => {
      if (tag.name !== 'form' || connected >= MAX_CONNECTED) return;
      const name =
        [...readAttributes(html, tag)].find((attribute) => attribute.name === MARK)?.value.trim() ?? '';
      if (!FORM_NAME.test(name)) return;
      const at = tag.at + '<form'.length;
      const action = `/api/pages/${pageId}/forms/${name}`;
      pieces.push(html.slice(done, at), ` action="${action}" method="post" enctype="multipart/form-data"`);
      done = at;
      connected++;
    },
    LETTERS,
  );
  return pieces.join('') + html.slice(done);
}
