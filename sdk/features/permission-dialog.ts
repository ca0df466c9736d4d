import type { Self } from '../self.ts';
import type { Visitor } from '../visitor.ts';
import type { Answers, Dialog, Question } from './permission.ts';
import css from './permission-dialog.css' with { type: 'text' };

/**
 * Asks the visitor to log in or to consent. A window opens only on a click of the visitor, and its content is not
 * accessible while it shows the service. So the dialog asks, the visitor decides in a new tab, and the call is tried
 * again when they return.
 */
export class PermissionDialog implements Dialog {
  private readonly title = element('h2', { id: 'title' });
  private readonly text = element('p', { id: 'text' });
  private readonly status = element('p', { role: 'status' });
  private readonly link = element('a', { target: '_blank', rel: 'noopener', autofocus: true });
  private readonly again = element('button', { className: 'main', textContent: 'Try again' });
  private readonly dialog = element('dialog', {});
  private readonly host = document.createElement('quire-dialog');
  private asked: Question['kind'] | undefined;
  private hasLeft = false;
  private isTrying = false;
  private hasAskedForLogin = false;
  /** In sandbox isolation the document carries the login, so the page must be loaded again to get one. */
  private readonly mustReload = window.origin === 'null';

  constructor(
    private readonly self: Self,
    private readonly visitor: Pick<Visitor, 'ask' | 'goTo'>,
    private readonly answers: Answers,
  ) {
    this.build();
    addEventListener('focus', this.comeBack);
    document.addEventListener('visibilitychange', this.comeBack);
  }

  ask(question: Question): void {
    const isNew = question.kind !== this.asked;
    this.asked = question.kind;
    if (question.kind === 'login') this.askForLogin();
    else this.askForConsent(question.url);
    if (isNew) {
      this.showLeft(false, question.kind === 'login' ? 'Log in' : 'Continue in a new tab');
      this.status.textContent = '';
    } else if (this.isTrying) {
      this.status.textContent =
        question.kind === 'login' ? 'You are not logged in yet.' : 'You have not allowed it yet.';
    }
    this.isTrying = false;
    if (this.dialog.open) {
      // The element with the focus may be hidden now.
      if (isNew) this.link.focus();
      return;
    }
    document.documentElement.append(this.host);
    this.dialog.showModal();
  }

  showTrying(): void {
    this.isTrying = true;
    this.status.textContent = 'Trying again…';
  }

  close(): void {
    removeEventListener('focus', this.comeBack);
    document.removeEventListener('visibilitychange', this.comeBack);
    this.dialog.onclose = null;
    this.dialog.close();
    this.host.remove();
    // The visitor may have changed, and the other globals must know.
    if (this.hasAskedForLogin) this.visitor.ask().catch(() => undefined);
  }

  private build(): void {
    const { title, text, status, link, again, dialog, answers } = this;
    again.onclick = answers.retry;
    link.onclick = (event) => this.leave(event);
    const cancel = element('button', { textContent: 'Cancel', onclick: answers.cancel });
    dialog.append(title, text, status, element('div', {}, cancel, link, again));
    dialog.onclose = answers.cancel;
    dialog.setAttribute('aria-labelledby', title.id);
    dialog.setAttribute('aria-describedby', text.id);
    // Keyboard shortcuts of the page must not react to keys in the dialog.
    dialog.onkeydown = (event) => event.stopPropagation();
    const root = this.host.attachShadow({ mode: 'closed' });
    // Unlike a style element, this works with every content security policy.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
    root.append(dialog);
  }

  private askForLogin(): void {
    const { base, slug } = this.self;
    const { host } = new URL(base);
    this.hasAskedForLogin = true;
    this.title.textContent = 'Log in to continue';
    this.text.textContent = this.mustReload
      ? `This needs an account at ${host}. After you log in, you return to this page. Then do what you just did again.`
      : `This needs an account at ${host}. You log in there, in a new tab.`;
    this.link.href = `${base}/login?next=${encodeURIComponent(`/p/${slug}`)}`;
  }

  private askForConsent(url: string): void {
    this.title.textContent = 'This page wants to use your credits';
    this.text.textContent = 'Choose how many credits this page may use. Opens in a new tab.';
    // The new tab closes when the visitor has decided.
    this.link.href = `${url}&tab=new`;
  }

  private leave(event: Event): void {
    if (this.asked === 'login' && this.mustReload) {
      event.preventDefault();
      this.visitor.goTo('/login');
      return;
    }
    this.showLeft(true);
    this.again.focus();
    this.status.textContent = 'When you are done, return to this tab.';
  }

  private comeBack = () => {
    if (this.hasLeft && document.visibilityState === 'visible') this.answers.retry();
  };

  /** After the visitor has opened the tab, “Try again” is the main button. */
  private showLeft(hasLeft: boolean, label = 'Open again'): void {
    this.hasLeft = hasLeft;
    this.link.textContent = label;
    this.link.className = hasLeft ? '' : 'main';
    this.again.hidden = !hasLeft;
  }
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
