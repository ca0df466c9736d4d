import type { Answers, Dialog, Question } from './permission.ts';
import css from './permission-dialog.css' with { type: 'text' };
import type { Self } from './self.ts';
import type { Visitor } from './visitor.ts';

/**
 * A window opens only on the visitor's own click, and cannot be looked into once it shows the service: so the visitor
 * is asked here, decides there, and the call is tried again when they are back.
 */
export function openPermissionDialog(
  { base, slug }: Self,
  visitor: Pick<Visitor, 'ask' | 'goTo'>,
  { retry, cancel }: Answers,
): Dialog {
  const { host: service } = new URL(base);
  const login = `${base}/login?next=${encodeURIComponent(`/p/${slug}`)}`;
  // Without an origin the page has its login from its own document, so that only loading it anew brings one.
  const mustLeave = window.origin === 'null';

  const title = element('h2', { id: 'title' });
  const text = element('p', { id: 'text' });
  const status = element('p', { role: 'status' });
  const leave = element('a', { target: '_blank', rel: 'noopener', autofocus: true });
  const again = element('button', { className: 'main', textContent: 'Try again', onclick: retry });
  const no = element('button', { textContent: 'Cancel', onclick: cancel });
  const buttons = element('div', {}, no, leave, again);
  const dialog = element('dialog', { onclose: cancel }, title, text, status, buttons);
  dialog.setAttribute('aria-labelledby', title.id);
  dialog.setAttribute('aria-describedby', text.id);
  // The page's own shortcuts are not meant for what is typed here.
  dialog.onkeydown = (event) => event.stopPropagation();

  const place = document.createElement('quire-dialog');
  const root = place.attachShadow({ mode: 'closed' });
  // Unlike a style element this works whatever content policy the page has.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  root.append(dialog);

  let asked: Question['kind'] | undefined;
  let hasLeft = false;
  let isTrying = false;
  let hasAskedForLogin = false;
  const comeBack = () => {
    if (hasLeft && document.visibilityState === 'visible') retry();
  };
  addEventListener('focus', comeBack);
  document.addEventListener('visibilitychange', comeBack);

  leave.onclick = (event) => {
    if (asked === 'login' && mustLeave) {
      event.preventDefault();
      visitor.goTo('/login');
      return;
    }
    showLeft(true);
    again.focus();
    status.textContent = 'When you are done, come back here.';
  };

  /** Whoever has been away is more likely to be done than to want there again. */
  function showLeft(isSo: boolean, name = 'Open again'): void {
    hasLeft = isSo;
    leave.textContent = name;
    leave.className = isSo ? '' : 'main';
    again.hidden = !isSo;
  }

  return {
    ask(question) {
      const isNew = question.kind !== asked;
      asked = question.kind;
      if (question.kind === 'login') {
        hasAskedForLogin = true;
        title.textContent = 'Log in to go on.';
        text.textContent = mustLeave
          ? `This page does that for people with an account at ${service}. Logging in leads away from here and back: what you have just asked for is lost, so ask for it again afterwards.`
          : `This page does that for people with an account at ${service}. You log in there, in a new tab.`;
        leave.href = login;
      } else {
        title.textContent = 'This page wants to use your credits.';
        text.textContent = `What it does for you costs credits and is done in your name. You decide how much it may use, at ${service}, in a new tab.`;
        leave.href = question.url;
      }
      if (isNew) {
        showLeft(false, question.kind === 'login' ? 'Log in' : 'Decide in a new tab');
        status.textContent = '';
      } else if (isTrying) {
        status.textContent =
          question.kind === 'login' ? 'You are not logged in yet.' : 'It is not allowed yet.';
      }
      isTrying = false;
      if (dialog.open) {
        // What had the focus may just have gone.
        if (isNew) leave.focus();
        return;
      }
      document.documentElement.append(place);
      dialog.showModal();
    },
    showTrying() {
      isTrying = true;
      status.textContent = 'Trying again…';
    },
    close() {
      removeEventListener('focus', comeBack);
      document.removeEventListener('visibilitychange', comeBack);
      dialog.onclose = null;
      dialog.close();
      place.remove();
      // Somebody else may be looking now, and the other globals are to know.
      if (hasAskedForLogin) visitor.ask().catch(() => undefined);
    },
  };
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: Node[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
