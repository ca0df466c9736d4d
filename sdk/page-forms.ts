import { FORM_NAME, NEXT_FIELD } from '../contract/forms/limits.ts';
import { failure, request } from './api.ts';
import type { Self } from './self.ts';

/** Sends forms to the owner of the page. */
export function createPageForms({ api }: Pick<Self, 'api'>): Quire.PageForms {
  return {
    async submit(name, data) {
      if (!FORM_NAME.test(name))
        throw failure('The name of a form has 1 to 64 letters, digits, hyphens and underscores.', {
          status: 0,
          code: 'BAD_REQUEST',
        });
      const body = toFormData(data);
      // The script decides what happens next.
      body.delete(NEXT_FIELD);
      return post(api, name, body);
    },
  };
}

async function post(api: string, name: string, body: FormData): Promise<Quire.FormSent & { next?: string }> {
  const response = await request(`${api}/forms/${name}?redirect=false`, { method: 'POST', body });
  return response.json();
}

function toFormData(data: Quire.FormInput): FormData {
  const given = data instanceof HTMLFormElement ? new FormData(data) : data;
  const form = new FormData();
  for (const [name, value] of given instanceof FormData ? given : Object.entries(given)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each instanceof Blob) form.append(name, each);
      else if (each !== undefined && each !== null) form.append(name, String(each));
    }
  }
  return form;
}

/**
 * Sends forms with `data-quire-form` without leaving the page, and shows what happened. Without script, the browser
 * sends them to the action that the server has given them.
 */
export function enhanceForms({
  api,
  pageSession,
  pagePass,
}: Pick<Self, 'api' | 'pageSession' | 'pagePass'>): void {
  // Without cookies, only a script can say who the visitor is.
  const mustSend = pageSession !== undefined || pagePass !== undefined;
  // At the document, so that forms that a script adds later work too, and the author's own handlers come first.
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return;
    const name = form.getAttribute('data-quire-form')?.trim() ?? '';
    if (!FORM_NAME.test(name) || event.submitter?.hasAttribute('formaction')) return;
    const data = new FormData(form, event.submitter);
    if (data.get(NEXT_FIELD) && !mustSend) {
      // The author wants the browser to go to another page.
      form.setAttribute('action', `${api}/forms/${name}`);
      form.setAttribute('method', 'post');
      form.setAttribute('enctype', 'multipart/form-data');
      return;
    }
    event.preventDefault();
    if (form.getAttribute('data-quire-state') !== 'sending') void send(api, form, name, data);
  });
}

async function send(api: string, form: HTMLFormElement, name: string, data: FormData) {
  show(form, 'sending', 'Sending…');
  try {
    const { message, next } = await post(api, name, data);
    // Not `form.reset()`: a field can have that name.
    HTMLFormElement.prototype.reset.call(form);
    show(form, 'sent', form.getAttribute('data-quire-sent') ?? message);
    if (next !== undefined) location.assign(next);
  } catch (error) {
    show(form, 'error', (error as Error).message);
  }
}

/** Sets the state for the author's styles, and the message in the author's element, or in a new one. */
function show(form: HTMLFormElement, state: 'sending' | 'sent' | 'error', message: string): void {
  let place = form.querySelector('[data-quire-message]');
  if (!place) {
    place = document.createElement('p');
    place.setAttribute('data-quire-message', '');
    form.append(place);
  }
  place.setAttribute('role', 'status');
  form.setAttribute('data-quire-state', state);
  form.setAttribute('aria-busy', String(state === 'sending'));
  place.textContent = message;
}
